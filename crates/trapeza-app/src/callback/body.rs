//! The JSON body of a callback. It is rendered once, with its cause, and sent unchanged in every attempt, whatever a
//! later version would render.

use crate::format_timestamp;
use serde_json::{Number, Value, json};
use trapeza_domain::callback::CallbackEvent;
use trapeza_domain::money::Money;
use trapeza_domain::time::Timestamp;

pub fn render(event: &CallbackEvent, now: Timestamp) -> String {
    json!({
        "type": format!("basket.{}", event.kind.name()),
        "timestamp": format_timestamp(now),
        "data": {
            "publicBasketId": event.public_basket,
            "orderIdentifier": event.order,
            "requestId": event.request,
            "bnplRequestId": event.loan.map(|loan| loan.to_string()),
            "status": event.kind.name(),
            "approvedLoanAmount": event.amount.map(number),
            "reason": event.reason,
            "sequence": event.sequence,
        },
    })
    .to_string()
}

/// The shortest decimal form, without a float in between: 49.9, 50.
fn number(money: Money) -> Value {
    let text = money.to_decimal_string();
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.parse::<Number>().map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::callback::CallbackKind;
    use trapeza_domain::id::LoanId;
    use trapeza_domain::money::Currency;
    use uuid::Uuid;

    #[test]
    fn body_has_the_same_fields_for_every_event() {
        let event = CallbackEvent {
            kind: CallbackKind::Approved,
            public_basket: "b-1".to_owned(),
            order: "order \"7\"".to_owned(),
            request: Uuid::from_u128(1).to_string(),
            loan: Some(LoanId::new(Uuid::from_u128(2))),
            amount: Some(Money::new(4990, Currency::EUR)),
            reason: None,
            sequence: 1,
        };
        assert_eq!(
            render(&event, Timestamp(1_700_000_000_000_000)),
            r#"{"type":"basket.approved","timestamp":"2023-11-14T22:13:20Z","data":{"publicBasketId":"b-1","orderIdentifier":"order \"7\"","requestId":"00000000-0000-0000-0000-000000000001","bnplRequestId":"00000000-0000-0000-0000-000000000002","status":"approved","approvedLoanAmount":49.9,"reason":null,"sequence":1}}"#
        );
        let declined = CallbackEvent {
            kind: CallbackKind::Declined,
            loan: None,
            amount: None,
            reason: Some("EXPOSURE".to_owned()),
            ..event
        };
        let body: Value = serde_json::from_str(&render(&declined, Timestamp(0))).unwrap();
        assert_eq!(body["data"]["approvedLoanAmount"], Value::Null);
        assert_eq!(body["data"]["reason"], "EXPOSURE");
        assert_eq!(body["type"], "basket.declined");
    }

    #[test]
    fn amounts_have_the_shortest_decimal_form() {
        for (minor, currency, text) in [
            (4990, Currency::EUR, "49.9"),
            (5000, Currency::EUR, "50"),
            (5, Currency::EUR, "0.05"),
            (100, Currency::JPY, "100"),
        ] {
            assert_eq!(number(Money::new(minor, currency)).to_string(), text);
        }
    }
}
