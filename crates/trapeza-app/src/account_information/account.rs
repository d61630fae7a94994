//! Accounts, their balances and their statements.

use super::query::{BookingStatus, DeltaPage, PENDING_MOST, Range, StatementQuery};
use super::{
    Balance, BalanceSet, ConsentSession, ConsentedRequest, GrantedAccount, Metered, ReadKind, balance,
    require,
};
use crate::{App, UseCaseError};
use std::sync::Arc;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::consent::Grant;
use trapeza_domain::field::Field;
use trapeza_domain::id::AccountId;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::money::Money;
use trapeza_domain::payment::Payment;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::statement::{PendingTransaction, Transaction};
use trapeza_domain::time::Date;
use trapeza_store::{Cursor, EntryPage, StoreError, Tx};
use uuid::Uuid;

/// An account with the rights of the consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountView {
    pub account: Account,
    pub owner_names: Vec<String>,
    pub grant: Grant,
    pub balances: Option<Vec<Balance>>,
}

/// Booked entries, newest first, with their ids, and the cursor of the next page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BookedPage {
    pub page: EntryPage,
    /// The ids of the entries, in the same order.
    pub ids: Vec<Uuid>,
    next: Option<String>,
}

/// The booked balances before and after the entries of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageBalances {
    pub opening: Money,
    pub closing: Money,
}

/// A page of an account's statement, with the ids of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementView {
    pub account: Account,
    pub grant: Grant,
    pub(super) booked: Option<BookedPage>,
    pub(super) pending: Option<Vec<(Uuid, PendingTransaction)>>,
    /// The standing orders that will be executed again, if they were asked for.
    pub standing_orders: Option<Vec<Payment>>,
    pub balances: Option<Vec<Balance>>,
    /// The booked balances before and after the page, if they were asked for and the consent grants balances.
    pub page_balances: Option<PageBalances>,
    /// The dates of the statement; `None` where it begins after an entry.
    pub period: Option<(Date, Date)>,
    /// The range of a delta list that has further pages.
    pub delta: Option<DeltaPage>,
}

impl StatementView {
    /// The cursor of the next page, if there is one.
    pub fn next_cursor(&self) -> Option<&str> {
        self.booked.as_ref()?.next.as_deref()
    }
}

