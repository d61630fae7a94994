//! Transaction details: names, references and texts of a transfer or a hold.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::{DetailId, Param, RowReader};
use std::borrow::Cow;
use trapeza_domain::card::CardTransactionDetail;
use trapeza_domain::money::Currency;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::reference::{AccountReference, Bban, Iban, Identifier, MaskedPan, Msisdn};
use trapeza_domain::transaction::{
    BatchEntry, CurrencyExchange, Party, TransactionDetail, TransactionFields,
};

/// The columns that [`fields`] reads and [`FieldParams::params`] writes.
macro_rules! field_columns {
    () => {
        "exchange_count, end_to_end_id, mandate_id, check_id, creditor_id,
         creditor_name, creditor_account_kind, creditor_account, creditor_currency, ultimate_creditor,
         debtor_name, debtor_account_kind, debtor_account, debtor_currency, ultimate_debtor,
         remittance_unstructured, remittance_structured, purpose_code"
    };
}
pub(crate) use field_columns;

const FIELD_COLUMNS: usize = 18;

impl Tx<'_> {
    pub fn detail_insert(&mut self, detail: &TransactionDetail) -> Result<DetailId, StoreError> {
        let fields = FieldParams::new(&detail.particulars);
        let mut values =
            vec![Param::Integer(i64::try_from(detail.batch.len()).map_err(StoreError::internal)?)];
        values.extend(fields.params());
        values.push(detail.additional_information.as_ref().into());
        values.push(detail.bank_transaction_code.as_ref().into());
        values.push(detail.proprietary_code.as_ref().into());
        let id = self.query_one(
            concat!(
                "INSERT INTO transaction_detail (part_count, ",
                field_columns!(),
                ", additional_information, bank_transaction_code, proprietary_code)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                    $20, $21, $22) RETURNING id"
            ),
            &values,
            |row| row.read(),
        )?;
        self.detail_exchanges_insert(id, 0, &detail.particulars.exchanges)?;
        for (number, part) in (1i64..).zip(&detail.batch) {
            self.detail_part_insert(id, number, part)?;
        }
        Ok(id)
    }

    pub fn card_detail_insert(&mut self, detail: &CardTransactionDetail) -> Result<DetailId, StoreError> {
        let exchanges = i64::try_from(detail.exchanges.len()).map_err(StoreError::internal)?;
        let id: DetailId = self.query_one(
            "INSERT INTO transaction_detail (part_count, exchange_count) VALUES (0, $1) RETURNING id",
            params![exchanges],
            |row| row.read(),
        )?;
        let address = detail.acceptor_address.as_ref();
        self.execute(
            "INSERT INTO card_transaction_detail (detail, transaction_date, terminal_id, acceptor_id, acceptor_street,
                acceptor_building_number, acceptor_city, acceptor_postal_code, acceptor_country,
                merchant_category_code, text, original_currency, original_minor, markup_currency, markup_minor,
                markup_basis_points, invoiced, proprietary_code)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
            params![
                id,
                detail.transaction_day,
                detail.terminal_id.as_ref(),
                detail.acceptor_id.as_ref(),
                address.and_then(|address| address.street.as_ref()),
                address.and_then(|address| address.building_number.as_ref()),
                address.and_then(|address| address.city.as_ref()),
                address.and_then(|address| address.postal_code.as_ref()),
                address.map(|address| &address.country),
                detail.merchant_category_code.as_ref(),
                detail.text.as_ref(),
                detail.original_amount.map(|money| money.currency),
                detail.original_amount.map(|money| money.minor),
                detail.markup_fee.map(|money| money.currency),
                detail.markup_fee.map(|money| money.minor),
                detail.markup_basis_points,
                detail.invoiced,
                detail.proprietary_code.as_ref()
            ],
        )?;
        self.detail_exchanges_insert(id, 0, &detail.exchanges)?;
        Ok(id)
    }

    /// The parts of a batch entry, in their order.
    pub(crate) fn detail_parts(&mut self, id: DetailId) -> Result<Vec<BatchEntry>, StoreError> {
        let found = self.query(
            concat!(
                "SELECT part, currency, amount_minor, ",
                field_columns!(),
                " FROM transaction_detail_part WHERE detail = $1 ORDER BY part"
            ),
            params![id],
            |row| {
                let (number, amount) = (row.read()?, row.money()?);
                let (exchange_count, particulars) = fields(row)?;
                Ok((number, exchange_count, BatchEntry { amount, particulars }))
            },
        )?;
        let mut parts = Vec::with_capacity(found.len());
        for (number, exchange_count, mut part) in found {
            if exchange_count > 0 {
                part.particulars.exchanges = self.detail_exchanges(id, number)?;
            }
            parts.push(part);
        }
        Ok(parts)
    }

    /// The currency exchanges of the whole transaction (part 0) or of one part.
    pub(crate) fn detail_exchanges(
        &mut self,
        id: DetailId,
        part: i64,
    ) -> Result<Vec<CurrencyExchange>, StoreError> {
        self.query(
            "SELECT source_currency, target_currency, unit_currency, rate, quotation_date, contract
             FROM transaction_detail_exchange WHERE detail = $1 AND part = $2 ORDER BY position",
            params![id, part],
            |row| {
                Ok(CurrencyExchange {
                    source: row.read()?,
                    target: row.read()?,
                    unit: row.read()?,
                    rate: row.read()?,
                    quotation_day: row.read()?,
                    contract: row.read()?,
                })
            },
        )
    }

    fn detail_part_insert(&mut self, id: DetailId, number: i64, part: &BatchEntry) -> Result<(), StoreError> {
        let fields = FieldParams::new(&part.particulars);
        let mut values =
            vec![id.into(), number.into(), part.amount.currency.into(), part.amount.minor.into()];
        values.extend(fields.params());
        self.execute(
            concat!(
                "INSERT INTO transaction_detail_part (detail, part, currency, amount_minor, ",
                field_columns!(),
                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                    $20, $21, $22)"
            ),
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
        for (position, exchange) in (0i64..).zip(exchanges) {
            self.execute(
                "INSERT INTO transaction_detail_exchange (detail, part, position, source_currency, target_currency,
                    unit_currency, rate, quotation_date, contract)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                params![
                    id,
                    part,
                    position,
                    exchange.source,
                    exchange.target,
                    exchange.unit,
                    &exchange.rate,
                    exchange.quotation_day,
                    exchange.contract.as_ref()
                ],
            )?;
        }
        Ok(())
    }
}

