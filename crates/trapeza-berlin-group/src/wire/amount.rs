//! Amounts.

use super::request::FromField;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_domain::money::{Currency, Money};
use trapeza_http::extract::fields::Fields;
use trapeza_xml::Element;

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

/// An amount of ISO 20022, which has no sign.
pub fn unsigned(name: &str, money: Money) -> Element {
    let text = money.to_decimal_string();
    let digits = text.strip_prefix('-').unwrap_or(&text);
    Element::leaf(name, digits).with_attribute("Ccy", money.currency.code())
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
