//! The entries of a statement: what was booked on an account or a card, and what is held.

mod search;

pub use search::StatementSearch;

use crate::card::CardTransactionDetail;
use crate::ledger::posting::LedgerEvent;
use crate::ledger::{HoldId, TransferId};
use crate::money::Money;
use crate::time::Date;
use crate::transaction::TransactionDetail;

/// A booked entry with the detail of its transaction: an account's or a card's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookedEntry<D> {
    pub transfer: TransferId,
    pub seq: i64,
    /// Negative for a debit.
    pub amount: Money,
    /// The balance after this entry.
    pub balance_minor: i64,
    pub booking_day: Date,
    pub value_day: Date,
    pub event: LedgerEvent,
    pub reference: String,
    pub detail: Option<D>,
}

pub type Transaction = BookedEntry<TransactionDetail>;
pub type CardTransaction = BookedEntry<CardTransactionDetail>;

/// A hold, shown as a pending transaction. Its amount is negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingEntry<D> {
    pub hold: HoldId,
    pub amount: Money,
    pub day: Date,
    pub event: LedgerEvent,
    pub reference: String,
    pub detail: Option<D>,
}

pub type PendingTransaction = PendingEntry<TransactionDetail>;
pub type PendingCardTransaction = PendingEntry<CardTransactionDetail>;
