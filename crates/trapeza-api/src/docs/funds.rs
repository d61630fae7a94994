//! Documentation of funds consents and confirmations (§2.3, §4.1).

use super::NOW;
use super::account::AMOUNT;
use super::authorisation::{SCA_STATUS, methods};
use super::consent::{CONSENT_STATUS, CREATED};
use super::content::value;
use super::content::{Doc, EMPTY, LOCATION, Payload, REPLAY};
use super::envelope::{ACCOUNT_REFERENCE, LINKS, TPP_MESSAGE, with_envelope};
use super::parameter::{CLIENT_ID, CONSENT_ID, CONSENT_PATH, PSU_ID};
use super::schema::Schema::{self, Formatted, Text};
use super::schema::{Component, Field, list, optional, required};
use crate::wire::funds as wire;
use serde_json::{Value, json};
use trapeza_app::parse_date;
use trapeza_domain::authorisation::ScaStatus;
use trapeza_domain::consent::{Calendar, ConsentStatus, FundsConsent, NewConsent};
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_http::extract::json;

pub static CREATE: Doc = Doc {
    parameters: &[&PSU_ID],
    request: Some(Payload::json("The requested consent.", || Schema::Component(&ORDER), order)),
    answer: Some(Payload::json(
        "The consent was created and must be authorised by the customer.",
        || Schema::Component(&CREATED),
        || value(&wire::created(&asked(), &methods())),
    )),
    headers: &[&LOCATION, &REPLAY],
    ..EMPTY
};

pub static CONFIRM: Doc = Doc {
    parameters: &[&CONSENT_ID],
    request: Some(Payload::json(
        "The account and the amount.",
        || Schema::Component(&QUESTION),
        || {
            json!({
                "account": { "iban": "GR1601101250000000012300695", "currency": "EUR" },
                "instructedAmount": { "currency": "EUR", "Amount": "49.90" },
            })
        },
    )),
    answer: Some(Payload::json(
        "Whether the funds are available.",
        || Schema::Component(&CONFIRMATION),
        || value(&wire::confirmation(true)),
    )),
    headers: &[&REPLAY],
    ..EMPTY
};

static QUESTION: Component = Component {
    name: "FundsQuestion",
    description: "A request to confirm funds on the account of a funds consent.",
    schema: || {
        Schema::Object(vec![
            optional("cardNumber", Text, "The number of the card in use."),
            required(
                "account",
                Schema::Component(&ACCOUNT_REFERENCE),
                "The account of the consent, with its currency.",
            ),
            optional("payee", Text, "The payee."),
            required("instructedAmount", Schema::Component(&AMOUNT), "The amount to confirm."),
        ])
    },
};

static CONFIRMATION: Component = Component {
    name: "FundsConfirmation",
    description: "The result of a funds confirmation.",
    schema: || {
        Schema::Object(vec![
            required(
                "fundsAvailable",
                Schema::Boolean,
                "Whether the amount is available now; reserved amounts are not.",
            ),
            required("tppMessages", list(Schema::Component(&TPP_MESSAGE)), "Messages about the request."),
            required("_links", Schema::Component(&LINKS), "The possible next steps."),
            required("statusCode", Schema::EnumIndex(&["success", "refusal"]), ""),
        ])
    },
};

pub static FETCH: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    answer: Some(Payload::json(
        "The consent.",
        || Schema::Component(&CONSENT),
        || value(&wire::details(&asked())),
    )),
    ..EMPTY
};

pub static STATUS: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    answer: Some(Payload::json(
        "The status of the newest authorisation and of the consent.",
        || Schema::Component(&STANDING),
        || {
            let path = format!("/v2/consents/confirmation-of-funds/{}", CONSENT_PATH.example);
            value(&wire::status(ScaStatus::Finalised, ConsentStatus::Valid, path))
        },
    )),
    ..EMPTY
};

pub static DELETE: Doc = Doc { parameters: &[&CONSENT_PATH], headers: &[&REPLAY], ..EMPTY };

static ORDER: Component = Component {
    name: "FundsConsentRequest",
    description: "A request of a card issuer for consent to confirm funds on an account.",
    schema: || {
        let mut fields = terms();
        fields.insert(
            1,
            optional("cardNumber", Text, "The number of the card, which must belong to the account."),
        );
        Schema::Object(fields)
    },
};

static CONSENT: Component = Component {
    name: "FundsConsent",
    description: "A funds consent.",
    schema: || {
        let mut fields = terms();
        fields.insert(1, optional("cardNumber", Text, "The masked number of the card."));
        fields.push(required("lastActionDate", Formatted("date-time"), "When the consent last changed."));
        fields.push(required(
            "consentStatus",
            Schema::Component(&CONSENT_STATUS),
            "The status of the consent.",
        ));
        with_envelope(fields)
    },
};

static STANDING: Component = Component {
    name: "FundsConsentStanding",
    description: "The status of a funds consent and of its newest authorisation.",
    schema: || {
        with_envelope(vec![
            required(
                "scaStatus",
                Schema::Component(&SCA_STATUS),
                "The status of the newest authorisation; 0 without one.",
            ),
            required("consentStatus", Schema::Component(&CONSENT_STATUS), "The status of the consent."),
        ])
    },
};

fn terms() -> Vec<Field> {
    vec![
        required("account", Schema::Component(&ACCOUNT_REFERENCE), "The account."),
        optional("cardExpiryDate", Text, "The last day of the card, or its end as a date-time."),
        optional("cardInformation", Text, "A name for the card, at most 140 characters."),
        optional(
            "registrationInformation",
            Text,
            "Information about the registration, at most 140 characters.",
        ),
    ]
}

fn order() -> Value {
    json!({
        "account": { "iban": "GR1601101250000000012300695", "currency": "EUR" },
        "cardNumber": "4111111111111111",
        "cardExpiryDate": "9999-12-31",
        "cardInformation": "Kyklos card",
    })
}

/// The consent that the rules of the domain create from the example.
fn asked() -> FundsConsent {
    let text = order().to_string();
    let body = json::parse(text.as_bytes(), 8).expect("the example is JSON");
    let order = wire::order(&body).expect("the example is an order");
    let today = parse_date("2026-11-15").expect("the example's day is one");
    let calendar = Calendar { now: NOW, today, day_end: &|_| NOW };
    let terms = order.terms(&calendar, &|_| [0; 32]).expect("the example is granted");
    let id = ConsentId::parse(CONSENT_PATH.example).expect("the example is an id");
    let application = ApplicationId::parse(CLIENT_ID.example).expect("the example is an id");
    FundsConsent::create(NewConsent { id, application, psu: PSU_ID.example.to_owned(), now: NOW }, terms).0
}
