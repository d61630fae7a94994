//! The Amount object (§2.1), with its capital A.

use super::body::Fields;
use serde::{Serialize, Serializer};
use trapeza_domain::money::{Currency, Money};

/// An amount above zero. `amount` is taken for `Amount`, but not beside it.
pub fn read(object: &Fields<'_>) -> Option<Money> {
    let name = if object.has("amount") && !object.has("Amount") { "amount" } else { "Amount" };
    let currency = object.text("currency").and_then(|text| object.parsed("currency", Currency::parse(text)));
    let text = object.text(name);
    let money = object.parsed(name, Money::parse(text?, currency?))?;
    if money.is_positive() {
        return Some(money);
    }
    object.fault(name, "has to be more than zero");
    None
}

/// Money on the wire: `{"currency": "EUR", "Amount": "10.00"}`.
#[derive(Clone, Copy)]
pub struct Amount(pub Money);

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut amount = serializer.serialize_struct("Amount", 2)?;
        amount.serialize_field("currency", self.0.currency.code())?;
        amount.serialize_field("Amount", &self.0.decimal())?;
        amount.end()
    }
}
