//! What the bank calls at a merchant (§6), documented as OpenAPI's webhooks. The examples are the bodies that the app writes; how
//! they are signed and sent is the courier's.

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

/// One kind of call.
pub struct Webhook {
    pub id: &'static str,
    pub summary: &'static str,
    kind: CallbackKind,
    pub body: Payload,
}

pub const TAG: &str = "Pay Later";

pub static PARAMETERS: &[&Parameter] = &[&WEBHOOK_ID, &WEBHOOK_TIMESTAMP, &WEBHOOK_SIGNATURE];

/// What a merchant answers, and what the bank makes of it.
pub static ANSWERS: &[(&str, &str)] = &[
    ("2XX", "Delivered, if it comes within 15 seconds. A body is not read."),
    ("410", "This callback is not tried again."),
    (
        "default",
        "Anything else, a redirect too, is a failure: it is tried again, twelve times in some three days.",
    ),
];

pub static WEBHOOKS: &[Webhook] = &[
    Webhook {
        id: "basketApproved",
        summary: "A basket was bought",
        kind: CallbackKind::Approved,
        body: Payload::json(
            "The loan is granted.",
            || Schema::Component(&CALLBACK),
            || example(CallbackKind::Approved),
        ),
    },
    Webhook {
        id: "basketDeclined",
        summary: "A basket was not bought",
        kind: CallbackKind::Declined,
        body: Payload::json(
            "Why, in a word.",
            || Schema::Component(&CALLBACK),
            || example(CallbackKind::Declined),
        ),
    },
    Webhook {
        id: "basketExpired",
        summary: "A basket has run out",
        kind: CallbackKind::Expired,
        body: Payload::json(
            "Nobody decided in time.",
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
            "The bank calls the `{}` of the application that made the basket, at least once, signed as Standard Webhooks \
             has it.",
            self.address()
        )
    }
}

static CALLBACK: Component = Component {
    name: "Callback",
    description: "What became of a basket. The fields are the same whatever happened.",
    schema: || {
        let kinds = &["basket.approved", "basket.declined", "basket.expired"];
        let data = vec![
            required("publicBasketId", Text, "The basket."),
            required("orderIdentifier", Text, "Your own name of the order."),
            required("requestId", Text, "What you made the basket with, as you sent it."),
            required("bnplRequestId", or_null(Formatted("uuid")), "The loan, where one was asked for."),
            required("status", Enum(&["approved", "declined", "expired"]), "What became of it."),
            required("approvedLoanAmount", or_null(Number), "What is lent, if it was approved."),
            required(
                "reason",
                or_null(Text),
                "Why nothing was lent: the rule, CUSTOMER_LEFT, EXPIRED, VOIDED or SANDBOX.",
            ),
            required("sequence", Integer, "Grows with the events of a basket, for what arrives out of turn."),
        ];
        Schema::Object(vec![
            required("type", Enum(kinds), "What happened."),
            required("timestamp", Formatted("date-time"), "When it happened."),
            required("data", Schema::Object(data), "About which basket."),
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
