//! The Amount object (§2.1), whose field `Amount` has a capital A.

use super::request::FromField;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::borrow::Cow;
use trapeza_domain::money::{Currency, Money};
use trapeza_http::extract::fields::Fields;

/// An amount. Note the capital A.
#[derive(Serialize, JsonSchema)]
pub struct Amount {
    /// ISO 4217.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: &'static str,
    /// A decimal with a point and all its digits; negative for debits.
    #[serde(rename = "Amount")]
    #[schemars(regex(pattern = r"^-?[0-9]+(\.[0-9]+)?$"))]
    amount: String,
}

impl From<Money> for Amount {
    fn from(money: Money) -> Self {
        Self { currency: money.currency.code(), amount: money.to_decimal_string() }
    }
}

/// A positive amount of a request. `amount` is accepted for `Amount`, but not both: two programs might read different ones.
pub struct PositiveAmount(pub Money);

impl<'a> FromField<'a> for PositiveAmount {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_object(name).and_then(|object| read(&object)).map(Self)
    }
}

fn read(object: &Fields<'_>) -> Option<Money> {
    if object.has("amount") && object.has("Amount") {
        object.error("amount", "must not be sent together with Amount");
    }
    let name = if object.has("amount") && !object.has("Amount") { "amount" } else { "Amount" };
    let currency = object.text("currency").and_then(|text| object.parsed("currency", Currency::parse(text)));
    let text = object.text(name);
    let money = object.parsed(name, Money::parse(text?, currency?))?;
    if money.is_positive() {
        return Some(money);
    }
    object.error(name, "must be greater than zero");
    None
}

impl JsonSchema for PositiveAmount {
    fn schema_name() -> Cow<'static, str> {
        "PositiveAmount".into()
    }

    /// As an [`Amount`] of a response, but greater than zero.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Amount::json_schema(generator);
        schema.insert("description".into(), "An amount greater than zero. Note the capital A.".into());
        if let Some(amount) =
            schema.pointer_mut("/properties/Amount").and_then(|amount| amount.as_object_mut())
        {
            let text = "A decimal with a point and at most the digits of the currency.";
            amount.insert("description".into(), text.into());
            amount.insert("pattern".into(), r"^[0-9]+(\.[0-9]+)?$".into());
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::field_name::spell;
    use trapeza_domain::field::FieldPath;
    use trapeza_http::extract::json;

    fn errors(body: &str) -> Vec<FieldPath> {
        let body = json::parse(body.as_bytes(), 4).unwrap();
        let fields = Fields::of(&body, spell).unwrap();
        read(&fields);
        let refused = fields.finish().err();
        refused.into_iter().flat_map(|refusal| refusal.errors).map(|error| error.path).collect()
    }

    #[test]
    fn either_spelling_is_accepted_but_not_both() {
        assert_eq!(errors(r#"{"currency": "EUR", "Amount": "1.00"}"#), Vec::new());
        assert_eq!(errors(r#"{"currency": "EUR", "amount": "1.00"}"#), Vec::new());
        assert_eq!(
            errors(r#"{"currency": "EUR", "Amount": "1.00", "amount": "2.00"}"#),
            [FieldPath::spelled("amount")]
        );
    }
}
