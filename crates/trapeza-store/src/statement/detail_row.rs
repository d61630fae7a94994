//! Queries of entries with the columns of their transaction detail, for accounts and for cards.

use crate::error::StoreError;
use crate::params;
use crate::transaction_detail::{field_columns, fields};
use crate::tx::Tx;
use crate::value::{DetailId, RowReader};
use trapeza_domain::card::{AcceptorAddress, CardTransactionDetail};
use trapeza_domain::transaction::TransactionDetail;

/// The detail of an account's or a card's transaction.
pub trait DetailRow: Sized {
    /// Entries of account `$1` from date `$2` on and before the cursor `($3, $4)`, at most `$5`.
    const PAGE: &'static str;
    /// Entries of account `$1` up to date `$2` and after the cursor `($3, $4)`, oldest first, at most `$5`.
    const PAGE_AFTER: &'static str;
    /// Entries of account `$1` between the numbers `$2` and `$3`, at most `$4`.
    const DELTA: &'static str;
    /// Active holds of account `$1` placed between the dates `$2` and `$3`, at most `$4`.
    const PENDING: &'static str;

    /// Reads the last columns of these queries; `None` when there is no detail.
    fn read(row: &mut RowReader<'_>) -> Result<Option<PartialDetail<Self>>, StoreError>;

    fn set_children(&mut self, tx: &mut Tx<'_>, children: &Children) -> Result<(), StoreError>;
}

/// The rows of other tables that a detail has.
pub struct Children {
    id: DetailId,
    has_parts: bool,
    has_exchanges: bool,
}

/// A detail without its parts and exchanges.
pub struct PartialDetail<D> {
    detail: D,
    children: Children,
}

impl<D: DetailRow> PartialDetail<D> {
    /// Reads the parts and exchanges; most details have none.
    pub fn load_children(mut self, tx: &mut Tx<'_>) -> Result<D, StoreError> {
        if self.children.has_exchanges || self.children.has_parts {
            self.detail.set_children(tx, &self.children)?;
        }
        Ok(self.detail)
    }
}

macro_rules! account_columns {
    () => {
        concat!(
            "d.id, part_count, ",
            field_columns!(),
            ", additional_information, bank_transaction_code, proprietary_code "
        )
    };
}

macro_rules! card_columns {
    () => {
        "c.detail, d.exchange_count, c.transaction_date, c.terminal_id, c.acceptor_id, c.acceptor_street,
         c.acceptor_building_number, c.acceptor_city, c.acceptor_postal_code, c.acceptor_country,
         c.merchant_category_code, c.text, c.original_currency, c.original_minor, c.markup_currency,
         c.markup_minor, c.markup_basis_points, c.invoiced, c.proprietary_code "
    };
}

macro_rules! booked {
    ($columns:ident, $from:literal) => {
        concat!(
            "SELECT t.id, e.seq, t.currency, e.amount_minor, e.balance_minor, e.booking_date, t.value_date, t.event,
                    t.reference, ",
            $columns!(),
            $from
        )
    };
}

macro_rules! page {
    ($columns:ident, $joins:literal) => {
        concat!(
            booked!($columns, "FROM entry e JOIN transfer t ON t.id = e.transfer "),
            $joins,
            "WHERE e.account = $1 AND e.booking_date >= $2 AND (e.booking_date, e.seq) < ($3, $4)
             ORDER BY e.booking_date DESC, e.seq DESC LIMIT $5"
        )
    };
}

macro_rules! page_after {
    ($columns:ident, $joins:literal) => {
        concat!(
            booked!($columns, "FROM entry e JOIN transfer t ON t.id = e.transfer "),
            $joins,
            "WHERE e.account = $1 AND e.booking_date <= $2 AND (e.booking_date, e.seq) > ($3, $4)
             ORDER BY e.booking_date, e.seq LIMIT $5"
        )
    };
}

macro_rules! delta {
    ($columns:ident, $joins:literal) => {
        concat!(
            booked!($columns, "FROM entry e JOIN transfer t ON t.id = e.transfer "),
            $joins,
            "WHERE e.account = $1 AND e.seq > $2 AND e.seq < $3 ORDER BY e.seq DESC LIMIT $4"
        )
    };
}

macro_rules! pending {
    ($columns:ident, $joins:literal) => {
        concat!(
            "SELECT h.id, h.currency, -h.amount_minor, h.placed_on, h.event, h.reference, ",
            $columns!(),
            "FROM hold h ",
            $joins,
            "WHERE h.account = $1 AND h.status = 'active' AND h.placed_on >= $2 AND h.placed_on <= $3
             ORDER BY h.placed_on DESC, h.id DESC LIMIT $4"
        )
    };
}

/// The entry of account `$1` that belongs to transfer `$2`.
pub(super) const TRANSACTION_BY_TRANSFER: &str = booked!(
    account_columns,
    "FROM transfer t JOIN entry e ON e.account = $1 AND e.transfer = t.id
        AND e.seq = CASE WHEN t.debit_account = $1 THEN t.debit_seq ELSE t.credit_seq END
     LEFT JOIN transaction_detail d ON d.id = t.detail WHERE t.id = $2"
);

impl Tx<'_> {
    pub fn detail_find(&mut self, id: DetailId) -> Result<Option<TransactionDetail>, StoreError> {
        let found = self.query_opt(
            concat!("SELECT ", account_columns!(), "FROM transaction_detail d WHERE d.id = $1"),
            params![id],
            TransactionDetail::read,
        )?;
        found.flatten().map(|detail| detail.load_children(self)).transpose()
    }
}

impl DetailRow for TransactionDetail {
    const PAGE: &'static str = page!(account_columns, "LEFT JOIN transaction_detail d ON d.id = t.detail ");
    const PAGE_AFTER: &'static str =
        page_after!(account_columns, "LEFT JOIN transaction_detail d ON d.id = t.detail ");
    const DELTA: &'static str = delta!(account_columns, "LEFT JOIN transaction_detail d ON d.id = t.detail ");
    const PENDING: &'static str =
        pending!(account_columns, "LEFT JOIN transaction_detail d ON d.id = h.detail ");

