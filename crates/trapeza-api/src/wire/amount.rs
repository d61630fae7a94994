//! The Amount object (§2.1), with its capital A.

use super::fields::Fields;
use serde::{Serialize, Serializer};
use trapeza_domain::money::{Currency, Money};

/// An amount above zero. `amount` is taken for `Amount`, but not beside it: two readers might take different ones.
pub fn read(object: &Fields<'_>) -> Option<Money> {
    if object.has("amount") && object.has("Amount") {
        object.fault("amount", "stands beside Amount; send one of them");
    }
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
        amount.serialize_field("Amount", &self.0.to_decimal_string())?;
        amount.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_http::extract::json;

    fn faults(body: &str) -> Vec<String> {
        let body = json::parse(body.as_bytes(), 4).unwrap();
        let fields = Fields::of(&body).unwrap();
        read(&fields);
        let refused = fields.finish().err();
        refused.into_iter().flat_map(|refusal| refusal.errors).map(|fault| fault.path).collect()
    }

    #[test]
    fn either_spelling_is_taken_but_not_both() {
        assert_eq!(faults(r#"{"currency": "EUR", "Amount": "1.00"}"#), Vec::<String>::new());
        assert_eq!(faults(r#"{"currency": "EUR", "amount": "1.00"}"#), Vec::<String>::new());
        assert_eq!(faults(r#"{"currency": "EUR", "Amount": "1.00", "amount": "2.00"}"#), ["amount"]);
    }
}
