//! The JSON body of a callback. It is rendered once, with its cause, and sent unchanged in every attempt, whatever a
//! later version would render.

use crate::format_timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use trapeza_domain::callback::{CallbackEvent, CallbackKind, CallbackTopic};
use trapeza_domain::money::Money;
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// The outcome of a basket. The fields are the same for all outcomes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Callback")]
pub struct CallbackBody<'a> {
    /// The kind of event.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["basket.approved", "basket.declined", "basket.expired"]))]
    kind: String,
    /// The time of the event.
    #[schemars(extend("format" = "date-time"))]
    timestamp: String,
    /// The basket.
    data: BasketOutcome<'a>,
}

/// The basket and its outcome.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct BasketOutcome<'a> {
    /// The basket.
    public_basket_id: &'a str,
    /// Your identifier of the order.
    order_identifier: &'a str,
    /// The idempotency key of the basket, as sent.
    request_id: &'a str,
    /// The id of the loan, if there is one.
    bnpl_request_id: Option<Uuid>,
    /// The outcome.
    #[schemars(extend("enum" = ["approved", "declined", "expired"]))]
    status: &'static str,
    /// The approved amount.
    approved_loan_amount: Option<Number>,
    /// Why no loan was granted: the credit rule, CUSTOMER_LEFT, EXPIRED, VOIDED or SANDBOX.
    reason: Option<&'a str>,
    /// Increases with the events of a basket, to order callbacks.
    sequence: i64,
}

impl<'a> CallbackBody<'a> {
    pub fn of(event: &'a CallbackEvent, now: Timestamp) -> Self {
        Self {
            kind: event_name(event.kind),
            timestamp: format_timestamp(now),
            data: BasketOutcome {
                public_basket_id: &event.public_basket,
                order_identifier: &event.order,
                request_id: &event.request,
                bnpl_request_id: event.loan.map(|loan| loan.uuid()),
                status: event.kind.name(),
                approved_loan_amount: event.amount.and_then(number),
                reason: event.reason.as_deref(),
                sequence: event.sequence,
            },
        }
    }
}

/// The `type` of an event.
pub fn event_name(kind: CallbackKind) -> String {
    format!("basket.{}", kind.name())
}

/// What a callback reports, by the name of the event.
pub fn topic_name(topic: CallbackTopic) -> String {
    match topic {
        CallbackTopic::Basket(kind) => event_name(kind),
        CallbackTopic::Status => topic.name().to_owned(),
    }
}

pub fn render(event: &CallbackEvent, now: Timestamp) -> String {
    serde_json::to_string(&CallbackBody::of(event, now)).expect("texts and numbers serialize without errors")
}

/// The shortest decimal form, without a float in between: 49.9, 50.
fn number(money: Money) -> Option<Number> {
    let text = money.to_decimal_string();
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use trapeza_domain::id::LoanId;
    use trapeza_domain::money::Currency;

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
            address: None,
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
            assert_eq!(number(Money::new(minor, currency)).unwrap().to_string(), text);
        }
    }
}
