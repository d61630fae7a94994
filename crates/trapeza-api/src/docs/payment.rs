//! Documentation of payments (§2.4, §4.2).

use super::NOW;
use super::account::AMOUNT;
use super::authorisation::methods;
use super::content::value;
use super::content::{Doc, EMPTY, Payload, REPLAY};
use super::envelope::{ACCOUNT_REFERENCE, SCA_METHOD, with_envelope};
use super::parameter::{
    CLIENT_ID, PAYER_ADDRESS, PAYMENT_CONSENT, PAYMENT_PATH, PAYMENT_PRODUCT, PAYMENT_SERVICE, PSU_ID,
};
use super::payment_authorisation::CANCELLATION_METHOD;
use super::schema::Schema::{self, Boolean, Enum, EnumIndex, Formatted, Text};
use super::schema::{Component, Field, list, optional, required};
use crate::wire::payment as wire;
use serde_json::{Value, json};
use trapeza_app::payment::CancellationResult;
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::payment::{CancellationStatus, Fees, NewPayment, Payment, PaymentProduct};
use trapeza_http::extract::json;

pub static INITIATE: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PSU_ID, &PAYER_ADDRESS, &PAYMENT_CONSENT],
    request: Some(Payload::json("The payment order.", || Schema::Component(&ORDER), order)),
    answer: Some(Payload::json(
        "The payment was accepted and must be authorised by the customer.",
        || Schema::Component(&INITIATED),
        || value(&wire::initiated(&asked(), &methods(), "********78")),
    )),
    headers: &[&REPLAY],
    ..EMPTY
};

pub static FETCH: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH],
    answer: Some(Payload::json(
        "The payment.",
        || Schema::Component(&PAYMENT),
        || value(&wire::details(&paid())),
    )),
    ..EMPTY
};

pub static STATUS: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH],
    answer: Some(Payload::json(
        "The status of the payment.",
        || Schema::Component(&STANDING),
        || value(&wire::status(&paid())),
    )),
    ..EMPTY
};

pub static CANCEL: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH],
    answer: Some(Payload::json(
        "The payment was cancelled, or the customer must authorise the cancellation.",
        || Schema::Component(&CANCELLATION),
        cancellation_example,
    )),
    headers: &[&REPLAY],
    ..EMPTY
};

const WORDS: &[&str] = &[
    "ACCC", "ACCP", "ACSC", "ACSP", "ACTC", "ACWC", "ACWP", "RCVD", "PDNG", "RJCT", "CANC", "ACFC", "PATC",
    "PART",
];
const NUMBERED: &[&str] = &[
    "not known",
    "received",
    "accepted for execution",
    "rejected",
    "successful",
    "failed",
    "cancelled",
    "expired",
];

static ADDRESS: Component = Component {
    name: "CreditorAddress",
    description: "The address of the payee; each part has at most 70 characters.",
    schema: || {
        Schema::Object(vec![
            optional("buildingNumber", Text, "The building number."),
            optional("city", Text, "The city."),
            optional("country", Text, "The country."),
            optional("postalCode", Text, "The postal code."),
            optional("street", Text, "The street."),
        ])
    },
};

static ORDER: Component = Component {
    name: "PaymentRequest",
    description: "A third party orders a payment from a customer's account.",
    schema: || Schema::Object(terms()),
};

static INITIATED: Component = Component {
    name: "PaymentInitiated",
    description: "A payment that waits for its customer. Nothing is known yet about funds or owners.",
    schema: || {
        with_envelope(vec![
            required("transactionStatus", Enum(WORDS), "The status of the payment."),
            required("paymentId", Formatted("uuid"), "The payment's id."),
            required("transactionFees", Schema::Component(&AMOUNT), "The fee of the bank."),
            required("transactionFeeIndicator", Boolean, "Whether there is a fee."),
            required("scaMethods", list(Schema::Component(&SCA_METHOD)), "The customer's SCA methods."),
            required("psuMessage", Text, "A message for the customer."),
            required("paymentService", Enum(&["payments"]), "The payment service."),
            required("paymentProduct", Enum(PRODUCTS), "The payment product."),
            required(
                "customerPhone",
                Text,
                "The customer's phone number, masked but for its last two digits.",
            ),
        ])
    },
};

const PRODUCTS: &[&str] = &["internal-transfers", "sepa-credit-transfers"];

static PAYMENT: Component = Component {
    name: "Payment",
    description: "A payment as it was ordered, and where it stands.",
    schema: || {
        let mut fields = terms();
        fields.push(required("transactionStatus", Enum(WORDS), "The status of the payment."));
        with_envelope(fields)
    },
};

static STANDING: Component = Component {
    name: "PaymentStanding",
    description: "The status of a payment.",
    schema: || {
        with_envelope(vec![
            required("transactionStatus", EnumIndex(NUMBERED), ""),
            optional(
                "fundsAvailable",
                Boolean,
                "Whether the funds were available, once the customer has authorised the payment.",
            ),
        ])
    },
};

static CANCELLATION: Component = Component {
    name: "PaymentCancellation",
    description: "The result of a cancellation.",
    schema: || {
        with_envelope(vec![
            required(
                "transactionStatus",
                Enum(&["RECEIVED", "CANCELLED"]),
                "CANCELLED: done. RECEIVED: the customer has to agree, and the payment is kept back for 15 minutes.",
            ),
            optional(
                "scaMethods",
                list(Schema::Component(&CANCELLATION_METHOD)),
                "The customer's SCA methods.",
            ),
        ])
    },
};

/// What a payment says, ordered and fetched alike.
fn terms() -> Vec<Field> {
    vec![
        optional("endToEndIdentification", Text, "The payer's reference, at most 35 characters."),
        required("debtorAccount", Schema::Component(&ACCOUNT_REFERENCE), "The payer's account."),
        required(
            "instructedAmount",
            Schema::Component(&AMOUNT),
            "The amount, greater than zero, with at most the decimals of the currency.",
        ),
        required(
            "creditorAccount",
            Schema::Component(&ACCOUNT_REFERENCE),
            "The payee's account, by its IBAN.",
        ),
        optional("creditorAgent", Text, "The BIC of the payee's bank."),
        optional("creditorAgentName", Text, "The name of the payee's bank."),
        required("creditorName", Text, "The payee's name, at most 70 characters."),
        optional("creditorAddress", Schema::Component(&ADDRESS), "The address of the payee."),
        optional(
            "remittanceInformationUnstructured",
            Text,
            "Remittance information for the payee, at most 140 characters.",
        ),
    ]
}

fn order() -> Value {
    json!({
        "endToEndIdentification": "invoice-2026-114",
        "debtorAccount": { "iban": "GR1601101250000000012300695", "currency": "EUR" },
        "instructedAmount": { "currency": "EUR", "Amount": "123.50" },
        "creditorAccount": { "iban": "DE89370400440532013000" },
        "creditorName": "Nikos Georgiou",
        "remittanceInformationUnstructured": "Rent of November",
    })
}

/// What becomes of the example's order, by the bank's own rules.
fn asked() -> Payment {
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
    let (checked, _) = asked().authorise(NOW).expect("a new payment can be authorised");
    checked.execute(NOW).expect("an authorised payment can be executed").0
}

fn cancellation_example() -> Value {
    let called = CancellationResult { status: CancellationStatus::Received, psu: PSU_ID.example.to_owned() };
    value(&wire::cancelled(&called, &methods(), &wire::path(&asked())))
}
