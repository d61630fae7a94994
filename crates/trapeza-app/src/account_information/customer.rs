//! A customer's own accounts in the bank's app. They need no consent and are not counted.

use super::Month;
use super::balance::{self, Balance};
use super::customer_page::{CustomerPage, CustomerStatementQuery, EntryReader, read};
use crate::{App, UseCaseError};
use std::sync::Arc;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::field::Field;
use trapeza_domain::id::{AccountId, PsuId};
use trapeza_domain::ledger::{LedgerAccountId, StatementBalance};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::statement::{PendingTransaction, StatementSearch, Transaction};
use trapeza_domain::time::Date;
use trapeza_domain::transaction::TransactionDetail;
use trapeza_store::{Cursor, StoreError, Tx};
use uuid::Uuid;

/// How many pending transactions are shown.
const PENDING_MAX: i64 = 100;
/// How many transactions of a month are exported.
const EXPORTED_MAX: i64 = 5000;

/// An account with its balances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerAccount {
    pub account: Account,
    pub balances: Vec<Balance>,
}

/// A page of an account's statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerStatement {
    pub account: CustomerAccount,
    /// On the first page only.
    pub pending: Vec<(Uuid, PendingTransaction)>,
    pub page: CustomerPage<TransactionDetail>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CustomerTransaction {
    Booked(Box<Transaction>),
    Pending(Box<PendingTransaction>),
}

const READER: EntryReader<TransactionDetail> = EntryReader {
    before: |tx, account, from, before, limit| tx.transaction_page(account, from, before, limit),
    after: |tx, account, to, after, limit| tx.transaction_page_after(account, to, after, limit),
    matches: |search: &StatementSearch, entry: &Transaction| search.matches_transaction(entry),
};

impl App {
    pub async fn customer_account_list(
        self: &Arc<Self>,
        psu: PsuId,
    ) -> Result<Vec<CustomerAccount>, UseCaseError> {
        let app = self.clone();
        self.store
            .read(move |tx| {
                let mut views = Vec::new();
                for account in tx.account_list(psu)? {
                    if account.status != AccountStatus::Deleted {
                        let statement_balance = balance::statement_balance(tx, account.ledger)?;
                        let balances = balance::all_balances(&app.entry_ids, &account, statement_balance);
                        views.push(CustomerAccount { account, balances });
                    }
                }
                Ok(views)
            })
            .await
    }

    /// One account with a page of its statement.
    pub async fn customer_statement(
        self: &Arc<Self>,
        psu: PsuId,
        id: &str,
        query: CustomerStatementQuery,
    ) -> Result<CustomerStatement, UseCaseError> {
        let (app, id) = (self.clone(), AccountId::parse(id).ok_or_else(not_found)?);
        let today = self.clock.today();
        self.store
            .read(move |tx| {
                let (account, statement_balance) = own_account(tx, psu, id)?;
                let statement = (account.ledger, account.currency);
                let page = read(tx, &app.entry_ids, statement, &query, (&READER, today))?;
                let pending = if page.is_first && query.search.is_none() {
                    app.pending_of(tx, account.ledger)?
                } else {
                    Vec::new()
                };
                let balances = balance::all_balances(&app.entry_ids, &account, statement_balance);
                Ok(CustomerStatement { account: CustomerAccount { account, balances }, pending, page })
            })
            .await
    }

    /// One transaction of an account, booked or pending, by its public id.
    pub async fn customer_transaction(
        self: &Arc<Self>,
        psu: PsuId,
        id: &str,
        entry: &str,
    ) -> Result<(Account, CustomerTransaction), UseCaseError> {
        let (app, id) = (self.clone(), AccountId::parse(id).ok_or_else(not_found)?);
        let entry = entry.to_owned();
        self.store
            .read(move |tx| {
                let (account, _) = own_account(tx, psu, id)?;
                if let Some(seq) = app.entry_ids.entry_seq(account.ledger, &entry) {
                    let found = tx.transaction_delta(account.ledger, seq - 1, seq.saturating_add(1), 1)?;
                    let found = found.into_iter().next().ok_or_else(not_found)?;
                    return Ok((account, CustomerTransaction::Booked(Box::new(found))));
                }
                let pending = app.pending_of(tx, account.ledger)?.into_iter();
                let found = pending.into_iter().find(|(id, _)| id.to_string() == entry);
                let (_, found) = found.ok_or_else(not_found)?;
                Ok((account, CustomerTransaction::Pending(Box::new(found))))
            })
            .await
    }

    /// The transactions of a month, oldest first. A month with too many of them is refused.
    pub async fn customer_month(
        self: &Arc<Self>,
        psu: PsuId,
        id: &str,
        month: Month,
    ) -> Result<(Account, Vec<Transaction>), UseCaseError> {
        let id = AccountId::parse(id).ok_or_else(not_found)?;
        self.store
            .read(move |tx| {
                let (account, _) = own_account(tx, psu, id)?;
                let (from, to) = (month.first_day(), Cursor::end_of(month.last_day()));
                let mut found = tx.transaction_page(account.ledger, from, to, EXPORTED_MAX + 1)?;
                if i64::try_from(found.len()).is_ok_and(|count| count > EXPORTED_MAX) {
                    let text = "must have at most 5000 transactions";
                    return Err(Refusal::malformed(Field::Month, text).into());
                }
                found.reverse();
                Ok((account, found))
            })
            .await
    }

    fn pending_of(
        &self,
        tx: &mut Tx<'_>,
        ledger: LedgerAccountId,
    ) -> Result<Vec<(Uuid, PendingTransaction)>, StoreError> {
        let holds = tx.pending_transaction_list(ledger, Date(i32::MIN), Date(i32::MAX), PENDING_MAX)?;
        Ok(holds.into_iter().map(|hold| (self.entry_ids.pending(ledger, hold.hold.0), hold)).collect())
    }
}

fn own_account(
    tx: &mut Tx<'_>,
    psu: PsuId,
    id: AccountId,
) -> Result<(Account, StatementBalance), UseCaseError> {
    let found = tx.account_of_owner(psu, id)?;
    let found = found.filter(|(account, _)| account.status != AccountStatus::Deleted);
    Ok(found.ok_or_else(not_found)?)
}

fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::AccountId, "unknown account or transaction")
}
