//! What is told about a line, read from the columns beside it.

use crate::error::StoreError;
use crate::params;
use crate::transaction_detail::{DetailId, PARTICULARS_WIDTH, particulars, particulars_columns};
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::card::{AcceptorAddress, CardTransactionDetail};
use trapeza_domain::transaction::TransactionDetail;

/// A detail whose exchanges and parts are still in their own tables.
pub struct PartialDetail<D> {
    id: DetailId,
    has_parts: bool,
    has_exchanges: bool,
    detail: D,
}

impl<D: DetailRow> PartialDetail<D> {
    /// Fetches what is missing; most details miss nothing.
    pub fn fill(mut self, tx: &mut Tx<'_>) -> Result<D, StoreError> {
        if self.has_exchanges || self.has_parts {
            self.detail.fetch(tx, self.id, self.has_exchanges, self.has_parts)?;
        }
        Ok(self.detail)
    }
}

impl Tx<'_> {
    /// What was written down before.
    pub fn detail_find(&mut self, id: DetailId) -> Result<Option<TransactionDetail>, StoreError> {
        let found = self.query_opt(
            concat!(
                "SELECT d.id, d.part_count, ",
                particulars_columns!("d"),
                ", d.additional_information, d.bank_transaction_code, d.proprietary_code
                 FROM detail d WHERE d.id = $1"
            ),
            params![id.0],
            |row| TransactionDetail::read(row, 0),
        )?;
        found.flatten().map(|detail| detail.fill(self)).transpose()
    }
}

/// An account's or a card's detail.
pub trait DetailRow: Sized {
    /// Reads the columns that begin at `at`; `None` when nothing is told.
    fn read(row: &Row<'_>, at: usize) -> Result<Option<PartialDetail<Self>>, StoreError>;

    fn fetch(
        &mut self,
        tx: &mut Tx<'_>,
        id: DetailId,
        exchanges: bool,
        parts: bool,
    ) -> Result<(), StoreError>;
}

impl DetailRow for TransactionDetail {
    fn read(row: &Row<'_>, at: usize) -> Result<Option<PartialDetail<Self>>, StoreError> {
        let Some(id) = row.opt_int(at)? else { return Ok(None) };
        let after = at + 2 + PARTICULARS_WIDTH;
        let detail = TransactionDetail {
            particulars: particulars(row, at + 2)?,
            additional_information: row.opt_text(after)?,
            bank_transaction_code: row.opt_text(after + 1)?,
            proprietary_code: row.opt_text(after + 2)?,
            batch: Vec::new(),
        };
        let (has_parts, has_exchanges) = (row.int(at + 1)? > 0, row.int(at + 2)? > 0);
        Ok(Some(PartialDetail { id: DetailId(id), has_parts, has_exchanges, detail }))
    }

    fn fetch(
        &mut self,
        tx: &mut Tx<'_>,
        id: DetailId,
        exchanges: bool,
        parts: bool,
    ) -> Result<(), StoreError> {
        if exchanges {
            self.particulars.exchanges = tx.detail_exchanges(id, 0)?;
        }
        if parts {
            self.batch = tx.detail_parts(id)?;
        }
        Ok(())
    }
}

impl DetailRow for CardTransactionDetail {
    fn read(row: &Row<'_>, at: usize) -> Result<Option<PartialDetail<Self>>, StoreError> {
        let Some(id) = row.opt_int(at)? else { return Ok(None) };
        let country = row.opt_text(at + 9)?;
        let address = |country| -> Result<AcceptorAddress, StoreError> {
            Ok(AcceptorAddress {
                street: row.opt_text(at + 5)?,
                building_number: row.opt_text(at + 6)?,
                city: row.opt_text(at + 7)?,
                postal_code: row.opt_text(at + 8)?,
                country,
            })
        };
        let money = |currency: usize| match row.opt_int(at + currency + 1)? {
            Some(_) => row.money(at + currency, at + currency + 1).map(Some),
            None => Ok(None),
        };
        let detail = CardTransactionDetail {
            transaction_day: row.day(at + 2)?,
            terminal_id: row.opt_text(at + 3)?,
            acceptor_id: row.opt_text(at + 4)?,
            acceptor_address: country.map(address).transpose()?,
            merchant_category_code: row.opt_text(at + 10)?,
            text: row.opt_text(at + 11)?,
            original_amount: money(12)?,
            markup_fee: money(14)?,
            markup_basis_points: row.opt_int(at + 16)?,
            invoiced: row.bool(at + 17)?,
            proprietary_code: row.opt_text(at + 18)?,
            exchanges: Vec::new(),
        };
        let has_exchanges = row.int(at + 1)? > 0;
        Ok(Some(PartialDetail { id: DetailId(id), has_parts: false, has_exchanges, detail }))
    }

    fn fetch(&mut self, tx: &mut Tx<'_>, id: DetailId, _: bool, _: bool) -> Result<(), StoreError> {
        self.exchanges = tx.detail_exchanges(id, 0)?;
        Ok(())
    }
}
