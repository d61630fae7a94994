//! A stored account reference in four columns: kind, value, keyed hash of a card number, currency.

use crate::error::StoreError;
use crate::value::RowReader;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::{
    Bban, Iban, MaskedPan, Msisdn, StoredIdentifier, StoredPan, StoredReference,
};

pub(crate) struct Columns<'a> {
    pub kind: &'static str,
    pub value: &'a str,
    pub pan_hash: Option<&'a [u8; 32]>,
    pub currency: Option<Currency>,
}

pub(crate) fn columns(reference: &StoredReference) -> Columns<'_> {
    let (kind, value, pan_hash) = match &reference.identifier {
        StoredIdentifier::Iban(iban) => ("iban", iban.as_str(), None),
        StoredIdentifier::Bban(bban) => ("bban", bban.as_str(), None),
        StoredIdentifier::Pan(pan) => ("pan", pan.masked.as_str(), Some(&pan.hash)),
        StoredIdentifier::MaskedPan(masked) => ("maskedPan", masked.as_str(), None),
        StoredIdentifier::Msisdn(msisdn) => ("msisdn", msisdn.as_str(), None),
    };
    Columns { kind, value, pan_hash, currency: reference.currency }
}

pub(crate) fn read(row: &mut RowReader<'_>) -> Result<StoredReference, StoreError> {
    let (kind, value): (&str, &str) = (row.read()?, row.read()?);
    let hash: Option<[u8; 32]> = row.read()?;
    let identifier = match (kind, hash) {
        ("iban", _) => Iban::parse_stored(value).map(StoredIdentifier::Iban),
        ("bban", _) => Bban::parse(value).map(StoredIdentifier::Bban),
        ("pan", Some(hash)) => {
            MaskedPan::parse(value).map(|masked| StoredIdentifier::Pan(StoredPan { hash, masked }))
        }
        ("maskedPan", _) => MaskedPan::parse(value).map(StoredIdentifier::MaskedPan),
        ("msisdn", _) => Msisdn::parse(value).map(StoredIdentifier::Msisdn),
        _ => Err("unknown kind of account reference"),
    };
    Ok(StoredReference { identifier: identifier.map_err(StoreError::internal)?, currency: row.read()? })
}
