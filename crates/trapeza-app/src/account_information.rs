//! Account information: reads of accounts and cards under a consent.
//!
//! Each read is one transaction: the consent and the customer's accounts as of now, the data, and, for a read without
//! the customer, the counted use. A read with the customer present writes nothing, unless it is a delta list.

mod account;
mod balance;
mod card;
mod customer;
mod customer_card;
mod customer_page;
mod delta;
mod entry_id;
mod month;
mod query;
mod standing_order;
mod transaction;

pub use account::{AccountView, PageBalances, StatementView};
pub use balance::{Balance, BalanceKind, BalanceSet};
pub use card::{CardStatementView, CardView};
pub use customer::{CustomerAccount, CustomerStatement, CustomerTransaction};
pub use customer_card::{CustomerCard, CustomerCardStatement};
pub use customer_page::{CustomerPage, CustomerStatementQuery};
pub(crate) use entry_id::EntryIdCipher;
pub use month::Month;
pub use query::{BookingStatus, DeltaPage, Page, Period, Range, StatementQuery};
pub use transaction::TransactionView;
pub use trapeza_store::{
    EntryAccount, EntryAccountKind, EntryBatchPart, EntryExchange, EntryFields, EntryParty,
};

use crate::authentication::Tpp;
use crate::{App, Required, UseCaseError};
use std::sync::Arc;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::card::Card;
use trapeza_domain::consent::{AccessConsent, ConsentState, Grant};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, CardId, ConsentId, PsuId};
use trapeza_domain::ledger::StatementBalance;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{ConsentForRead, ConsentUsage, StoreError, Tx};
use uuid::Uuid;

/// The window of a consent's quota.
const DAY: TimeDelta = TimeDelta::hours(24);

/// A request of a third party under a consent.
#[derive(Clone, Copy, Debug)]
pub struct ConsentedRequest {
    pub application: ApplicationId,
    /// `None` when the id cannot be parsed, which is treated like an unknown consent.
    consent: Option<ConsentId>,
    /// The customer is present: the request has their IP address.
    pub attended: bool,
}

/// A result, and how many reads of this kind are left today.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metered<T> {
    pub value: T,
    pub remaining: i64,
}

/// The kind of a read, for the count of its uses.
#[derive(Clone, Copy, Debug)]
struct ReadKind {
    endpoint: &'static str,
    /// Whether this read counts; a further page does not.
    counts: bool,
    /// Whether this read writes, even with the customer present.
    writes: bool,
}

impl ReadKind {
    const fn of(endpoint: &'static str) -> Self {
        Self { endpoint, counts: true, writes: false }
    }

    fn of_statement(endpoint: &'static str, query: &StatementQuery) -> Self {
        Self { endpoint, counts: !query.is_further_page(), writes: query.is_delta() }
    }
}

impl ConsentedRequest {
    pub fn new(tpp: &Tpp, consent: &str, attended: bool) -> Self {
        Self { application: tpp.application, consent: ConsentId::parse(consent), attended }
    }
}

/// A valid consent and its customer.
struct ConsentSession {
    access: AccessConsent,
    psu: PsuId,
    /// When the customer authorised it.
    since: Timestamp,
    now: Timestamp,
    /// How many reads of this kind there were in the last 24 hours.
    used: i64,
    /// The account of the read, until it is [taken](Self::account).
    account: Option<(Account, StatementBalance)>,
}

impl App {
    /// Reads under a consent. `subject` is the account or card of the read; a list has none.
    async fn read_with_consent<T: Send + 'static>(
        &self,
        request: &ConsentedRequest,
        purpose: ReadKind,
        subject: Option<Uuid>,
        read: impl Fn(&mut Tx<'_>, &mut ConsentSession) -> Result<T, UseCaseError> + Send + Sync + 'static,
    ) -> Result<Metered<T>, UseCaseError> {
        let (request, now) = (*request, self.now());
        let attended = request.attended;
        let job = Arc::new(move |tx: &mut Tx<'_>, may_write: bool| {
            let mut open = open(tx, &request, purpose, subject, now)?;
            let value = read(tx, &mut open)?;
            let spent = spend(tx, &open, purpose, subject, Spending { attended, may_write })?;
            Ok(spent.map(|remaining| (open.access.consent.id, Metered { value, remaining })))
        });
        // A read with the customer present needs the writer only under a one-off consent, which is found out by
        // trying without it.
        if attended && !purpose.writes {
            let job = job.clone();
            if let Some((consent, done)) = self.store.read(move |tx| job(tx, false)).await? {
                self.caches.last_used.note(consent, now);
                return Ok(done);
            }
        }
        let done = self.store.write(move |tx| job(tx, true)).await?;
        let (consent, done) = done.ok_or_else(|| StoreError::internal("a use was not counted"))?;
        self.caches.last_used.note(consent, now);
        Ok(done)
    }
}

