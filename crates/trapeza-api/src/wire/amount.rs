//! The Amount object (§2.1), whose field `Amount` has a capital A.

use super::fields::Fields;
use serde::{Serialize, Serializer};
use trapeza_domain::money::{Currency, Money};

/// A positive amount. `amount` is accepted for `Amount`, but not both: two programs might read different ones.
pub fn read(object: &Fields<'_>) -> Option<Money> {
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

/// An amount: `{"currency": "EUR", "Amount": "10.00"}`.
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
    use trapeza_domain::field::FieldPath;
    use trapeza_http::extract::json;

    fn errors(body: &str) -> Vec<FieldPath> {
        let body = json::parse(body.as_bytes(), 4).unwrap();
        let fields = Fields::of(&body).unwrap();
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
