//! The page of the sample shop.

use super::flow::{format_cents, order_identifier};
use super::{PATH, PRODUCTS, Shop, Walkthrough};
use crate::page::{Calls, respond, step_form};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_web::page_request::PageRequest;
use trapeza_web::site::{Block, Form, Input, Page, Table};

const TITLE: &str = "Sample shop";
const STEPS: [&str; 4] = ["Cart", "Checkout", "Order", "Refund"];
/// The telephone numbers that force an outcome, and the code.
const CHECKOUT_HINT: &str = "At the checkout enter the telephone number +306900000100 (approved) or +306900000101 (declined), and the code 123456.";

/// The page of a walkthrough, or the cart without one.
pub(super) fn show(shop: &Shop, request: &PageRequest, walkthrough: Option<&Walkthrough>) -> Response {
    let page = Page::new(TITLE);
    let Some(walkthrough) = walkthrough.filter(|walkthrough| !walkthrough.basket.is_empty()) else {
        let intro = "A shop lets its customers pay in installments: the bank pays the shop, and the customer repays the bank. \
                     Fill the cart and follow each request and its response.";
        let calls = walkthrough.map_or(&[][..], |walkthrough| &walkthrough.calls);
        let page = page.at_step(&STEPS, 0).with(Block::text(intro));
        // A shop that advertises installments must warn (Directive (EU) 2023/2225, Article 8).
        let page = page
            .with(Block::text("Caution! Borrowing money costs money."))
            .with(Block::form(cart(request, walkthrough)));
        let page = page.with_aside(&Calls { calls, callbacks: &[] });
        return respond(&page, request, StatusCode::OK);
    };
    let is_approved = walkthrough.loan_status == "approved";
    let step = match (is_approved, walkthrough.refunded_amount.is_empty(), walkthrough.loan_status.as_str()) {
        (true, false, _) => 3,
        (true, true, _) | (_, _, "rejected") => 2,
        _ => 1,
    };
    let mut page = page.at_step(&STEPS, step).with_all(order(walkthrough));
    page = match walkthrough.loan_status.as_str() {
        "approved" => page.with_all(loan(request, walkthrough)),
        "rejected" => page,
        _ => page.with_all(checkout(request, walkthrough)),
    };
    page =
        page.with(Block::action(form(request, walkthrough, "new", "Start a new walkthrough").class("plain")));
    let callbacks = shop.callbacks.of_basket(&walkthrough.basket);
    let page = page.with_aside(&Calls { calls: &walkthrough.calls, callbacks: &callbacks });
    respond(&page, request, StatusCode::OK)
}

fn cart(request: &PageRequest, walkthrough: Option<&Walkthrough>) -> Form {
    let quantities = walkthrough.map_or([1, 0, 1], |walkthrough| walkthrough.quantities);
    let options: Vec<_> = (0..=3).map(|number| (number.to_string(), number.to_string())).collect();
    let mut form = step_form(request, PATH, "start", "Pay in installments");
    for ((field, name, price), quantity) in PRODUCTS.into_iter().zip(quantities) {
        let label = format!("{name}, {} EUR", format_cents(price));
        form = form.field(Input::choice(field, &label, options.clone()).value(&quantity.to_string()));
    }
    form.errors(walkthrough.map_or(&[], |walkthrough| &walkthrough.errors))
}

/// What has become of the order, and what was ordered.
fn order(walkthrough: &Walkthrough) -> Vec<Block> {
    let mut blocks = Vec::new();
    match (walkthrough.loan_status.as_str(), walkthrough.is_back_from_checkout) {
        ("approved", _) => {
            blocks.push(Block::Good(format!(
                "The bank has approved the loan of {} EUR and pays the shop.",
                walkthrough.approved_amount
            )));
        }
        ("rejected", _) => {
            blocks.push(Block::Bad("The bank has not financed the order: it was declined, cancelled or has expired. There is nothing to pay.".to_owned()));
        }
        ("pending", true) => blocks.push(Block::text("The bank has not decided yet.")),
        _ => {}
    }
    let mut facts = vec![
        ("Order", order_identifier(walkthrough)),
        ("Total", format!("{} EUR", format_cents(walkthrough.total_cents()))),
    ];
    if !walkthrough.loan_status.is_empty() {
        facts.push(("Loan", walkthrough.loan_status.clone()));
    }
    if !walkthrough.refunded_amount.is_empty() {
        facts.push(("Refunded", format!("{} EUR", walkthrough.refunded_amount)));
    }
    blocks.push(Block::facts(facts));
    blocks
}

fn checkout(request: &PageRequest, walkthrough: &Walkthrough) -> Vec<Block> {
    vec![
        Block::text(CHECKOUT_HINT),
        Block::button(&walkthrough.checkout_url, "Continue at the bank's checkout"),
        Block::action(form(request, walkthrough, "check", "Check the status").class("plain")),
    ]
}

fn loan(request: &PageRequest, walkthrough: &Walkthrough) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !walkthrough.installments.is_empty() {
        blocks.push(Block::heading("Installments"));
        let rows = walkthrough.installments.clone();
        blocks.push(Block::Table(Table::of_text("Installments", ["Due", "Amount in EUR"], rows, "")));
    }
    if walkthrough.refunded_amount == walkthrough.approved_amount {
        blocks.push(Block::Good("The whole order is refunded.".to_owned()));
        return blocks;
    }
    let amount = Input::text("amount", "Amount to refund in EUR").value("20.00");
    let refund =
        form(request, walkthrough, "refund", "Refund this amount").field(amount).errors(&walkthrough.errors);
    blocks.push(Block::heading("Refund"));
    blocks.push(Block::form(refund));
    blocks.push(Block::action(
        form(request, walkthrough, "void", "Refund everything that is left").class("no"),
    ));
    blocks.push(Block::action(form(request, walkthrough, "check", "Check the status").class("plain")));
    blocks
}

fn form(request: &PageRequest, walkthrough: &Walkthrough, step: &'static str, button: &str) -> Form {
    step_form(request, PATH, step, button).field(Input::hidden("walkthrough", &walkthrough.id))
}
