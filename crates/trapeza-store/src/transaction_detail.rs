//! What is told about a transfer or a hold, written once beside the books and read with a statement.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::{Param, Row};
use std::borrow::Cow;
use trapeza_domain::card::CardTransactionDetail;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::reference::{AccountReference, Bban, Iban, Identifier, MaskedPan, Msisdn};
use trapeza_domain::transaction::{
    BatchEntry, CurrencyExchange, Party, TransactionDetail, TransactionFields,
};

/// The number of a detail. A hold hands its own on to the transfers that capture it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DetailId(pub i64);

/// The columns of [`TransactionFields`] in the order [`particulars`] reads them.
macro_rules! particulars_columns {
    ($table:literal) => {
        concat!(
            $table,
            ".exchange_count, ",
            $table,
            ".end_to_end_id, ",
            $table,
            ".mandate_id, ",
            $table,
            ".check_id, ",
            $table,
            ".creditor_id, ",
            $table,
            ".creditor_name, ",
            $table,
            ".creditor_account_kind, ",
            $table,
            ".creditor_account, ",
            $table,
            ".creditor_currency, ",
            $table,
            ".ultimate_creditor, ",
            $table,
            ".debtor_name, ",
            $table,
            ".debtor_account_kind, ",
            $table,
            ".debtor_account, ",
            $table,
            ".debtor_currency, ",
            $table,
            ".ultimate_debtor, ",
            $table,
            ".remittance_unstructured, ",
            $table,
            ".remittance_structured, ",
            $table,
            ".purpose"
        )
    };
}
pub(crate) use particulars_columns;

/// How many columns that is.
pub(crate) const PARTICULARS_WIDTH: usize = 18;

