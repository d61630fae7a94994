//! Documentation of refunds and voided baskets (our additions to §4.5).

use super::basket::basket;
use super::content::{Doc, EMPTY, Payload, REPLAY, value};
use super::parameter::{API_VERSION, BASKET_ID, REQUEST_ID};
use crate::wire::refund as wire;
use serde_json::{Value, json};
use trapeza_app::loan::{RefundView, Voided};
use trapeza_domain::id::{LoanId, RefundId};
use trapeza_domain::loan::Refund;

pub static REFUND: Doc = Doc {
    parameters: &[&API_VERSION],
    request: Some(Payload::json::<wire::RefundBody<'_>>("The refund.", || order(true))),
    response: Some(Payload::json::<wire::Refunded<'_>>(
        "The refund was made: the customer's debt is reduced, and overpaid installments are returned.",
        || value(&wire::refunded(&view())),
    )),
    headers: &[&REPLAY],
    ..EMPTY
};

pub static VOID: Doc = Doc {
    parameters: &[&API_VERSION],
    request: Some(Payload::json::<wire::VoidBody<'_>>("The basket.", || order(false))),
    response: Some(Payload::json::<wire::VoidedOut<'_>>(
        "The basket is voided. One that was not decided is declined, and its fail callback follows; of an approved \
         one what is left of its loan is refunded.",
        || value(&wire::voided(&Voided::Refunded(view()), REQUEST_ID.example)),
    )),
    headers: &[&REPLAY],
    ..EMPTY
};

fn order(refund: bool) -> Value {
    let mut order = json!({ "basketId": BASKET_ID.example, "requestId": REQUEST_ID.example });
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
        request: REQUEST_ID.example.to_owned(),
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
