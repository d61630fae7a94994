//! Callbacks to merchants (§6), as OpenAPI webhooks. The examples are the bodies that the app builds.

use super::NOW;
use super::basket::basket;
use super::content::Payload;
use super::parameter::{Parameter, WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP};
use super::schema::Schema::{self, Enum, Formatted, Integer, Number, Text};
use super::schema::{Component, or_null, required};
use serde_json::Value;
use trapeza_app::callback::{CallbackEvent, render};
use trapeza_domain::basket::DeclineReason;
use trapeza_domain::callback::{CallbackEndpoint, CallbackKind};
use trapeza_domain::id::LoanId;

/// One kind of callback.
pub struct Webhook {
    pub id: &'static str,
    pub summary: &'static str,
    kind: CallbackKind,
    pub body: Payload,
}

pub const TAG: &str = "Pay Later";

pub static PARAMETERS: &[&Parameter] = &[&WEBHOOK_ID, &WEBHOOK_TIMESTAMP, &WEBHOOK_SIGNATURE];

/// The merchant's responses and their effect.
pub static ANSWERS: &[(&str, &str)] = &[
    ("2XX", "Delivered, if received within 15 seconds. The body is ignored."),
    ("410", "The callback is not retried."),
    (
        "default",
        "Any other status, including redirects, is a failure: the callback is attempted twelve times within three days.",
    ),
];

pub static WEBHOOKS: &[Webhook] = &[
    Webhook {
        id: "basketApproved",
        summary: "A basket was approved",
        kind: CallbackKind::Approved,
        body: Payload::json(
            "The loan was granted.",
            || Schema::Component(&CALLBACK),
            || example(CallbackKind::Approved),
        ),
    },
    Webhook {
        id: "basketDeclined",
        summary: "A basket was declined",
        kind: CallbackKind::Declined,
        body: Payload::json(
            "The reason.",
            || Schema::Component(&CALLBACK),
            || example(CallbackKind::Declined),
        ),
    },
    Webhook {
        id: "basketExpired",
        summary: "A basket expired",
        kind: CallbackKind::Expired,
        body: Payload::json(
            "The shopper did not decide in time.",
            || Schema::Component(&CALLBACK),
            || example(CallbackKind::Expired),
        ),
    },
];

impl Webhook {
    pub fn address(&self) -> &'static str {
        match self.kind.endpoint() {
            CallbackEndpoint::Success => "successCallbackUrl",
            CallbackEndpoint::Fail => "failCallbackUrl",
        }
    }

    pub fn description(&self) -> String {
        format!(
            "The bank calls the `{}` of the application that created the basket, at least once, signed according to Standard Webhooks.",
            self.address()
        )
    }
}

static CALLBACK: Component = Component {
    name: "Callback",
    description: "The outcome of a basket. The fields are the same for all outcomes.",
    schema: || {
        let kinds = &["basket.approved", "basket.declined", "basket.expired"];
        let data = vec![
            required("publicBasketId", Text, "The basket."),
            required("orderIdentifier", Text, "Your identifier of the order."),
            required("requestId", Text, "The idempotency key of the basket, as sent."),
            required("bnplRequestId", or_null(Formatted("uuid")), "The id of the loan, if there is one."),
            required("status", Enum(&["approved", "declined", "expired"]), "The outcome."),
            required("approvedLoanAmount", or_null(Number), "The approved amount."),
            required(
                "reason",
                or_null(Text),
                "Why no loan was granted: the credit rule, CUSTOMER_LEFT, EXPIRED, VOIDED or SANDBOX.",
            ),
            required("sequence", Integer, "Increases with the events of a basket, to order callbacks."),
        ];
        Schema::Object(vec![
            required("type", Enum(kinds), "The kind of event."),
            required("timestamp", Formatted("date-time"), "The time of the event."),
            required("data", Schema::Object(data), "The basket."),
        ])
    },
};

fn example(kind: CallbackKind) -> Value {
    let basket = basket();
    let loan = LoanId::parse("3d1e7a52-5b0c-4f0e-8a3e-2f6c9b7d4e10").expect("the example is an id");
    let news = CallbackEvent {
        kind,
        public_basket: basket.public.to_string(),
        order: basket.order.order_identifier,
        request: basket.request,
        loan: (kind != CallbackKind::Expired).then_some(loan),
        amount: (kind == CallbackKind::Approved).then_some(basket.order.value),
        reason: match kind {
            CallbackKind::Approved => None,
            CallbackKind::Declined => Some(DeclineReason::Exposure.name().to_owned()),
            CallbackKind::Expired => Some(DeclineReason::Expired.name().to_owned()),
        },
        sequence: 1,
    };
    serde_json::from_str(&render(&news, NOW)).expect("the app writes JSON")
}
