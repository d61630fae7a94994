//! Account references (§2.1).

use super::fields::Fields;
use serde::Serialize;
use trapeza_domain::reference::{AccountReference, ReferenceFields, StoredIdentifier, StoredReference};

/// The fields of a reference, not yet validated.
pub fn fields<'a>(object: &Fields<'a>) -> ReferenceFields<'a> {
    ReferenceFields {
        iban: object.opt_text("iban"),
        bban: object.opt_text("bban"),
        pan: object.opt_text("pan"),
        masked_pan: object.opt_text("maskedPan"),
        msisdn: object.opt_text("msisdn"),
        currency: object.opt_text("currency"),
    }
}

/// A reference that is the only value of its field.
pub fn read(object: &Fields<'_>) -> Option<AccountReference> {
    let fields = fields(object);
    object.validate(|errors| AccountReference::parse(fields, errors))
}

/// A stored reference. Card numbers are masked.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Reference<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    iban: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bban: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    masked_pan: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    msisdn: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'static str>,
}

impl<'a> Reference<'a> {
    pub fn of(reference: &'a StoredReference) -> Self {
        let currency = reference.currency.map(|currency| currency.code());
        let empty = Self { currency, ..Self::default() };
        match &reference.identifier {
            StoredIdentifier::Iban(iban) => Self { iban: Some(iban.as_str()), ..empty },
            StoredIdentifier::Bban(bban) => Self { bban: Some(bban.as_str()), ..empty },
            StoredIdentifier::Pan(pan) => Self { masked_pan: Some(pan.masked.as_str()), ..empty },
            StoredIdentifier::MaskedPan(masked) => Self { masked_pan: Some(masked.as_str()), ..empty },
            StoredIdentifier::Msisdn(msisdn) => Self { msisdn: Some(msisdn.as_str()), ..empty },
        }
    }
}