impl App {
    /// The accounts that the consent grants.
    pub async fn account_list(
        self: &Arc<Self>,
        request: &ConsentedRequest,
        with_balance: bool,
    ) -> Result<Metered<Vec<AccountView>>, UseCaseError> {
        let (app, today) = (self.clone(), self.clock.today());
        let read = move |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let mut views = Vec::new();
            for account in tx.account_list(open.psu)? {
                let grant = open.access.terms.account_grant(&account);
                if account.status == AccountStatus::Deleted || !grant.listed {
                    continue;
                }
                let balances = if with_balance && grant.list_balances {
                    let statement_balance = balance::statement_balance(tx, account.ledger)?;
                    Some(balance::in_list(tx, &app.entry_ids, &account, statement_balance, today)?)
                } else {
                    None
                };
                let owner_names = tx.account_owner_names(account.id)?;
                views.push(AccountView { account, owner_names, grant, balances });
            }
            Ok(views)
        };
        self.read_with_consent(request, ReadKind::of("accounts"), None, read).await
    }

    pub async fn account_details(
        self: &Arc<Self>,
        request: &ConsentedRequest,
        id: &str,
        balances: Option<BalanceSet>,
    ) -> Result<Metered<AccountView>, UseCaseError> {
        let (app, id) = (self.clone(), AccountId::parse(id));
        let read = move |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let GrantedAccount { account, grant, statement_balance } = open.account()?;
            require(grant.details, "the details of accounts")?;
            let (ids, today) = (&app.entry_ids, || app.clock.today());
            let balances = match balances.filter(|_| grant.balances) {
                Some(set) => Some(balance::in_set(tx, ids, &account, statement_balance, set, today)?),
                None => None,
            };
            let owner_names = tx.account_owner_names(account.id)?;
            Ok(AccountView { account, owner_names, grant, balances })
        };
        self.read_with_consent(request, ReadKind::of("account"), id.map(|id| id.uuid()), read).await
    }

    pub async fn account_balances(
        self: &Arc<Self>,
        request: &ConsentedRequest,
        id: &str,
        set: BalanceSet,
    ) -> Result<Metered<(Account, Vec<Balance>)>, UseCaseError> {
        let (app, id) = (self.clone(), AccountId::parse(id));
        let read = move |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let GrantedAccount { account, grant, statement_balance } = open.account()?;
            require(grant.balances, "balances")?;
            let (ids, today) = (&app.entry_ids, || app.clock.today());
            let balances = balance::in_set(tx, ids, &account, statement_balance, set, today)?;
            Ok((account, balances))
        };
        let purpose = ReadKind::of("balances");
        self.read_with_consent(request, purpose, id.map(|id| id.uuid()), read).await
    }

    pub async fn account_statement(
        self: &Arc<Self>,
        request: &ConsentedRequest,
        id: &str,
        query: StatementQuery,
    ) -> Result<Metered<StatementView>, UseCaseError> {
        let (app, id, today) = (self.clone(), AccountId::parse(id), self.clock.today());
        let purpose = ReadKind::of_statement("transactions", &query);
        let read = move |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let GrantedAccount { account, grant, statement_balance } = open.account()?;
            require(grant.transactions, "transactions")?;
            let place = app.place(open, tx, account.ledger, &query, today)?;
            let booked = match query.status {
                BookingStatus::Pending => None,
                _ => Some(app.booked_page(tx, account.ledger, place, query.limit)?),
            };
            let pending = match query.status {
                BookingStatus::Booked => None,
                _ if query.is_further_page() => Some(Vec::new()),
                _ => Some(app.pending(tx, account.ledger, place)?),
            };
            let balances = if query.with_balance && grant.balances && !query.is_further_page() {
                Some(balance::in_list(tx, &app.entry_ids, &account, statement_balance, today)?)
            } else {
                None
            };
            let page_balances = match &booked {
                Some(page) if query.page_balances && grant.balances => {
                    Some(page_balances(tx, &account, &page.page, place)?)
                }
                _ => None,
            };
            let has_next = booked.as_ref().is_some_and(|page| page.next.is_some());
            let (ids, after) = (&app.entry_ids, place.after());
            let delta = open.delta_delivered(tx, ids, account.ledger, &query, after, has_next)?;
            let standing_orders = match query.standing_orders {
                false => None,
                true if query.is_further_page() => Some(Vec::new()),
                true => Some(open.standing_orders(tx, &account)?),
            };
            let period = match place {
                PageRange::Days { from, to, .. } => Some((from, to)),
                PageRange::Since { .. } => None,
            };
            Ok(StatementView {
                account,
                grant,
                booked,
                pending,
                standing_orders,
                balances,
                page_balances,
                period,
                delta,
            })
        };
        self.read_with_consent(request, purpose, id.map(|id| id.uuid()), read).await
    }

    /// One transaction with all details.
    pub async fn transaction_details(
        self: &Arc<Self>,
        request: &ConsentedRequest,
        id: &str,
        transaction: &str,
    ) -> Result<Metered<(Account, Uuid, Transaction)>, UseCaseError> {
        let (app, id, today) = (self.clone(), AccountId::parse(id), self.clock.today());
        let line = transaction.to_owned();
        let read = move |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let GrantedAccount { account, grant, .. } = open.account()?;
            require(grant.transactions, "transactions")?;
            let not_found =
                || Refusal::at(RefusalReason::ResourceUnknown, Field::TransactionId, "unknown transaction");
            let seq = app.entry_ids.entry_seq(account.ledger, &line).ok_or_else(not_found)?;
            let found = tx.transaction_delta(account.ledger, seq - 1, seq + 1, 1)?;
            let found = found.into_iter().next().ok_or_else(not_found)?;
            open.require_recent_sca(found.booking_day, today)?;
            let id = app.entry_ids.entry_id(account.ledger, seq);
            Ok((account, id, found))
        };
        self.read_with_consent(request, ReadKind::of("transaction"), id.map(|id| id.uuid()), read).await
    }

    fn booked_page(
        &self,
        tx: &mut Tx<'_>,
        ledger: LedgerAccountId,
        place: PageRange,
        limit: i64,
    ) -> Result<BookedPage, UseCaseError> {
        // One entry more than requested shows whether there is a next page.
        let mut page = match place {
            PageRange::Days { from, before, .. } => tx.entry_page(ledger, from, before, limit + 1)?,
            PageRange::Since { after, before } => tx.entry_delta(ledger, after, before, limit + 1)?,
        };
        let limit = usize::try_from(limit).unwrap_or(0);
        let more = page.len() > limit;
        page.truncate(limit);
        let ids = self.entry_ids.entry_id_list(ledger, page.rows().iter().map(|line| line.seq));
        let last = page.rows().last().filter(|_| more);
        let next = last.map(|line| Cursor { date: line.booking_day, seq: line.seq });
        let next = next.map(|cursor| self.entry_ids.encode_cursor(ledger, cursor).to_string());
        Ok(BookedPage { page, ids, next })
    }

    fn pending(
        &self,
        tx: &mut Tx<'_>,
        ledger: LedgerAccountId,
        place: PageRange,
    ) -> Result<Vec<(Uuid, PendingTransaction)>, UseCaseError> {
        let (from, to) = place.days();
        let holds = tx.pending_transaction_list(ledger, from, to, PENDING_MOST)?;
        Ok(holds.into_iter().map(|hold| (self.entry_ids.pending(ledger, hold.hold.0), hold)).collect())
    }
}

