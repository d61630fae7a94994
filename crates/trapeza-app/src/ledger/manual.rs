//! Manual postings of staff and their reversal. A posting is booked once per id that the caller gives, and reversed at most once.

use super::{Posting, PostingDetail, post};
use crate::{App, UseCaseError, audit};
use std::sync::Arc;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::field::Field;
use trapeza_domain::id::ManualPostingId;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::ledger::manual::{ManualAccount, ManualPosting};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::Currency;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{ManualPostingRecord, ManualReversal, Tx};

/// Maximum number of postings of a list.
const MAX_LISTED: i64 = 1000;

/// Who posts, when, and the name of the bank on statements.
pub(crate) struct ManualContext {
    pub actor: Actor,
    pub now: Timestamp,
    pub today: Date,
    pub bank_name: Arc<str>,
}

/// What a posting does to an account.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Debited,
    Credited,
}

/// An account of a posting, with the field that a refusal names.
type PostedAccount = (ManualAccount, Field, Effect);

/// A side of a posting.
struct Side {
    ledger: LedgerAccountId,
    party: Party,
}

impl App {
    /// The manual postings, newest first.
    pub async fn manual_posting_list(&self, limit: i64) -> Result<Vec<ManualPostingRecord>, UseCaseError> {
        self.store.read(move |tx| Ok(tx.manual_posting_list(limit.clamp(1, MAX_LISTED))?)).await
    }
}

/// Refused when the id was used, or an account cannot be posted to. Balances are not part of the state: the funds are checked when
/// it is booked.
pub(crate) fn post_approved_state(tx: &mut Tx<'_>, posting: &ManualPosting) -> Result<String, UseCaseError> {
    posting.validate()?;
    if tx.manual_posting_find(posting.id)?.is_some() {
        let text = "a manual posting has this id already";
        return Err(Refusal::at(RefusalReason::StatusInvalid, Field::ManualPostingId, text).into());
    }
    customer_state(tx, posting.amount.currency, posted(posting))
}

/// The accounts that a posting debits and credits.
const fn posted(posting: &ManualPosting) -> [PostedAccount; 2] {
    [
        (posting.debit, Field::DebitAccount, Effect::Debited),
        (posting.credit, Field::CreditAccount, Effect::Credited),
    ]
}

/// The same of its reversal. A refusal names the side of the posting; the reversal does the opposite to it.
const fn posted_by_reversal(posting: &ManualPosting) -> [PostedAccount; 2] {
    [
        (posting.credit, Field::CreditAccount, Effect::Debited),
        (posting.debit, Field::DebitAccount, Effect::Credited),
    ]
}

/// The accounts of customers among them, which must be able to be posted to.
fn customer_state(
    tx: &mut Tx<'_>,
    currency: Currency,
    accounts: [PostedAccount; 2],
) -> Result<String, UseCaseError> {
    let mut state = String::new();
    for (account, field, effect) in accounts {
        if let ManualAccount::Customer(_) = account {
            state += &format!("{:?} ", customer(tx, account, currency, field, effect)?.id);
        }
    }
    Ok(state)
}

/// Books a posting. The same posting again, under the same id, has no further effect; another one under the id is refused.
pub(crate) fn manual_post(
    tx: &mut Tx<'_>,
    posting: &ManualPosting,
    context: &ManualContext,
) -> Result<(), UseCaseError> {
    posting.validate()?;
    if let Some(before) = tx.manual_posting_find(posting.id)? {
        if before.posting == *posting {
            return Ok(());
        }
        let text = "another manual posting has this id";
        return Err(Refusal::at(RefusalReason::Inconsistent, Field::ManualPostingId, text).into());
    }
    let (debit, credit) = context.sides(tx, posting.amount.currency, posted(posting))?;
    let (debit_account, credit_account) = (debit.ledger, credit.ledger);
    context.book(tx, LedgerEvent::ManualPosting, posting, (debit, credit), &posting.text)?;
    tx.manual_posting_insert(&ManualPostingRecord {
        posting: posting.clone(),
        debit_account,
        credit_account,
        posted_at: context.now,
        posted_by: context.actor.to_string(),
        reversal: None,
    })?;
    let event = AuditEvent::new("ledger.manually_posted", "posting", posting.id);
    context.record(tx, posting, event)
}

/// The state of a posting that can be reversed. Refused when an account cannot be posted to.
pub(crate) fn reverse_approved_state(tx: &mut Tx<'_>, id: ManualPostingId) -> Result<String, UseCaseError> {
    let record = reversible(tx, id)?;
    let posting = &record.posting;
    let customers = customer_state(tx, posting.amount.currency, posted_by_reversal(posting))?;
    Ok(format!("{record:?} {customers}"))
}

