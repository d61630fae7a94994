//! Documentation of payments (§2.4, §4.2).

use super::NOW;
use super::authorisation::methods;
use super::content::{Doc, EMPTY, PLAIN, Payload, REPLAY, Shell, value};
use super::examples::{IBAN, PAYEE_IBAN};
use super::parameter::{
    CLIENT_ID, PAYER_ADDRESS, PAYMENT_CONSENT, PAYMENT_PATH, PAYMENT_PRODUCT, PAYMENT_SERVICE, PSU_ID,
};
use crate::wire::payment as wire;
use serde_json::{Value, json};
use trapeza_app::payment::CancellationResult;
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::payment::{CancellationStatus, Fees, NewPayment, Payment, PaymentProduct};
use trapeza_http::extract::json;

pub static INITIATE: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PSU_ID, &PAYER_ADDRESS, &PAYMENT_CONSENT],
    request: Some(Payload::json::<wire::PaymentRequest<'_>>("The payment order.", order)),
    response: Some(Payload::json::<wire::Initiated<'_>>(
        "The payment was accepted and must be authorised by the customer.",
        || value(&wire::initiated(&received_payment(), &methods(), "********78")),
    )),
    headers: &[&REPLAY],
    shell: Shell {
        captures: &[("PAYMENT_ID", ".paymentId")],
        bodies: Some(|| vec![cancellable_order()]),
        ..PLAIN
    },
    ..EMPTY
};

pub static GET: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH],
    response: Some(Payload::json::<wire::Details<'_>>("The payment.", || value(&wire::details(&paid())))),
    ..EMPTY
};

pub static STATUS: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH],
    response: Some(Payload::json::<wire::Status>("The status of the payment.", || {
        value(&wire::status(&paid()))
    })),
    ..EMPTY
};

pub static CANCEL: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH],
    response: Some(Payload::json::<wire::Cancelled<'_>>(
        "The payment was cancelled, or the customer must authorise the cancellation.",
        cancellation_example,
    )),
    headers: &[&REPLAY],
    ..EMPTY
};

fn order() -> Value {
    json!({
        "endToEndIdentification": "invoice-2026-114",
        "debtorAccount": { "iban": IBAN, "currency": "EUR" },
        "instructedAmount": { "currency": "EUR", "Amount": "123.50" },
        "creditorAccount": { "iban": PAYEE_IBAN },
        "creditorName": "Nikos Georgiou",
        "remittanceInformationUnstructured": "Rent of November",
    })
}

/// An order to another bank that the sandbox submits after an hour, so that it can be cancelled until then.
fn cancellable_order() -> Value {
    let mut order = order();
    order["creditorAccount"]["iban"] = json!("DE89370400440532013000");
    order["creditorName"] = json!("HOLD");
    order
}

/// What becomes of the example's order, by the bank's own rules.
fn received_payment() -> Payment {
    let text = order().to_string();
    let body = json::parse(text.as_bytes(), 8).expect("the example is JSON");
    let product = PaymentProduct::parse(PAYMENT_PRODUCT.example).expect("the example is a product");
    let terms = wire::order(product, &body)
        .expect("the example is an order")
        .instruction(&Fees::default(), |_| [0; 32]);
    let id = PaymentId::parse(PAYMENT_PATH.example).expect("the example is an id");
    let application = ApplicationId::parse(CLIENT_ID.example).expect("the example is an id");
    Payment::initiate(NewPayment { id, application, psu: PSU_ID.example.to_owned(), now: NOW }, terms).0
}

fn paid() -> Payment {
    let (checked, _) = received_payment().authorise(NOW).expect("a new payment can be authorised");
    checked.execute(NOW).expect("an authorised payment can be executed").0
}

fn cancellation_example() -> Value {
    let called = CancellationResult { status: CancellationStatus::Received, psu: PSU_ID.example.to_owned() };
    value(&wire::cancelled(&called, &methods(), &wire::path(&received_payment())))
}
