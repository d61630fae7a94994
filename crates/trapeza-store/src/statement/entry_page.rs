//! A page of an account's statement whose details are still encoded, in one buffer: they are decoded where they lie.

use super::entry_details::EncodedDetails;
use super::{Cursor, Tx};
use crate::error::StoreError;
use crate::params;
use crate::value::{Param, RowReader};
use std::ops::Range;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::time::Date;

/// Entries of one account, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryPage {
    rows: Vec<EntryRow>,
    details: Vec<u8>,
}

/// One entry. Its currency is the account's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryRow {
    pub seq: i64,
    /// Negative for a debit.
    pub amount_minor: i64,
    pub booking_day: Date,
    /// The position of its details in the page's buffer.
    details: Range<usize>,
}

impl EntryPage {
    fn with_capacity(limit: i64) -> Self {
        // A larger page grows as its rows come.
        let rows = usize::try_from(limit).unwrap_or(0).min(256);
        Self { rows: Vec::with_capacity(rows), details: Vec::with_capacity(rows * 256) }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn rows(&self) -> &[EntryRow] {
        &self.rows
    }

    pub fn truncate(&mut self, length: usize) {
        self.rows.truncate(length);
    }

    /// Each entry with its encoded details.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&EntryRow, &[u8])> {
        self.rows.iter().map(|row| (row, self.details.get(row.details.clone()).unwrap_or_default()))
    }

    /// Appends an entry that is older than the others.
    pub fn push(&mut self, seq: i64, amount_minor: i64, booking_day: Date, details: &EncodedDetails) {
        self.append(seq, amount_minor, booking_day, details.as_bytes());
    }

    fn append(&mut self, seq: i64, amount_minor: i64, booking_day: Date, details: &[u8]) {
        let start = self.details.len();
        self.details.extend_from_slice(details);
        self.rows.push(EntryRow { seq, amount_minor, booking_day, details: start..self.details.len() });
    }

    fn read(&mut self, row: &mut RowReader<'_>) -> Result<(), StoreError> {
        self.append(row.read()?, row.read()?, row.read()?, row.read()?);
        Ok(())
    }
}

impl Tx<'_> {
    /// As [`Tx::transaction_page`], with encoded details.
    pub fn entry_page(
        &mut self,
        account: LedgerAccountId,
        from: Date,
        before: Cursor,
        limit: i64,
    ) -> Result<EntryPage, StoreError> {
        self.entries(
            "SELECT seq, amount_minor, booking_date, details FROM entry
             WHERE account = $1 AND booking_date >= $2 AND (booking_date, seq) < ($3, $4)
             ORDER BY booking_date DESC, seq DESC LIMIT $5",
            params![account, from, before.date, before.seq, limit],
            limit,
        )
    }

    /// As [`Tx::transaction_delta`], with encoded details.
    pub fn entry_delta(
        &mut self,
        account: LedgerAccountId,
        after: i64,
        before: i64,
        limit: i64,
    ) -> Result<EntryPage, StoreError> {
        self.entries(
            "SELECT seq, amount_minor, booking_date, details FROM entry
             WHERE account = $1 AND seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT $4",
            params![account, after, before, limit],
            limit,
        )
    }

    fn entries(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        limit: i64,
    ) -> Result<EntryPage, StoreError> {
        let mut page = EntryPage::with_capacity(limit);
        self.query_each(sql, params, |row| page.read(row))?;
        Ok(page)
    }
}