/// The consent as of now, and its customer.
fn open(
    tx: &mut Tx<'_>,
    request: &ConsentedRequest,
    purpose: ReadKind,
    subject: Option<Uuid>,
    now: Timestamp,
) -> Result<ConsentSession, UseCaseError> {
    let not_found = || Refusal::at(RefusalReason::ConsentUnknown, Field::UsedConsent, "unknown consent");
    let consent = request.consent.ok_or_else(not_found)?;
    let usage = ConsentUsage { consent, endpoint: purpose.endpoint, subject };
    let found = tx.access_consent_for_read(request.application, usage, now.minus(DAY))?;
    let ConsentForRead { access, psu, used, account } = found.ok_or_else(not_found)?;
    let since = match access.consent.as_of(now).state {
        ConsentState::Valid { since } => since,
        ConsentState::Expired => {
            return Err(Refusal::at(
                RefusalReason::ConsentExpired,
                Field::UsedConsent,
                "the consent has expired",
            )
            .into());
        }
        state => {
            let text = format!("the consent is not valid: it is {}", state.status().name());
            return Err(Refusal::at(RefusalReason::ConsentInvalid, Field::UsedConsent, text).into());
        }
    };
    let psu = psu.required("customer")?;
    Ok(ConsentSession { access, psu, since, now, used, account })
}

/// An account that the consent grants, with its balance.
struct GrantedAccount {
    account: Account,
    grant: Grant,
    statement_balance: StatementBalance,
}

#[derive(Clone, Copy)]
struct Spending {
    attended: bool,
    may_write: bool,
}

/// Counts a use where it must be counted. Returns how many are left, or `None` where a write is needed and not
/// possible.
fn spend(
    tx: &mut Tx<'_>,
    open: &ConsentSession,
    purpose: ReadKind,
    subject: Option<Uuid>,
    spending: Spending,
) -> Result<Option<i64>, UseCaseError> {
    let (terms, used) = (&open.access.terms, open.used);
    let usage = ConsentUsage { consent: open.access.consent.id, endpoint: purpose.endpoint, subject };
    // A further page belongs to the read that it continues; without such a read it counts itself.
    let counts = (purpose.counts || used == 0) && (!spending.attended || !terms.recurring);
    if !counts {
        return Ok(Some((terms.frequency_per_day - used).max(0)));
    }
    if used >= terms.frequency_per_day {
        // Under a one-off consent, reads with the customer present count as well.
        let absent = if terms.recurring { " without the customer" } else { "" };
        let times = match terms.frequency_per_day {
            1 => "once".to_owned(),
            more => format!("{more} times"),
        };
        let text = format!("this may be read {times} in 24 hours{absent}");
        let (_, oldest) = tx.consent_usage_count(usage, open.now.minus(DAY))?;
        let again = oldest.map_or(DAY, |oldest| oldest.plus(DAY).since(open.now));
        return Err(Refusal::at(RefusalReason::AccessExceeded, Field::UsedConsent, text)
            .retry_after(again)
            .into());
    }
    if !spending.may_write {
        return Ok(None);
    }
    tx.consent_usage_insert(usage, open.now)?;
    Ok(Some(terms.frequency_per_day - used - 1))
}

impl ConsentSession {
    /// The account of the read, which must belong to the customer and be granted by the consent.
    fn account(&mut self) -> Result<GrantedAccount, UseCaseError> {
        let not_found = || Refusal::at(RefusalReason::ResourceUnknown, Field::AccountId, "unknown account");
        let found = self.account.take().filter(|(account, _)| account.is_owned_by(self.psu));
        let (account, statement_balance) = found.ok_or_else(not_found)?;
        let grant = self.access.terms.account_grant(&account);
        if account.status == AccountStatus::Deleted || !grant.listed {
            return Err(not_found().into());
        }
        Ok(GrantedAccount { account, grant, statement_balance })
    }

    fn card(&self, tx: &mut Tx<'_>, id: Option<CardId>) -> Result<(Card, Grant), UseCaseError> {
        let not_found = || Refusal::at(RefusalReason::ResourceUnknown, Field::CardId, "unknown card");
        let card = tx.card_find(id.ok_or_else(not_found)?)?;
        let card = card.filter(|card| card.holder == self.psu).ok_or_else(not_found)?;
        let hash = tx.card_pan_hash(card.id)?;
        let grant = self.access.terms.card_grant(&card, &hash);
        if card.status == AccountStatus::Deleted || !grant.listed {
            return Err(not_found().into());
        }
        Ok((card, grant))
    }
}

/// A right that the consent does not include.
fn lacking(what: &str) -> Refusal {
    Refusal::at(
        RefusalReason::ConsentLacksRight,
        Field::UsedConsent,
        format!("the consent does not cover {what}"),
    )
}

fn require(granted: bool, what: &str) -> Result<(), Refusal> {
    if granted { Ok(()) } else { Err(lacking(what)) }
}
