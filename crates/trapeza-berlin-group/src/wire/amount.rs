//! Amounts.

use super::request::FromField;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_domain::money::{Currency, Money};
use trapeza_http::extract::fields::Fields;

/// An amount.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Amount {
    /// ISO 4217.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: &'static str,
    /// A decimal with a point; negative for debits.
    #[schemars(regex(pattern = r"^-?[0-9]{1,14}(\.[0-9]{1,3})?$"))]
    amount: String,
}

impl From<Money> for Amount {
    fn from(money: Money) -> Self {
        Self { currency: money.currency.code(), amount: money.to_decimal_string() }
    }
}

/// A positive amount of a request.
#[derive(JsonSchema)]
#[schemars(inline, with = "Amount")]
pub struct PositiveAmount(pub Money);

impl<'a> FromField<'a> for PositiveAmount {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        let object = fields.opt_object(name)?;
        let currency =
            object.text("currency").and_then(|text| object.parsed("currency", Currency::parse(text)));
        let text = object.text("amount");
        let money = object.parsed("amount", Money::parse(text?, currency?))?;
        if money.is_positive() {
            return Some(Self(money));
        }
        object.error("amount", "must be greater than zero");
        None
    }
}
