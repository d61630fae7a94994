//! Statements: booked and pending transactions of an account or a card, newest first, page by page.
//!
//! A page costs the same wherever it is and however long the statement: it starts at its cursor in an index.

pub(crate) mod detail_row;
mod entry_details;
mod entry_page;

pub use entry_details::{
    EncodedDetails, EntryAccount, EntryAccountKind, EntryBatchPart, EntryDetails, EntryExchange, EntryFields,
    EntryParty, RareEntryFields,
};
pub use entry_page::{EntryPage, EntryRow};

use self::detail_row::{DetailRow, PartialDetail};
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::{Param, RowReader};
use trapeza_domain::card::CardTransactionDetail;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{LedgerAccountId, TransferId};
use trapeza_domain::statement::{
    BookedEntry, CardTransaction, PendingCardTransaction, PendingEntry, PendingTransaction, Transaction,
};
use trapeza_domain::time::Date;
use trapeza_domain::transaction::TransactionDetail;

/// A position in a statement. A page contains the entries before it, that is the older ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub date: Date,
    pub seq: i64,
}

impl Cursor {
    /// The position after the last entry of a date.
    pub const fn end_of(date: Date) -> Self {
        Self { date: Date(date.0.saturating_add(1)), seq: 0 }
    }
}

/// The queries of a page of an account's statement, before and after a cursor.
pub const STATEMENT_PAGES: [&str; 2] = [TransactionDetail::PAGE, TransactionDetail::PAGE_AFTER];