/// Books the reverse of a posting.
pub(crate) fn reverse(
    tx: &mut Tx<'_>,
    id: ManualPostingId,
    text: &str,
    context: &ManualContext,
) -> Result<ManualPosting, UseCaseError> {
    let posting = reversible(tx, id)?.posting;
    let sides = context.sides(tx, posting.amount.currency, posted_by_reversal(&posting))?;
    context.book(tx, LedgerEvent::ManualPostingReversed, &posting, sides, text)?;
    let reversal = ManualReversal { at: context.now, by: context.actor.to_string(), text: text.to_owned() };
    tx.manual_posting_reverse(id, &reversal)?;
    context.record(tx, &posting, AuditEvent::new("ledger.manual_posting_reversed", "posting", id))?;
    Ok(posting)
}

/// A posting that was not reversed, locked.
fn reversible(tx: &mut Tx<'_>, id: ManualPostingId) -> Result<ManualPostingRecord, UseCaseError> {
    let field = Field::ManualPostingId;
    let unknown = || Refusal::at(RefusalReason::ResourceUnknown, field, "unknown manual posting");
    let found = tx.manual_posting_lock(id)?.ok_or_else(unknown)?;
    if found.reversal.is_some() {
        let text = "the posting is reversed already";
        return Err(Refusal::at(RefusalReason::StatusInvalid, field, text).into());
    }
    Ok(found)
}

/// An account of a customer in this currency: enabled, or closed when it is debited, because money may have come back to it.
fn customer(
    tx: &mut Tx<'_>,
    account: ManualAccount,
    currency: Currency,
    field: Field,
    effect: Effect,
) -> Result<Account, UseCaseError> {
    let accounts = match account {
        ManualAccount::Customer(iban) => tx.account_by_iban(&iban)?,
        ManualAccount::Bank(_) => Vec::new(),
    };
    let may_be_closed = effect == Effect::Debited;
    let is_usable = |one: &Account| {
        let is_open = one.status == AccountStatus::Enabled;
        one.currency == currency && (is_open || may_be_closed && one.status == AccountStatus::Deleted)
    };
    let found = accounts.into_iter().find(is_usable);
    let text = || match (account, may_be_closed) {
        (ManualAccount::Customer(iban), true) => {
            format!(
                "{} cannot be debited: it must be an account of this bank in {currency} that is not blocked",
                iban.as_str()
            )
        }
        (ManualAccount::Customer(iban), false) => {
            format!(
                "{} cannot be credited: it must be an enabled account of this bank in {currency}",
                iban.as_str()
            )
        }
        (ManualAccount::Bank(_), _) => "must be an account of a customer".to_owned(),
    };
    Ok(found.ok_or_else(|| Refusal::malformed(field, text()))?)
}

impl ManualContext {
    /// What is debited, and what is credited.
    fn sides(
        &self,
        tx: &mut Tx<'_>,
        currency: Currency,
        [debited, credited]: [PostedAccount; 2],
    ) -> Result<(Side, Side), UseCaseError> {
        Ok((self.side(tx, currency, debited)?, self.side(tx, currency, credited)?))
    }

    fn side(
        &self,
        tx: &mut Tx<'_>,
        currency: Currency,
        (account, field, effect): PostedAccount,
    ) -> Result<Side, UseCaseError> {
        if let ManualAccount::Bank(kind) = account {
            let ledger = tx.ledger_account_find_or_insert(kind, None, currency, 0)?;
            return Ok(Side { ledger, party: Party::new(&*self.bank_name, None) });
        }
        let account = customer(tx, account, currency, field, effect)?;
        let name = tx.account_owner_names(account.id)?.join(", ");
        Ok(Side { ledger: account.ledger, party: Party::new(name, Some(account.reference())) })
    }

    fn book(
        &self,
        tx: &mut Tx<'_>,
        event: LedgerEvent,
        posting: &ManualPosting,
        (debit, credit): (Side, Side),
        text: &str,
    ) -> Result<(), UseCaseError> {
        let detail = TransactionDetail {
            particulars: TransactionFields {
                debtor: debit.party,
                creditor: credit.party,
                remittance_unstructured: Some(text.to_owned()),
                ..TransactionFields::default()
            },
            ..TransactionDetail::default()
        };
        let posting = Posting {
            event,
            parties: Parties {
                manual_debit: Some(debit.ledger),
                manual_credit: Some(credit.ledger),
                ..Parties::default()
            },
            amounts: Amounts::of(posting.amount),
            reference: posting.id.to_string(),
            booking_day: self.today,
            value_day: self.today,
            detail: PostingDetail::Account(Box::new(detail)),
        };
        post(tx, &[posting])?.map_err(Refusal::from)?;
        Ok(())
    }

    fn record(
        &self,
        tx: &mut Tx<'_>,
        posting: &ManualPosting,
        event: AuditEvent,
    ) -> Result<(), UseCaseError> {
        let event = event.with("debit", posting.debit.masked()).with("credit", posting.credit.masked());
        let event =
            event.with("currency", posting.amount.currency).with("amount_minor", posting.amount.minor);
        Ok(audit::record(tx, self.now, self.actor, &event)?)
    }
}