impl Tx<'_> {
    pub fn detail_insert(&mut self, detail: &TransactionDetail) -> Result<DetailId, StoreError> {
        let own = particulars_params(&detail.particulars);
        let parts = i64::try_from(detail.batch.len()).map_err(StoreError::internal)?;
        let mut values = vec![Param::Int(parts)];
        values.extend(own.params());
        values.push(detail.additional_information.as_ref().into());
        values.push(detail.bank_transaction_code.as_ref().into());
        values.push(detail.proprietary_code.as_ref().into());
        let id = self.query_one(
            "INSERT INTO detail (part_count, exchange_count, end_to_end_id, mandate_id, check_id, creditor_id,
                creditor_name, creditor_account_kind, creditor_account, creditor_currency, ultimate_creditor,
                debtor_name, debtor_account_kind, debtor_account, debtor_currency, ultimate_debtor,
                remittance_unstructured, remittance_structured, purpose,
                additional_information, bank_transaction_code, proprietary_code)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                $20, $21, $22) RETURNING id",
            &values,
            |row| Ok(DetailId(row.int(0)?)),
        )?;
        self.detail_exchanges_insert(id, 0, &detail.particulars.exchanges)?;
        for (number, part) in (1i64..).zip(&detail.batch) {
            self.detail_part_insert(id, number, part)?;
        }
        Ok(id)
    }

    pub fn card_detail_insert(&mut self, detail: &CardTransactionDetail) -> Result<DetailId, StoreError> {
        let exchanges = i64::try_from(detail.exchanges.len()).map_err(StoreError::internal)?;
        let id = self.query_one(
            "INSERT INTO detail (part_count, exchange_count) VALUES (0, $1) RETURNING id",
            params![exchanges],
            |row| Ok(DetailId(row.int(0)?)),
        )?;
        let address = detail.acceptor_address.as_ref();
        self.execute(
            "INSERT INTO card_detail (detail, transaction_day, terminal_id, acceptor_id, acceptor_street,
                acceptor_building_number, acceptor_city, acceptor_postal_code, acceptor_country,
                merchant_category_code, text, original_currency, original_minor, markup_currency, markup_minor,
                markup_basis_points, invoiced, proprietary_code)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
            params![
                id.0,
                detail.transaction_day.0,
                detail.terminal_id.as_ref(),
                detail.acceptor_id.as_ref(),
                address.and_then(|address| address.street.as_ref()),
                address.and_then(|address| address.building_number.as_ref()),
                address.and_then(|address| address.city.as_ref()),
                address.and_then(|address| address.postal_code.as_ref()),
                address.map(|address| &address.country),
                detail.merchant_category_code.as_ref(),
                detail.text.as_ref(),
                detail.original_amount.map(|money| money.currency.code()),
                detail.original_amount.map(|money| money.minor),
                detail.markup_fee.map(|money| money.currency.code()),
                detail.markup_fee.map(|money| money.minor),
                detail.markup_basis_points,
                detail.invoiced,
                detail.proprietary_code.as_ref()
            ],
        )?;
        self.detail_exchanges_insert(id, 0, &detail.exchanges)?;
        Ok(id)
    }

    /// The parts of a batch, in their order.
    pub fn detail_parts(&mut self, id: DetailId) -> Result<Vec<BatchEntry>, StoreError> {
        let found = self.query(
            concat!(
                "SELECT p.part, p.currency, p.amount_minor, ",
                particulars_columns!("p"),
                " FROM detail_part p WHERE p.detail = $1 ORDER BY p.part"
            ),
            params![id.0],
            |row| {
                let part = BatchEntry { amount: row.money(1, 2)?, particulars: particulars(row, 3)? };
                Ok((row.int(0)?, row.int(3)?, part))
            },
        )?;
        let mut parts = Vec::with_capacity(found.len());
        for (number, exchanges, mut part) in found {
            if exchanges > 0 {
                part.particulars.exchanges = self.detail_exchanges(id, number)?;
            }
            parts.push(part);
        }
        Ok(parts)
    }

    /// The exchanges of the whole (part 0) or of one part.
    pub fn detail_exchanges(&mut self, id: DetailId, part: i64) -> Result<Vec<CurrencyExchange>, StoreError> {
        self.query(
            "SELECT source, target, unit, rate, quotation_day, contract FROM detail_exchange
             WHERE detail = $1 AND part = $2 ORDER BY place",
            params![id.0, part],
            |row| {
                Ok(CurrencyExchange {
                    source: row.currency(0)?,
                    target: row.currency(1)?,
                    unit: row.currency(2)?,
                    rate: row.text(3)?,
                    quotation_day: row.day(4)?,
                    contract: row.opt_text(5)?,
                })
            },
        )
    }

    fn detail_part_insert(&mut self, id: DetailId, number: i64, part: &BatchEntry) -> Result<(), StoreError> {
        let own = particulars_params(&part.particulars);
        let mut values = vec![Param::Int(id.0), Param::Int(number)];
        values.push(part.amount.currency.code().into());
        values.push(part.amount.minor.into());
        values.extend(own.params());
        self.execute(
            "INSERT INTO detail_part (detail, part, currency, amount_minor, exchange_count, end_to_end_id,
                mandate_id, check_id, creditor_id,
                creditor_name, creditor_account_kind, creditor_account, creditor_currency, ultimate_creditor,
                debtor_name, debtor_account_kind, debtor_account, debtor_currency, ultimate_debtor,
                remittance_unstructured, remittance_structured, purpose)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                $20, $21, $22)",
            &values,
        )?;
        self.detail_exchanges_insert(id, number, &part.particulars.exchanges)
    }

    fn detail_exchanges_insert(
        &mut self,
        id: DetailId,
        part: i64,
        exchanges: &[CurrencyExchange],
    ) -> Result<(), StoreError> {
        for (place, exchange) in (0i64..).zip(exchanges) {
            self.execute(
                "INSERT INTO detail_exchange (detail, part, place, source, target, unit, rate, quotation_day, contract)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                params![
                    id.0,
                    part,
                    place,
                    exchange.source.code(),
                    exchange.target.code(),
                    exchange.unit.code(),
                    &exchange.rate,
                    exchange.quotation_day.0,
                    exchange.contract.as_ref()
                ],
            )?;
        }
        Ok(())
    }
}

/// TransactionFields on their way into a row; holds the texts that had to be made for it.
struct ParticularsParams<'a> {
    of: &'a TransactionFields,
    creditor: Option<(&'static str, Cow<'a, str>)>,
    debtor: Option<(&'static str, Cow<'a, str>)>,
}

fn particulars_params(of: &TransactionFields) -> ParticularsParams<'_> {
    ParticularsParams { of, creditor: party_account(&of.creditor), debtor: party_account(&of.debtor) }
}