impl Tx<'_> {
    /// Transactions booked on or after `from` and before the cursor, newest first.
    pub fn transaction_page(
        &mut self,
        account: LedgerAccountId,
        from: Date,
        before: Cursor,
        limit: i64,
    ) -> Result<Vec<Transaction>, StoreError> {
        self.booked_entries(TransactionDetail::PAGE, params![account, from, before.date, before.seq, limit])
    }

    /// Transactions booked on or before `to` and after the cursor, newest first: the page before [`Tx::transaction_page`].
    pub fn transaction_page_after(
        &mut self,
        account: LedgerAccountId,
        to: Date,
        after: Cursor,
        limit: i64,
    ) -> Result<Vec<Transaction>, StoreError> {
        let params = params![account, to, after.date, after.seq, limit];
        let mut entries = self.booked_entries(TransactionDetail::PAGE_AFTER, params)?;
        entries.reverse();
        Ok(entries)
    }

    /// Transactions with numbers between `after` and `before`, both excluded, newest first: what is new since a reference.
    pub fn transaction_delta(
        &mut self,
        account: LedgerAccountId,
        after: i64,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Transaction>, StoreError> {
        self.booked_entries(TransactionDetail::DELTA, params![account, after, before, limit])
    }

    /// The entry of an account that belongs to a transfer.
    pub fn transaction_find(
        &mut self,
        account: LedgerAccountId,
        transfer: TransferId,
    ) -> Result<Option<Transaction>, StoreError> {
        let entries = self.booked_entries(detail_row::TRANSACTION_BY_TRANSFER, params![account, transfer])?;
        Ok(entries.into_iter().next())
    }

    /// As [`Tx::transaction_page`], for a card.
    pub fn card_transaction_page(
        &mut self,
        card: LedgerAccountId,
        from: Date,
        before: Cursor,
        limit: i64,
    ) -> Result<Vec<CardTransaction>, StoreError> {
        self.booked_entries(CardTransactionDetail::PAGE, params![card, from, before.date, before.seq, limit])
    }

    /// As [`Tx::transaction_page_after`], for a card.
    pub fn card_transaction_page_after(
        &mut self,
        card: LedgerAccountId,
        to: Date,
        after: Cursor,
        limit: i64,
    ) -> Result<Vec<CardTransaction>, StoreError> {
        let params = params![card, to, after.date, after.seq, limit];
        let mut entries = self.booked_entries(CardTransactionDetail::PAGE_AFTER, params)?;
        entries.reverse();
        Ok(entries)
    }

    /// As [`Tx::transaction_delta`], for a card.
    pub fn card_transaction_delta(
        &mut self,
        card: LedgerAccountId,
        after: i64,
        before: i64,
        limit: i64,
    ) -> Result<Vec<CardTransaction>, StoreError> {
        self.booked_entries(CardTransactionDetail::DELTA, params![card, after, before, limit])
    }

    /// Active holds that were placed between two dates, newest first.
    pub fn pending_transaction_list(
        &mut self,
        account: LedgerAccountId,
        from: Date,
        to: Date,
        limit: i64,
    ) -> Result<Vec<PendingTransaction>, StoreError> {
        self.pending_entries(params![account, from, to, limit])
    }

    /// As [`Tx::pending_transaction_list`], for a card.
    pub fn pending_card_transaction_list(
        &mut self,
        card: LedgerAccountId,
        from: Date,
        to: Date,
        limit: i64,
    ) -> Result<Vec<PendingCardTransaction>, StoreError> {
        self.pending_entries(params![card, from, to, limit])
    }

    /// The date of the first entry.
    pub fn entry_first_day(&mut self, account: LedgerAccountId) -> Result<Option<Date>, StoreError> {
        self.query_opt(
            "SELECT booking_date FROM entry WHERE account = $1 ORDER BY booking_date, seq LIMIT 1",
            params![account],
            |row| row.read(),
        )
    }

    pub fn entry_booking_day(
        &mut self,
        account: LedgerAccountId,
        seq: i64,
    ) -> Result<Option<Date>, StoreError> {
        self.query_opt(
            "SELECT booking_date FROM entry WHERE account = $1 AND seq = $2",
            params![account, seq],
            |row| row.read(),
        )
    }

    /// The number of the last entry before those of a date and later; zero when there is none.
    pub fn entry_seq_before(&mut self, account: LedgerAccountId, date: Date) -> Result<i64, StoreError> {
        let found = self.query_opt(
            "SELECT seq FROM entry WHERE account = $1 AND booking_date < $2
             ORDER BY booking_date DESC, seq DESC LIMIT 1",
            params![account, date],
            |row| row.read(),
        )?;
        Ok(found.unwrap_or(0))
    }

    /// The booked balance at the beginning of a date; zero when there is no entry before it.
    pub fn entry_balance_before(&mut self, account: LedgerAccountId, date: Date) -> Result<i64, StoreError> {
        let found = self.query_opt(
            "SELECT balance_minor FROM entry WHERE account = $1 AND booking_date < $2
             ORDER BY booking_date DESC, seq DESC LIMIT 1",
            params![account, date],
            |row| row.read(),
        )?;
        Ok(found.unwrap_or(0))
    }

    /// The booked balance after an entry; zero before the first one.
    pub fn entry_balance_after(&mut self, account: LedgerAccountId, seq: i64) -> Result<i64, StoreError> {
        let found = self.query_opt(
            "SELECT balance_minor FROM entry WHERE account = $1 AND seq = $2",
            params![account, seq],
            |row| row.read(),
        )?;
        Ok(found.unwrap_or(0))
    }

    /// The sum of a card's transactions that are not invoiced.
    pub fn card_not_invoiced(&mut self, card: LedgerAccountId) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT CAST(COALESCE(SUM(e.amount_minor), 0) AS BIGINT) FROM entry e
             JOIN transfer t ON t.id = e.transfer JOIN card_transaction_detail c ON c.detail = t.detail
             WHERE e.account = $1 AND NOT c.invoiced",
            params![card],
            |row| row.read(),
        )
    }

    fn booked_entries<D: DetailRow>(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<Vec<BookedEntry<D>>, StoreError> {
        let rows = self.query(sql, params, |row| Ok((booked(row)?, D::read(row)?)))?;
        rows.into_iter()
            .map(|(entry, detail)| Ok(BookedEntry { detail: self.complete(detail)?, ..entry }))
            .collect()
    }

    fn pending_entries<D: DetailRow>(
        &mut self,
        params: &[Param<'_>],
    ) -> Result<Vec<PendingEntry<D>>, StoreError> {
        let rows = self.query(D::PENDING, params, |row| Ok((pending(row)?, D::read(row)?)))?;
        rows.into_iter()
            .map(|(entry, detail)| Ok(PendingEntry { detail: self.complete(detail)?, ..entry }))
            .collect()
    }

    fn complete<D: DetailRow>(&mut self, detail: Option<PartialDetail<D>>) -> Result<Option<D>, StoreError> {
        detail.map(|detail| detail.load_children(self)).transpose()
    }
}

fn booked<D>(row: &mut RowReader<'_>) -> Result<BookedEntry<D>, StoreError> {
    Ok(BookedEntry {
        transfer: row.read()?,
        seq: row.read()?,
        amount: row.money()?,
        balance_minor: row.read()?,
        booking_day: row.read()?,
        value_day: row.read()?,
        event: row.parse(LedgerEvent::parse)?,
        reference: row.read()?,
        detail: None,
    })
}

fn pending<D>(row: &mut RowReader<'_>) -> Result<PendingEntry<D>, StoreError> {
    Ok(PendingEntry {
        hold: row.read()?,
        amount: row.money()?,
        day: row.read()?,
        event: row.parse(LedgerEvent::parse)?,
        reference: row.read()?,
        detail: None,
    })
}
