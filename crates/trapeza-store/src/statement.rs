//! Statements as their readers want them: newest first, page by page, each line with what is told about it.
//!
//! A page costs the same wherever it is and however long the statement: it starts at its cursor in an index.

mod codec;
pub(crate) mod detail_row;
mod entry_details;
mod entry_page;

pub use codec::EncodedDetails;
pub use entry_details::{
    EntryAccount, EntryAccountKind, EntryBatchPart, EntryDetails, EntryExchange, EntryFields, EntryParty,
};
pub use entry_page::{EntryPage, EntryRow};

use self::detail_row::{DetailRow, PartialDetail};
use crate::error::StoreError;
use crate::params;
use crate::transaction_detail::particulars_columns;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::card::CardTransactionDetail;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{HoldId, LedgerAccountId, TransferId};
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::TransactionDetail;

/// A place in a statement: everything before it (older than it) is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub day: Date,
    pub seq: i64,
}

impl Cursor {
    /// The newest place of a day.
    pub const fn end_of(day: Date) -> Self {
        Self { day: Date(day.0.saturating_add(1)), seq: 0 }
    }
}

/// A line of a statement. What is told about it is an account's or a card's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookedEntry<D> {
    pub transfer: TransferId,
    pub seq: i64,
    /// Negative when money left.
    pub amount: Money,
    /// The balance after this line.
    pub balance_minor: i64,
    pub booking_day: Date,
    pub value_day: Date,
    pub event: LedgerEvent,
    pub reference: String,
    pub detail: Option<D>,
}

pub type Transaction = BookedEntry<TransactionDetail>;
pub type CardTransaction = BookedEntry<CardTransactionDetail>;

/// An amount set aside, not booked yet. It is negative: it will leave.
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

macro_rules! account_detail {
    () => {
        concat!(
            "d.id, d.part_count, ",
            particulars_columns!("d"),
            ", d.additional_information, d.bank_transaction_code, d.proprietary_code "
        )
    };
}

macro_rules! card_detail {
    () => {
        "c.detail, d.exchange_count, c.transaction_day, c.terminal_id, c.acceptor_id, c.acceptor_street,
         c.acceptor_building_number, c.acceptor_city, c.acceptor_postal_code, c.acceptor_country,
         c.merchant_category_code, c.text, c.original_currency, c.original_minor, c.markup_currency,
         c.markup_minor, c.markup_basis_points, c.invoiced, c.proprietary_code "
    };
}

macro_rules! booked {
    ($detail:ident, $from:literal) => {
        concat!(
            "SELECT t.id, e.seq, t.currency, e.amount_minor, e.balance_minor, e.booking_day, t.value_day, t.event,
                    t.reference, ",
            $detail!(),
            $from
        )
    };
}

const BOOKED_WIDTH: usize = 9;

macro_rules! awaited {
    ($detail:ident, $joins:literal) => {
        concat!(
            "SELECT h.id, h.currency, -h.amount_minor, h.day, h.event, h.reference, ",
            $detail!(),
            "FROM hold h LEFT JOIN detail d ON d.id = h.detail ",
            $joins,
            "WHERE h.account = $1 AND h.state = 'active' AND h.day >= $2 AND h.day <= $3
             ORDER BY h.day DESC, h.id DESC LIMIT $4"
        )
    };
}

const AWAITED_WIDTH: usize = 6;

