//! How callers refer to an account: IBAN, BBAN, card number, telephone number. Each type is valid by construction and
//! masked in logs.

mod creditor;
mod iban;
mod local;
mod pan;
mod stored;

pub use creditor::CreditorReference;
pub use iban::{Bic, Iban};
pub use local::{Bban, Msisdn};
pub use pan::{MaskedPan, Pan};
pub use stored::{StoredIdentifier, StoredPan, StoredReference};

use crate::field::{Field, FieldPath};
use crate::money::Currency;
use crate::refusal::FieldErrors;

/// The identifier of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identifier {
    Iban(Iban),
    Bban(Bban),
    Pan(Pan),
    MaskedPan(MaskedPan),
    Msisdn(Msisdn),
}

/// A reference to an account (§2.1): exactly one identifier, and a currency where several accounts share an IBAN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountReference {
    pub identifier: Identifier,
    pub currency: Option<Currency>,
}

/// The fields of an AccountReference as the caller sent them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceFields<'a> {
    pub iban: Option<&'a str>,
    pub bban: Option<&'a str>,
    pub pan: Option<&'a str>,
    pub masked_pan: Option<&'a str>,
    pub msisdn: Option<&'a str>,
    pub currency: Option<&'a str>,
}

impl AccountReference {
    pub const fn iban(iban: Iban, currency: Option<Currency>) -> Self {
        Self { identifier: Identifier::Iban(iban), currency }
    }

    /// Parses the fields; the paths of its errors are relative to the reference.
    pub fn parse(fields: ReferenceFields<'_>, errors: &mut FieldErrors) -> Option<Self> {
        let given = [fields.iban, fields.bban, fields.pan, fields.masked_pan, fields.msisdn];
        let count = given.iter().flatten().count();
        if count != 1 {
            errors.add(
                FieldPath::REQUEST,
                "exactly one of iban, bban, pan, maskedPan and msisdn must be given",
            );
        }
        let identifier = if let Some(text) = fields.iban {
            errors.collect(Field::Iban, Iban::parse(text)).map(Identifier::Iban)
        } else if let Some(text) = fields.bban {
            errors.collect(Field::Bban, Bban::parse(text)).map(Identifier::Bban)
        } else if let Some(text) = fields.pan {
            errors.collect(Field::Pan, Pan::parse(text)).map(Identifier::Pan)
        } else if let Some(text) = fields.masked_pan {
            errors.collect(Field::MaskedPan, MaskedPan::parse(text)).map(Identifier::MaskedPan)
        } else {
            fields
                .msisdn
                .and_then(|text| errors.collect(Field::Msisdn, Msisdn::parse(text)).map(Identifier::Msisdn))
        };
        let currency = match fields.currency {
            Some(text) => Some(errors.collect(Field::Currency, Currency::parse(text))?),
            None => None,
        };
        identifier.filter(|_| count == 1).map(|identifier| Self { identifier, currency })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IBAN: &str = "GR1601101250000000012300695";

    fn parse(fields: ReferenceFields<'_>) -> Result<AccountReference, Vec<FieldPath>> {
        let mut errors = FieldErrors::default();
        let reference = AccountReference::parse(fields, &mut errors);
        match errors.finish() {
            Ok(()) => Ok(reference.expect("no errors, so a value")),
            Err(refusal) => {
                assert!(reference.is_none(), "errors leave no value");
                Err(refusal.errors.into_iter().map(|error| error.path).collect())
            }
        }
    }

    #[test]
    fn parse_requires_exactly_one_identifier() {
        let iban = ReferenceFields { iban: Some(IBAN), currency: Some("EUR"), ..Default::default() };
        let expected = AccountReference::iban(Iban::parse(IBAN).unwrap(), Some(Currency::EUR));
        assert_eq!(parse(iban), Ok(expected));
        assert_eq!(parse(ReferenceFields::default()), Err(vec![FieldPath::REQUEST]));
        let two = ReferenceFields { iban: Some(IBAN), msisdn: Some("+306912345678"), ..Default::default() };
        assert_eq!(parse(two), Err(vec![FieldPath::REQUEST]));
    }

    #[test]
    fn parse_reports_every_error_with_its_path() {
        let bad = ReferenceFields { iban: Some("GR00"), currency: Some("euro"), ..Default::default() };
        assert_eq!(parse(bad), Err(vec![Field::Iban.into(), Field::Currency.into()]));
    }
}
