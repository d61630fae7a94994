//! Transactions as a statement shows them. Their texts are borrowed from the page that was read, because a page of a
//! hundred transactions has more than a thousand of them.

use super::{StatementView, UseCaseError};
use trapeza_domain::money::Money;
use trapeza_domain::statement::{PendingTransaction, Transaction};
use trapeza_domain::time::Date;
use trapeza_store::EntryDetails;
use uuid::Uuid;

/// A booked or pending transaction of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionView<'a> {
    pub id: Uuid,
    /// Negative for a debit.
    pub amount: Money,
    /// `None` for a pending transaction.
    pub booking_day: Option<Date>,
    pub details: EntryDetails<'a>,
}

impl StatementView {
    /// The number of transactions on the page.
    pub fn transaction_count(&self) -> usize {
        let pending = self.pending.as_ref().map_or(0, Vec::len);
        self.booked.as_ref().map_or(0, |booked| booked.ids.len()) + pending
    }

    /// Whether booked transactions were requested.
    pub fn has_booked(&self) -> bool {
        self.booked.is_some()
    }

    /// Visits the booked transactions. They are decoded one by one; a stored entry that cannot be decoded is an error. A
    /// visitor, because an iterator would move each decoded transaction several times.
    pub fn visit_booked(&self, mut visit: impl FnMut(&TransactionView<'_>)) -> Result<(), UseCaseError> {
        let Some(booked) = &self.booked else { return Ok(()) };
        for ((row, details), id) in booked.page.entries().zip(&booked.ids) {
            let amount = Money::new(row.amount_minor, self.account.currency);
            let details = EntryDetails::decode(details)?.signed_as(amount);
            visit(&TransactionView { id: *id, amount, booking_day: Some(row.booking_day), details });
        }
        Ok(())
    }

    /// The pending transactions, if they were requested.
    pub fn pending_transactions(&self) -> Option<impl Iterator<Item = TransactionView<'_>>> {
        let pending = self.pending.as_ref()?;
        Some(pending.iter().map(|(id, hold)| TransactionView::pending(*id, hold)))
    }
}

impl<'a> TransactionView<'a> {
    pub fn booked(id: Uuid, entry: &'a Transaction) -> Self {
        let details =
            EntryDetails::new(entry.value_day, entry.event, entry.detail.as_ref()).signed_as(entry.amount);
        Self { id, amount: entry.amount, booking_day: Some(entry.booking_day), details }
    }

    pub fn pending(id: Uuid, hold: &'a PendingTransaction) -> Self {
        let details = EntryDetails::new(hold.day, hold.event, hold.detail.as_ref()).signed_as(hold.amount);
        Self { id, amount: hold.amount, booking_day: None, details }
    }
}