impl Tx<'_> {
    /// Lines booked from a day on and older than the cursor, newest first.
    pub fn transaction_page(
        &mut self,
        account: LedgerAccountId,
        from: Date,
        before: Cursor,
        limit: i64,
    ) -> Result<Vec<Transaction>, StoreError> {
        let rows = self.query(
            booked!(
                account_detail,
                "FROM entry e JOIN transfer t ON t.id = e.transfer LEFT JOIN detail d ON d.id = t.detail
                 WHERE e.account = $1 AND e.booking_day >= $2 AND (e.booking_day, e.seq) < ($3, $4)
                 ORDER BY e.booking_day DESC, e.seq DESC LIMIT $5"
            ),
            params![account.0, from.0, before.day.0, before.seq, limit],
            |row| Ok((booked(row)?, TransactionDetail::read(row, BOOKED_WIDTH)?)),
        )?;
        rows.into_iter().map(|row| self.told(row)).collect()
    }

    /// Lines after number `after` and before number `before`, newest first: what is new since a reference.
    pub fn transaction_delta(
        &mut self,
        account: LedgerAccountId,
        after: i64,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Transaction>, StoreError> {
        let rows = self.query(
            booked!(
                account_detail,
                "FROM entry e JOIN transfer t ON t.id = e.transfer LEFT JOIN detail d ON d.id = t.detail
                 WHERE e.account = $1 AND e.seq > $2 AND e.seq < $3 ORDER BY e.seq DESC LIMIT $4"
            ),
            params![account.0, after, before, limit],
            |row| Ok((booked(row)?, TransactionDetail::read(row, BOOKED_WIDTH)?)),
        )?;
        rows.into_iter().map(|row| self.told(row)).collect()
    }

    /// One line of this account, if the transfer has a side there.
    pub fn transaction_find(
        &mut self,
        account: LedgerAccountId,
        transfer: TransferId,
    ) -> Result<Option<Transaction>, StoreError> {
        let rows = self.query(
            booked!(
                account_detail,
                "FROM transfer t JOIN entry e ON e.account = $1 AND e.transfer = t.id
                    AND e.seq = CASE WHEN t.debit = $1 THEN t.debit_seq ELSE t.credit_seq END
                 LEFT JOIN detail d ON d.id = t.detail WHERE t.id = $2"
            ),
            params![account.0, transfer.0],
            |row| Ok((booked(row)?, TransactionDetail::read(row, BOOKED_WIDTH)?)),
        )?;
        rows.into_iter().map(|row| self.told(row)).next().transpose()
    }

    /// As [`Tx::transaction_page`], of a card.
    pub fn card_transaction_page(
        &mut self,
        card: LedgerAccountId,
        from: Date,
        before: Cursor,
        limit: i64,
    ) -> Result<Vec<CardTransaction>, StoreError> {
        let rows = self.query(
            booked!(
                card_detail,
                "FROM entry e JOIN transfer t ON t.id = e.transfer LEFT JOIN detail d ON d.id = t.detail
                 LEFT JOIN card_detail c ON c.detail = t.detail
                 WHERE e.account = $1 AND e.booking_day >= $2 AND (e.booking_day, e.seq) < ($3, $4)
                 ORDER BY e.booking_day DESC, e.seq DESC LIMIT $5"
            ),
            params![card.0, from.0, before.day.0, before.seq, limit],
            |row| Ok((booked(row)?, CardTransactionDetail::read(row, BOOKED_WIDTH)?)),
        )?;
        rows.into_iter().map(|row| self.told(row)).collect()
    }

    /// As [`Tx::transaction_delta`], of a card.
    pub fn card_transaction_delta(
        &mut self,
        card: LedgerAccountId,
        after: i64,
        before: i64,
        limit: i64,
    ) -> Result<Vec<CardTransaction>, StoreError> {
        let rows = self.query(
            booked!(
                card_detail,
                "FROM entry e JOIN transfer t ON t.id = e.transfer LEFT JOIN detail d ON d.id = t.detail
                 LEFT JOIN card_detail c ON c.detail = t.detail
                 WHERE e.account = $1 AND e.seq > $2 AND e.seq < $3 ORDER BY e.seq DESC LIMIT $4"
            ),
            params![card.0, after, before, limit],
            |row| Ok((booked(row)?, CardTransactionDetail::read(row, BOOKED_WIDTH)?)),
        )?;
        rows.into_iter().map(|row| self.told(row)).collect()
    }

    /// Amounts set aside between two days, newest first.
    pub fn pending_transaction_list(
        &mut self,
        account: LedgerAccountId,
        from: Date,
        to: Date,
        limit: i64,
    ) -> Result<Vec<PendingTransaction>, StoreError> {
        let rows =
            self.query(awaited!(account_detail, ""), params![account.0, from.0, to.0, limit], |row| {
                Ok((awaited(row)?, TransactionDetail::read(row, AWAITED_WIDTH)?))
            })?;
        rows.into_iter().map(|row| self.awaited(row)).collect()
    }

    /// As [`Tx::pending_transaction_list`], of a card.
    pub fn pending_card_transaction_list(
        &mut self,
        card: LedgerAccountId,
        from: Date,
        to: Date,
        limit: i64,
    ) -> Result<Vec<PendingCardTransaction>, StoreError> {
        let rows = self.query(
            awaited!(card_detail, "LEFT JOIN card_detail c ON c.detail = h.detail "),
            params![card.0, from.0, to.0, limit],
            |row| Ok((awaited(row)?, CardTransactionDetail::read(row, AWAITED_WIDTH)?)),
        )?;
        rows.into_iter().map(|row| self.awaited(row)).collect()
    }

    /// The day that a line was booked on.
    pub fn entry_booking_day(
        &mut self,
        account: LedgerAccountId,
        seq: i64,
    ) -> Result<Option<Date>, StoreError> {
        self.query_opt(
            "SELECT booking_day FROM entry WHERE account = $1 AND seq = $2",
            params![account.0, seq],
            |row| row.day(0),
        )
    }

    /// What was booked before a day began; zero when nothing was.
    pub fn entry_balance_before(&mut self, account: LedgerAccountId, day: Date) -> Result<i64, StoreError> {
        let found = self.query_opt(
            "SELECT balance_minor FROM entry WHERE account = $1 AND booking_day < $2
             ORDER BY booking_day DESC, seq DESC LIMIT 1",
            params![account.0, day.0],
            |row| row.int(0),
        )?;
        Ok(found.unwrap_or(0))
    }

    /// What a card has spent that is on no invoice yet.
    pub fn card_not_invoiced(&mut self, card: LedgerAccountId) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT CAST(COALESCE(SUM(e.amount_minor), 0) AS BIGINT) FROM entry e
             JOIN transfer t ON t.id = e.transfer JOIN card_detail c ON c.detail = t.detail
             WHERE e.account = $1 AND c.invoiced = 0",
            params![card.0],
            |row| row.int(0),
        )
    }

    fn told<D: DetailRow>(
        &mut self,
        row: (BookedEntry<D>, Option<PartialDetail<D>>),
    ) -> Result<BookedEntry<D>, StoreError> {
        Ok(BookedEntry { detail: row.1.map(|detail| detail.fill(self)).transpose()?, ..row.0 })
    }

    fn awaited<D: DetailRow>(
        &mut self,
        row: (PendingEntry<D>, Option<PartialDetail<D>>),
    ) -> Result<PendingEntry<D>, StoreError> {
        Ok(PendingEntry { detail: row.1.map(|detail| detail.fill(self)).transpose()?, ..row.0 })
    }
}

fn booked<D>(row: &Row<'_>) -> Result<BookedEntry<D>, StoreError> {
    Ok(BookedEntry {
        transfer: TransferId(row.int(0)?),
        seq: row.int(1)?,
        amount: row.money(2, 3)?,
        balance_minor: row.int(4)?,
        booking_day: row.day(5)?,
        value_day: row.day(6)?,
        event: row.named(7, LedgerEvent::parse)?,
        reference: row.text(8)?,
        detail: None,
    })
}

fn awaited<D>(row: &Row<'_>) -> Result<PendingEntry<D>, StoreError> {
    Ok(PendingEntry {
        hold: HoldId(row.int(0)?),
        amount: row.money(1, 2)?,
        day: row.day(3)?,
        event: row.named(4, LedgerEvent::parse)?,
        reference: row.text(5)?,
        detail: None,
    })
}