/// The parameters of [`field_columns`]; owns the texts that are derived from the fields.
struct FieldParams<'a> {
    fields: &'a TransactionFields,
    creditor: Option<(&'static str, Cow<'a, str>)>,
    debtor: Option<(&'static str, Cow<'a, str>)>,
}

impl<'a> FieldParams<'a> {
    fn new(fields: &'a TransactionFields) -> Self {
        let account =
            |party: &'a Party| party.account.as_ref().map(|account| identifier_text(&account.identifier));
        Self { fields, creditor: account(&fields.creditor), debtor: account(&fields.debtor) }
    }

    fn params(&self) -> [Param<'_>; FIELD_COLUMNS] {
        let TransactionFields { creditor, debtor, .. } = self.fields;
        let currency = |party: &Party| party.account.as_ref().and_then(|account| account.currency).into();
        let exchange_count = i64::try_from(self.fields.exchanges.len()).unwrap_or(i64::MAX);
        [
            exchange_count.into(),
            self.fields.end_to_end_id.as_ref().into(),
            self.fields.mandate_id.as_ref().into(),
            self.fields.check_id.as_ref().into(),
            self.fields.creditor_id.as_ref().into(),
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
            self.fields.remittance_unstructured.as_ref().into(),
            self.fields.remittance_structured.as_ref().into(),
            self.fields.purpose.map(PurposeCode::name).into(),
        ]
    }
}

/// The kind and the text of an identifier. A full card number is never stored: it is masked.
pub(crate) fn identifier_text(identifier: &Identifier) -> (&'static str, Cow<'_, str>) {
    match identifier {
        Identifier::Iban(iban) => ("iban", Cow::Borrowed(iban.as_str())),
        Identifier::Bban(bban) => ("bban", Cow::Borrowed(bban.as_str())),
        Identifier::Pan(pan) => ("masked_pan", Cow::Owned(pan.masked().as_str().to_owned())),
        Identifier::MaskedPan(pan) => ("masked_pan", Cow::Borrowed(pan.as_str())),
        Identifier::Msisdn(msisdn) => ("msisdn", Cow::Borrowed(msisdn.as_str())),
    }
}

/// Reads [`field_columns`]: the number of exchanges, which are in a table of their own, and the fields without them.
pub(crate) fn fields(row: &mut RowReader<'_>) -> Result<(i64, TransactionFields), StoreError> {
    let exchange_count = row.read()?;
    let fields = TransactionFields {
        end_to_end_id: row.read()?,
        mandate_id: row.read()?,
        check_id: row.read()?,
        creditor_id: row.read()?,
        creditor: party(row)?,
        debtor: party(row)?,
        remittance_unstructured: row.read()?,
        remittance_structured: row.read()?,
        purpose: row.parse_opt(PurposeCode::parse)?,
        exchanges: Vec::new(),
    };
    Ok((exchange_count, fields))
}

fn party(row: &mut RowReader<'_>) -> Result<Party, StoreError> {
    Ok(Party { name: row.read()?, account: account(row)?, ultimate: row.read()? })
}

fn account(row: &mut RowReader<'_>) -> Result<Option<AccountReference>, StoreError> {
    let (kind, text): (Option<&str>, Option<&str>) = (row.read()?, row.read()?);
    let currency: Option<Currency> = row.read()?;
    let Some((kind, text)) = kind.zip(text) else { return Ok(None) };
    let identifier = match kind {
        "iban" => Iban::parse_stored(text).map(Identifier::Iban),
        "bban" => Bban::parse(text).map(Identifier::Bban),
        "masked_pan" => MaskedPan::parse(text).map(Identifier::MaskedPan),
        "msisdn" => Msisdn::parse(text).map(Identifier::Msisdn),
        _ => Err("unknown kind of account reference"),
    };
    Ok(Some(AccountReference { identifier: identifier.map_err(StoreError::internal)?, currency }))
}
