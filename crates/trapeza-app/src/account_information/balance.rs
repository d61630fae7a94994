//! The balances of accounts and cards, from the ledger.

use trapeza_domain::account::{Account, AccountKind};
use trapeza_domain::card::Card;
use trapeza_domain::ledger::{LedgerAccountId, StatementBalance};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;
use trapeza_store::{StoreError, Tx};
use uuid::Uuid;

use super::EntryIdCipher;

/// The kind of a balance. Its code on the wire depends on the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalanceKind {
    /// The booked balance now.
    Booked,
    /// Booked balance plus credit limit, less holds.
    Available,
    /// The booked balance at the start of the day.
    LastMidnight,
    CreditLimit,
    /// Held by card authorisations.
    Reserved,
    /// Spent by a card and not invoiced yet.
    NotInvoiced,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    pub kind: BalanceKind,
    pub amount: Money,
    /// Of a savings account, which has other codes in some operations.
    pub savings: bool,
    pub credit_limit_included: bool,
    /// The date of a balance that is not the current one.
    pub reference_day: Option<Date>,
    /// The last booked entry.
    pub last_entry: Option<Uuid>,
}

/// The values from which balances are computed.
struct Source {
    ledger: LedgerAccountId,
    currency: Currency,
    savings: bool,
    limit: i64,
    statement: StatementBalance,
    last_entry: Option<Uuid>,
}

impl Source {
    fn new(
        ids: &EntryIdCipher,
        ledger: LedgerAccountId,
        currency: Currency,
        statement: StatementBalance,
    ) -> Self {
        let last_entry = (statement.entry_count > 0).then(|| ids.entry_id(ledger, statement.entry_count));
        Self { ledger, currency, savings: false, limit: 0, statement, last_entry }
    }

    fn balance(&self, kind: BalanceKind, minor: i64) -> Balance {
        Balance {
            kind,
            amount: Money::new(minor, self.currency),
            savings: self.savings,
            credit_limit_included: kind == BalanceKind::Available && self.limit > 0,
            reference_day: None,
            last_entry: if kind == BalanceKind::Booked { self.last_entry } else { None },
        }
    }

    fn booked(&self) -> Balance {
        self.balance(BalanceKind::Booked, self.statement.booked)
    }

    fn available(&self) -> Balance {
        let free = self.statement.booked.saturating_sub(self.statement.held).saturating_add(self.limit);
        self.balance(BalanceKind::Available, free)
    }

    /// The closing balance of yesterday.
    fn last_midnight(&self, tx: &mut Tx<'_>, today: Date) -> Result<Balance, StoreError> {
        let minor = tx.entry_balance_before(self.ledger, today)?;
        let reference_day = Some(Date(today.0.saturating_sub(1)));
        Ok(Balance { reference_day, ..self.balance(BalanceKind::LastMidnight, minor) })
    }
}

fn of_account(ids: &EntryIdCipher, account: &Account, statement_balance: StatementBalance) -> Source {
    let source = Source::new(ids, account.ledger, account.currency, statement_balance);
    let savings = account.kind == AccountKind::Savings;
    Source { savings, limit: account.credit_limit_minor, ..source }
}

/// The balance of an account that was loaded without it.
pub(super) fn statement_balance(
    tx: &mut Tx<'_>,
    ledger: LedgerAccountId,
) -> Result<StatementBalance, StoreError> {
    let found = tx.ledger_account_find(ledger)?.and_then(|account| account.statement);
    found.ok_or_else(|| StoreError::internal("an account has no statement"))
}

/// The balances in a list and beside transactions.
pub(super) fn in_list(
    tx: &mut Tx<'_>,
    ids: &EntryIdCipher,
    account: &Account,
    statement_balance: StatementBalance,
    today: Date,
) -> Result<Vec<Balance>, StoreError> {
    let source = of_account(ids, account, statement_balance);
    Ok(vec![source.booked(), source.available(), source.last_midnight(tx, today)?])
}

/// Which balances of one account are read, besides what is booked and available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalanceSet {
    /// The credit limit, if there is one.
    CreditLimit,
    /// The balance at last midnight, as in a list.
    LastMidnight,
}

/// The balances of one account.
pub(super) fn in_set(
    tx: &mut Tx<'_>,
    ids: &EntryIdCipher,
    account: &Account,
    statement_balance: StatementBalance,
    set: BalanceSet,
    today: impl FnOnce() -> Date,
) -> Result<Vec<Balance>, StoreError> {
    match set {
        BalanceSet::CreditLimit => Ok(all_balances(ids, account, statement_balance)),
        BalanceSet::LastMidnight => in_list(tx, ids, account, statement_balance, today()),
    }
}

/// What is booked and available, and the credit limit.
pub(super) fn all_balances(
    ids: &EntryIdCipher,
    account: &Account,
    statement_balance: StatementBalance,
) -> Vec<Balance> {
    let source = of_account(ids, account, statement_balance);
    let mut balances = vec![source.booked(), source.available()];
    if source.limit > 0 {
        balances.push(source.balance(BalanceKind::CreditLimit, source.limit));
    }
    balances
}

pub(super) fn of_card(
    tx: &mut Tx<'_>,
    ids: &EntryIdCipher,
    card: &Card,
    today: Date,
) -> Result<Vec<Balance>, StoreError> {
    let source = Source::new(ids, card.ledger, card.currency, statement_balance(tx, card.ledger)?);
    let source = Source { limit: card.credit_limit_minor, ..source };
    let not_invoiced = tx.card_not_invoiced(card.ledger)?;
    Ok(vec![
        source.booked(),
        source.available(),
        source.last_midnight(tx, today)?,
        source.balance(BalanceKind::Reserved, -source.statement.held),
        source.balance(BalanceKind::NotInvoiced, not_invoiced),
    ])
}