/// The balance after the newest entry of the page, and the one before its oldest. A page without entries has one balance, that of
/// its place in the statement.
fn page_balances(
    tx: &mut Tx<'_>,
    account: &Account,
    page: &EntryPage,
    place: PageRange,
) -> Result<PageBalances, UseCaseError> {
    let closing = match (page.rows().first(), place) {
        (Some(newest), _) => tx.entry_balance_after(account.ledger, newest.seq)?,
        (None, PageRange::Days { from, .. }) => tx.entry_balance_before(account.ledger, from)?,
        (None, PageRange::Since { after, .. }) => tx.entry_balance_after(account.ledger, after)?,
    };
    let sum = page.rows().iter().try_fold(0_i64, |sum, row| sum.checked_add(row.amount_minor));
    let opening = sum.and_then(|sum| closing.checked_sub(sum));
    let opening = opening.ok_or_else(|| StoreError::internal("the entries of a page have no sum"))?;
    let money = |minor| Money::new(minor, account.currency);
    Ok(PageBalances { opening: money(opening), closing: money(closing) })
}

/// The range of a page in a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum PageRange {
    Days { from: Date, to: Date, before: Cursor },
    Since { after: i64, before: i64 },
}

impl PageRange {
    pub(super) const fn days(self) -> (Date, Date) {
        match self {
            Self::Days { from, to, .. } => (from, to),
            Self::Since { .. } => (Date(i32::MIN), Date(i32::MAX)),
        }
    }

    /// The entry after which the page begins.
    pub(super) const fn after(self) -> Option<i64> {
        match self {
            Self::Days { .. } => None,
            Self::Since { after, .. } => Some(after),
        }
    }
}

impl App {
    /// The range of a query. A range that is too old or has an invalid cursor is refused.
    pub(super) fn place(
        &self,
        open: &ConsentSession,
        tx: &mut Tx<'_>,
        ledger: LedgerAccountId,
        query: &StatementQuery,
        today: Date,
    ) -> Result<PageRange, UseCaseError> {
        let odd = |field: Field| Refusal::malformed(field, "must be a position in this statement");
        let cursor = match &query.cursor {
            None => None,
            Some(text) => Some(self.entry_ids.cursor_parse(ledger, text).ok_or_else(|| odd(Field::Cursor))?),
        };
        match &query.range {
            Range::Period(period) => {
                open.require_recent_sca(period.from, today)?;
                let to = period.to.unwrap_or(today);
                let before = cursor.unwrap_or(Cursor::end_of(to));
                Ok(PageRange::Days { from: period.from, to, before })
            }
            Range::Since(line) => {
                let after =
                    self.entry_ids.entry_seq(ledger, line).ok_or_else(|| odd(Field::EntryReferenceFrom))?;
                let found =
                    tx.entry_booking_day(ledger, after)?.ok_or_else(|| odd(Field::EntryReferenceFrom))?;
                open.require_recent_sca(found, today)?;
                Ok(PageRange::Since { after, before: cursor.map_or(i64::MAX, |cursor| cursor.seq) })
            }
            Range::Undelivered(page) => {
                let after = open.delta_after(tx, &self.entry_ids, ledger, page.as_ref(), today)?;
                Ok(PageRange::Since { after, before: cursor.map_or(i64::MAX, |cursor| cursor.seq) })
            }
        }
    }
}