    fn read(row: &mut RowReader<'_>) -> Result<Option<PartialDetail<Self>>, StoreError> {
        let Some(id) = row.read()? else { return Ok(None) };
        let part_count: i64 = row.read()?;
        let (exchange_count, particulars) = fields(row)?;
        let detail = Self {
            particulars,
            additional_information: row.read()?,
            bank_transaction_code: row.read()?,
            proprietary_code: row.read()?,
            batch: Vec::new(),
        };
        let children = Children { id, has_parts: part_count > 0, has_exchanges: exchange_count > 0 };
        Ok(Some(PartialDetail { detail, children }))
    }

    fn set_children(&mut self, tx: &mut Tx<'_>, children: &Children) -> Result<(), StoreError> {
        if children.has_exchanges {
            self.particulars.exchanges = tx.detail_exchanges(children.id, 0)?;
        }
        if children.has_parts {
            self.batch = tx.detail_parts(children.id)?;
        }
        Ok(())
    }
}

impl DetailRow for CardTransactionDetail {
    const PAGE: &'static str = page!(
        card_columns,
        "LEFT JOIN transaction_detail d ON d.id = t.detail
         LEFT JOIN card_transaction_detail c ON c.detail = t.detail "
    );
    const PAGE_AFTER: &'static str = page_after!(
        card_columns,
        "LEFT JOIN transaction_detail d ON d.id = t.detail
         LEFT JOIN card_transaction_detail c ON c.detail = t.detail "
    );
    const DELTA: &'static str = delta!(
        card_columns,
        "LEFT JOIN transaction_detail d ON d.id = t.detail
         LEFT JOIN card_transaction_detail c ON c.detail = t.detail "
    );
    const PENDING: &'static str = pending!(
        card_columns,
        "LEFT JOIN transaction_detail d ON d.id = h.detail
         LEFT JOIN card_transaction_detail c ON c.detail = h.detail "
    );

    fn read(row: &mut RowReader<'_>) -> Result<Option<PartialDetail<Self>>, StoreError> {
        let Some(id) = row.read()? else { return Ok(None) };
        let exchange_count: i64 = row.read()?;
        let detail = Self {
            transaction_day: row.read()?,
            terminal_id: row.read()?,
            acceptor_id: row.read()?,
            acceptor_address: acceptor_address(row)?,
            merchant_category_code: row.read()?,
            text: row.read()?,
            original_amount: row.money_opt()?,
            markup_fee: row.money_opt()?,
            markup_basis_points: row.read()?,
            invoiced: row.read()?,
            proprietary_code: row.read()?,
            exchanges: Vec::new(),
        };
        let children = Children { id, has_parts: false, has_exchanges: exchange_count > 0 };
        Ok(Some(PartialDetail { detail, children }))
    }

    fn set_children(&mut self, tx: &mut Tx<'_>, children: &Children) -> Result<(), StoreError> {
        self.exchanges = tx.detail_exchanges(children.id, 0)?;
        Ok(())
    }
}

fn acceptor_address(row: &mut RowReader<'_>) -> Result<Option<AcceptorAddress>, StoreError> {
    let (street, building_number) = (row.read()?, row.read()?);
    let (city, postal_code, country) = (row.read()?, row.read()?, row.read::<Option<_>>()?);
    Ok(country.map(|country| AcceptorAddress { street, building_number, city, postal_code, country }))
}