fn party_account(party: &Party) -> Option<(&'static str, Cow<'_, str>)> {
    party.account.as_ref().map(|account| identifier_text(&account.identifier))
}

impl ParticularsParams<'_> {
    fn params(&self) -> [Param<'_>; PARTICULARS_WIDTH] {
        let TransactionFields { creditor, debtor, .. } = self.of;
        let currency = |party: &Party| {
            let account = party.account.as_ref();
            account.and_then(|account| account.currency).map(|currency| currency.code()).into()
        };
        // More exchanges than an i64 counts cannot be held in memory either.
        let exchanges = i64::try_from(self.of.exchanges.len()).unwrap_or(i64::MAX);
        [
            exchanges.into(),
            self.of.end_to_end_id.as_ref().into(),
            self.of.mandate_id.as_ref().into(),
            self.of.check_id.as_ref().into(),
            self.of.creditor_id.as_ref().into(),
            creditor.name.as_ref().into(),
            self.creditor.as_ref().map(|(kind, _)| *kind).into(),
            self.creditor.as_ref().map(|(_, text)| &**text).into(),
            currency(creditor),
            creditor.ultimate.as_ref().into(),
            debtor.name.as_ref().into(),
            self.debtor.as_ref().map(|(kind, _)| *kind).into(),
            self.debtor.as_ref().map(|(_, text)| &**text).into(),
            currency(debtor),
            debtor.ultimate.as_ref().into(),
            self.of.remittance_unstructured.as_ref().into(),
            self.of.remittance_structured.as_ref().into(),
            self.of.purpose.map(PurposeCode::index).into(),
        ]
    }
}

/// A whole card number is never written: it becomes its mask.
pub(crate) fn identifier_text(identifier: &Identifier) -> (&'static str, Cow<'_, str>) {
    match identifier {
        Identifier::Iban(iban) => ("iban", Cow::Borrowed(iban.as_str())),
        Identifier::Bban(bban) => ("bban", Cow::Borrowed(bban.as_str())),
        Identifier::Pan(pan) => ("masked_pan", Cow::Owned(pan.masked().as_str().to_owned())),
        Identifier::MaskedPan(pan) => ("masked_pan", Cow::Borrowed(pan.as_str())),
        Identifier::Msisdn(msisdn) => ("msisdn", Cow::Borrowed(msisdn.as_str())),
    }
}

/// Reads [`particulars_columns`] that begin at `at`; exchanges are fetched apart where the first of them says so.
pub(crate) fn particulars(row: &Row<'_>, at: usize) -> Result<TransactionFields, StoreError> {
    let purpose = row.opt_int(at + 17)?;
    Ok(TransactionFields {
        end_to_end_id: row.opt_text(at + 1)?,
        mandate_id: row.opt_text(at + 2)?,
        check_id: row.opt_text(at + 3)?,
        creditor_id: row.opt_text(at + 4)?,
        creditor: party(row, at + 5)?,
        debtor: party(row, at + 10)?,
        remittance_unstructured: row.opt_text(at + 15)?,
        remittance_structured: row.opt_text(at + 16)?,
        purpose: purpose.and_then(PurposeCode::from_index),
        exchanges: Vec::new(),
    })
}

fn party(row: &Row<'_>, at: usize) -> Result<Party, StoreError> {
    let account = match row.opt_str(at + 1)? {
        Some(kind) => Some(reference(row, at, kind)?),
        None => None,
    };
    Ok(Party { name: row.opt_text(at)?, account, ultimate: row.opt_text(at + 4)? })
}

fn reference(row: &Row<'_>, at: usize, kind: &str) -> Result<AccountReference, StoreError> {
    let text = row.str(at + 2)?;
    let identifier = match kind {
        "iban" => Iban::parse(text).map(Identifier::Iban),
        "bban" => Bban::parse(text).map(Identifier::Bban),
        "masked_pan" => MaskedPan::parse(text).map(Identifier::MaskedPan),
        "msisdn" => Msisdn::parse(text).map(Identifier::Msisdn),
        _ => Err("an account reference of an unknown kind"),
    };
    let currency = match row.opt_str(at + 3)? {
        Some(_) => Some(row.currency(at + 3)?),
        None => None,
    };
    Ok(AccountReference { identifier: identifier.map_err(StoreError::internal)?, currency })
}
