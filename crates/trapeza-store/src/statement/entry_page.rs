//! A page of a statement in one piece of memory: what each line tells is copied once, and read where it lies.

use super::Cursor;
use super::codec::EncodedDetails;
use super::entry_details::EntryDetails;
use super::{Transaction, Tx};
use crate::error::StoreError;
use crate::params;
use crate::value::Row;
use std::ops::Range;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::time::Date;

/// Lines of one account, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryPage {
    lines: Vec<EntryRow>,
    told: Vec<u8>,
}

/// One of them. The currency is the account's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryRow {
    pub seq: i64,
    /// Negative when money left.
    pub amount_minor: i64,
    pub booking_day: Date,
    /// Where in the page it is told.
    told: Range<usize>,
}

impl EntryPage {
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub fn lines(&self) -> &[EntryRow] {
        &self.lines
    }

    pub fn truncate(&mut self, length: usize) {
        self.lines.truncate(length);
    }

    /// Puts what one of the lines tells in the place of what another told.
    pub fn telling<'p>(&'p self, line: &EntryRow, told: &mut EntryDetails<'p>) -> Result<(), StoreError> {
        let kept = self.told.get(line.told.clone());
        told.read(kept.ok_or_else(|| StoreError::internal("a line is of another page"))?)
    }

    /// Adds a line below the others.
    pub fn push(&mut self, seq: i64, amount_minor: i64, booking_day: Date, told: &EncodedDetails) {
        self.append(seq, amount_minor, booking_day, told.bytes());
    }

    fn append(&mut self, seq: i64, amount_minor: i64, booking_day: Date, told: &[u8]) {
        let start = self.told.len();
        self.told.extend_from_slice(told);
        self.lines.push(EntryRow { seq, amount_minor, booking_day, told: start..self.told.len() });
    }

    fn of(lines: &[Transaction]) -> Self {
        let mut page = Self::default();
        for line in lines {
            page.push(line.seq, line.amount.minor, line.booking_day, &line.telling().keep());
        }
        page
    }
}

/// A page whose lines may be older than the form they are kept in.
struct Reading {
    page: EntryPage,
    whole: bool,
}

impl Reading {
    fn new(limit: i64) -> Self {
        // A page is small; whoever asks for all lines pays for them as they come.
        let room = usize::try_from(limit).unwrap_or(0).min(256);
        let page = EntryPage { lines: Vec::with_capacity(room), told: Vec::with_capacity(room * 256) };
        Self { page, whole: true }
    }

    fn row(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let told = row.opt_slice(3)?;
        self.whole &= told.is_some();
        if let Some(told) = told.filter(|_| self.whole) {
            self.page.append(row.int(0)?, row.int(1)?, row.day(2)?, told);
        }
        Ok(())
    }
}

impl Tx<'_> {
    /// As [`Tx::transaction_page`], with what is told left as it is kept.
    pub fn entry_page(
        &mut self,
        account: LedgerAccountId,
        from: Date,
        before: Cursor,
        limit: i64,
    ) -> Result<EntryPage, StoreError> {
        let mut reading = Reading::new(limit);
        self.query_each(
            "SELECT seq, amount_minor, booking_day, told FROM entry
             WHERE account = $1 AND booking_day >= $2 AND (booking_day, seq) < ($3, $4)
             ORDER BY booking_day DESC, seq DESC LIMIT $5",
            params![account.0, from.0, before.day.0, before.seq, limit],
            |row| reading.row(row),
        )?;
        if reading.whole {
            return Ok(reading.page);
        }
        Ok(EntryPage::of(&self.transaction_page(account, from, before, limit)?))
    }

    /// As [`Tx::transaction_delta`], with what is told left as it is kept.
    pub fn entry_delta(
        &mut self,
        account: LedgerAccountId,
        after: i64,
        before: i64,
        limit: i64,
    ) -> Result<EntryPage, StoreError> {
        let mut reading = Reading::new(limit);
        self.query_each(
            "SELECT seq, amount_minor, booking_day, told FROM entry
             WHERE account = $1 AND seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT $4",
            params![account.0, after, before, limit],
            |row| reading.row(row),
        )?;
        if reading.whole {
            return Ok(reading.page);
        }
        Ok(EntryPage::of(&self.transaction_delta(account, after, before, limit)?))
    }
}
