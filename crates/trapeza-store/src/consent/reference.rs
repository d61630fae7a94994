//! An account's name in four columns: its kind, what is kept of it, the hash of a card number, the currency.

use crate::error::StoreError;
use crate::value::Row;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::{
    Bban, Iban, MaskedPan, Msisdn, StoredIdentifier, StoredPan, StoredReference,
};

pub(crate) struct Columns<'a> {
    pub kind: &'static str,
    pub value: &'a str,
    pub pan_hash: Option<&'a [u8; 32]>,
    pub currency: Option<&'static str>,
}

pub(crate) fn columns(reference: &StoredReference) -> Columns<'_> {
    let (kind, value, pan_hash) = match &reference.identifier {
        StoredIdentifier::Iban(iban) => ("iban", iban.as_str(), None),
        StoredIdentifier::Bban(bban) => ("bban", bban.as_str(), None),
        StoredIdentifier::Pan(pan) => ("pan", pan.masked.as_str(), Some(&pan.hash)),
        StoredIdentifier::MaskedPan(masked) => ("maskedPan", masked.as_str(), None),
        StoredIdentifier::Msisdn(msisdn) => ("msisdn", msisdn.as_str(), None),
    };
    Columns { kind, value, pan_hash, currency: reference.currency.map(Currency::code) }
}

/// Reads the four columns that begin at `first`.
pub(crate) fn read(row: &Row<'_>, first: usize) -> Result<StoredReference, StoreError> {
    let value = row.text(first + 1)?;
    let identifier = match row.text(first)?.as_str() {
        "iban" => StoredIdentifier::Iban(Iban::parse(&value).map_err(StoreError::internal)?),
        "bban" => StoredIdentifier::Bban(Bban::parse(&value).map_err(StoreError::internal)?),
        "pan" => StoredIdentifier::Pan(StoredPan { hash: row.array(first + 2)?, masked: masked(&value)? }),
        "maskedPan" => StoredIdentifier::MaskedPan(masked(&value)?),
        "msisdn" => StoredIdentifier::Msisdn(Msisdn::parse(&value).map_err(StoreError::internal)?),
        _ => return Err(StoreError::internal("the kind of an account reference is unknown")),
    };
    let currency = row.opt_text(first + 3)?;
    let currency = currency.map(|code| Currency::parse(&code)).transpose().map_err(StoreError::internal)?;
    Ok(StoredReference { identifier, currency })
}

pub(crate) fn masked(value: &str) -> Result<MaskedPan, StoreError> {
    MaskedPan::parse(value).map_err(StoreError::internal)
}
