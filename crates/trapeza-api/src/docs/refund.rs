//! Documentation of refunds and voided baskets (our additions to §4.5).

use super::basket::basket;
use super::content::value;
use super::content::{Doc, EMPTY, Payload, REPLAY};
use super::parameter::{API_VERSION, BASKET_ID};
use super::schema::Schema::{self, Enum, Formatted, Number, Text};
use super::schema::{Component, Field, list, optional, required};
use crate::wire::refund as wire;
use serde_json::{Value, json};
use trapeza_app::loan::{RefundView, Voided};
use trapeza_domain::id::{LoanId, RefundId};
use trapeza_domain::loan::Refund;

pub static REFUND: Doc = Doc {
    parameters: &[&API_VERSION],
    request: Some(Payload::json("The refund.", || Schema::Component(&REFUND_ORDER), || order(true))),
    answer: Some(Payload::json(
        "The refund was made: the customer's debt is reduced, and overpaid installments are returned.",
        || Schema::Component(&REFUNDED),
        || value(&wire::refunded(&view())),
    )),
    headers: &[&REPLAY],
    ..EMPTY
};

pub static VOID: Doc = Doc {
    parameters: &[&API_VERSION],
    request: Some(Payload::json("The basket.", || Schema::Component(&VOID_ORDER), || order(false))),
    answer: Some(Payload::json(
        "The basket is taken back. One that was not decided is declined, and its fail callback follows; of an approved \
         one what is left of its loan is refunded.",
        || Schema::Component(&VOIDED),
        || value(&wire::voided(&Voided::Refunded(view()), REQUEST)),
    )),
    headers: &[&REPLAY],
    ..EMPTY
};

const REQUEST: &str = "b7c0d0de-5a3f-4f5e-9a57-5d8f0c1c2f11";

fn named() -> Vec<Field> {
    vec![
        required("basketId", Text, "The basket's publicBasketId."),
        required(
            "requestId",
            Formatted("uuid"),
            "Your idempotency key. A repeated request gets the first response.",
        ),
    ]
}

static REFUND_ORDER: Component = Component {
    name: "RefundOrder",
    description: "A refund of a loan.",
    schema: || {
        let mut fields = named();
        fields.extend([
            required("amount", Number, "The amount, at most what is not yet refunded."),
            optional("reason", Text, "The reason, for the bank's staff; at most 255 characters."),
        ]);
        Schema::Object(fields)
    },
};

static VOID_ORDER: Component = Component {
    name: "VoidOrder",
    description: "A request to void a basket.",
    schema: || Schema::Object(named()),
};

fn sums(field: fn(&'static str, Schema, &'static str) -> Field) -> Vec<Field> {
    vec![
        field("refundId", Formatted("uuid"), "The refund's id."),
        field("bnplRequestId", Formatted("uuid"), "The loan's id."),
        field("amount", Number, "The amount of this refund."),
        field("refundedAmount", Number, "The total of all refunds of the loan."),
        field("refundableAmount", Number, "The amount that can still be refunded."),
    ]
}

fn common_fields() -> Vec<Field> {
    let mut fields = named();
    fields.extend([
        required("orderIdentifier", Text, "Your identifier of the order."),
        required("message", Text, "A description of the result."),
        required("errors", list(Schema::AnyObject), "Empty."),
    ]);
    fields
}

static REFUNDED: Component = Component {
    name: "LoanRefunded",
    description: "A refund.",
    schema: || Schema::Object(common_fields().into_iter().chain(sums(required)).collect()),
};

static VOIDED: Component = Component {
    name: "BasketVoided",
    description: "A voided basket; the amounts are present if its loan was refunded.",
    schema: || {
        let status = required("status", Enum(&["declined", "refunded"]), "The outcome.");
        Schema::Object(common_fields().into_iter().chain([status]).chain(sums(optional)).collect())
    },
};

fn order(refund: bool) -> Value {
    let mut order = json!({ "basketId": BASKET_ID.example, "requestId": REQUEST });
    if refund {
        order["amount"] = json!(20.3);
        order["reason"] = json!("one book came back");
    }
    order
}

fn view() -> RefundView {
    RefundView {
        id: RefundId::parse("0f4a3c1e-7d92-4b64-9c0b-1a2d3e4f5061").expect("the example is an id"),
        loan: LoanId::parse("3d1e7a52-5b0c-4f0e-8a3e-2f6c9b7d4e10").expect("the example is an id"),
        request: REQUEST.to_owned(),
        refund: Refund {
            amount_minor: 2_030,
            discount_minor: 50,
            relieved_minor: 2_030,
            returned_minor: 0,
            total_minor: 2_030,
        },
        basket: basket(),
    }
}
