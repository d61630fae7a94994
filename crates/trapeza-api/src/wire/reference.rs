//! AccountReference (§2.1), in and out.

use super::fields::Fields;
use serde_json::{Value, json};
use trapeza_domain::reference::{AccountReference, ReferenceFields, StoredIdentifier, StoredReference};

/// The fields of a reference, unjudged.
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

/// A reference that stands alone in its field.
pub fn read(object: &Fields<'_>) -> Option<AccountReference> {
    let fields = fields(object);
    object.validate_at(|path, faults| AccountReference::parse(path, fields, faults))
}

/// As the bank keeps it: of a card number only the mask is left.
pub fn held(reference: &StoredReference) -> Value {
    let mut body = match &reference.identifier {
        StoredIdentifier::Iban(iban) => json!({ "iban": iban.as_str() }),
        StoredIdentifier::Bban(bban) => json!({ "bban": bban.as_str() }),
        StoredIdentifier::Pan(pan) => json!({ "maskedPan": pan.masked.as_str() }),
        StoredIdentifier::MaskedPan(masked) => json!({ "maskedPan": masked.as_str() }),
        StoredIdentifier::Msisdn(msisdn) => json!({ "msisdn": msisdn.as_str() }),
    };
    if let Some(currency) = reference.currency {
        body["currency"] = json!(currency.code());
    }
    body
}
