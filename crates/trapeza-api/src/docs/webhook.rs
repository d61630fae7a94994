//! Callbacks to merchants (§6), as OpenAPI webhooks. The examples are the bodies that the app builds.

use super::NOW;
use super::basket::basket;
use super::content::{Payload, value};
use super::parameter::{Parameter, WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP};
use serde_json::Value;
use trapeza_app::callback::{CallbackBody, CallbackEvent, event_name};
use trapeza_domain::basket::DeclineReason;
use trapeza_domain::callback::{CallbackEndpoint, CallbackKind};
use trapeza_domain::id::LoanId;

/// One kind of callback.
pub struct Webhook {
    pub id: &'static str,
    pub summary: &'static str,
    /// How `trapeza trigger` makes it happen in a sandbox.
    pub trigger: &'static str,
    pub kind: CallbackKind,
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
        trigger: "Creates a basket and approves it.",
        kind: CallbackKind::Approved,
        body: Payload::json::<CallbackBody<'_>>("The loan was granted.", || example(CallbackKind::Approved)),
    },
    Webhook {
        id: "basketDeclined",
        summary: "A basket was declined",
        trigger: "Creates a basket and declines it.",
        kind: CallbackKind::Declined,
        body: Payload::json::<CallbackBody<'_>>("The reason.", || example(CallbackKind::Declined)),
    },
    Webhook {
        id: "basketExpired",
        summary: "A basket expired",
        trigger: "Creates a basket and advances the clock of the sandbox by 31 minutes.",
        kind: CallbackKind::Expired,
        body: Payload::json::<CallbackBody<'_>>("The shopper did not decide in time.", || {
            example(CallbackKind::Expired)
        }),
    },
];

impl Webhook {
    /// The `type` in the body, by which `trapeza trigger` calls it.
    pub fn event(&self) -> String {
        event_name(self.kind)
    }

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

pub(super) fn example(kind: CallbackKind) -> Value {
    let basket = basket();
    let loan = LoanId::parse("3d1e7a52-5b0c-4f0e-8a3e-2f6c9b7d4e10").expect("the example is an id");
    let event = CallbackEvent {
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
        address: None,
        sequence: 1,
    };
    value(&CallbackBody::of(&event, NOW))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_in_the_table_of_the_documentation() {
        let page = include_str!("../../../../docs/api.md");
        for webhook in WEBHOOKS {
            let row = format!("| `{}` | {} |\n", webhook.event(), webhook.trigger);
            assert!(page.contains(&row), "{row}");
        }
    }
}
