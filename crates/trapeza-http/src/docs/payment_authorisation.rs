//! Authorisations of payments and of their cancellation, documented (§2.4, §4.2).

use super::authorisation::{APPROACH, IDS, NAMES, STANDING, STEP, challenged, identified};
use super::content::{Doc, EMPTY, Payload, REPLAY};
use super::envelope::{CHALLENGE_DATA, SCA_METHOD, with_envelope};
use super::parameter::{
    AUTHORISATION_PATH, DECOUPLED_PREFERRED, NOK_REDIRECT_URI, PAYMENT_PATH, PAYMENT_PRODUCT,
    PAYMENT_SERVICE, REDIRECT_PREFERRED, REDIRECT_URI,
};
use super::schema::Schema::{self, Formatted, Place, Text, Word};
use super::schema::{Component, Field, always, list, perhaps};
use crate::wire::authorisation as wire;
use serde_json::{Value, json};
use trapeza_app::authorisation::AuthorisationView;
use trapeza_domain::authorisation::ScaStatus;
use trapeza_domain::payee::PayeeCheck;

pub static PAYMENT_START: Doc = Doc {
    parameters: &[
        &PAYMENT_SERVICE,
        &PAYMENT_PRODUCT,
        &PAYMENT_PATH,
        &REDIRECT_PREFERRED,
        &DECOUPLED_PREFERRED,
        &REDIRECT_URI,
        &NOK_REDIRECT_URI,
    ],
    answer: Some(Payload::json(
        "The authorisation is started; it also tells, once, how the payee's name fits.",
        || Schema::Component(&PAYMENT_AUTHORISATION),
        || wire::started(&warned(), &PLACE),
    )),
    headers: &[&APPROACH, &REPLAY],
    ..EMPTY
};

pub static PAYMENT_UPDATE: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH, &AUTHORISATION_PATH],
    request: Some(Payload::json(
        "One step of the customer's: exactly one of the three fields.",
        || Schema::Component(&STEP),
        || json!({ "psuData": { "password": "olive-tree-41" } }),
    )),
    answer: Some(Payload::json(
        "The authorisation after the step.",
        || Schema::Component(&PAYMENT_AUTHORISATION),
        || wire::started(&challenged(), &PLACE),
    )),
    headers: &[&APPROACH, &REPLAY],
    ..EMPTY
};

pub static PAYMENT_LIST: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH],
    answer: Some(Payload::json(
        "The ids of the authorisations, oldest first.",
        || Schema::Component(&IDS),
        || wire::list(&[AUTHORISATION_PATH.example.to_owned()], PLACE.path, true),
    )),
    ..EMPTY
};

pub static PAYMENT_FETCH: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH, &AUTHORISATION_PATH],
    answer: Some(Payload::json(
        "Where the authorisation stands now.",
        || Schema::Component(&STANDING),
        || standing(&PLACE),
    )),
    ..EMPTY
};

pub static CANCELLATION_START: Doc = Doc {
    parameters: &[
        &PAYMENT_SERVICE,
        &PAYMENT_PRODUCT,
        &PAYMENT_PATH,
        &REDIRECT_PREFERRED,
        &DECOUPLED_PREFERRED,
        &REDIRECT_URI,
        &NOK_REDIRECT_URI,
    ],
    answer: Some(Payload::json(
        "The authorisation of the cancellation is started.",
        || Schema::Component(&CANCELLATION_AUTHORISATION),
        || wire::started(&identified(), &CANCELLATION_PLACE),
    )),
    headers: &[&APPROACH, &REPLAY],
    ..EMPTY
};

pub static CANCELLATION_UPDATE: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH, &AUTHORISATION_PATH],
    request: Some(Payload::json(
        "One step of the customer's: exactly one of the three fields.",
        || Schema::Component(&STEP),
        || json!({ "psuData": { "password": "olive-tree-41" } }),
    )),
    answer: Some(Payload::json(
        "The authorisation after the step.",
        || Schema::Component(&CANCELLATION_AUTHORISATION),
        || wire::started(&challenged(), &CANCELLATION_PLACE),
    )),
    headers: &[&APPROACH, &REPLAY],
    ..EMPTY
};

pub static CANCELLATION_LIST: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH],
    answer: Some(Payload::json(
        "The ids of the authorisations, oldest first.",
        || Schema::Component(&IDS),
        || wire::list(&[AUTHORISATION_PATH.example.to_owned()], CANCELLATION_PLACE.path, true),
    )),
    ..EMPTY
};

pub static CANCELLATION_FETCH: Doc = Doc {
    parameters: &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH, &AUTHORISATION_PATH],
    answer: Some(Payload::json(
        "Where the authorisation stands now.",
        || Schema::Component(&STANDING),
        || standing(&CANCELLATION_PLACE),
    )),
    ..EMPTY
};

static PAYMENT_AUTHORISATION: Component = Component {
    name: "PaymentAuthorisation",
    description: "A strong authentication of a payment. Here its status is a name; where it is read it is a number.",
    schema: || {
        let mut fields = fields(&SCA_METHOD);
        fields.push(perhaps(
            "originalTransactionInformationAndVopStatus",
            Word(&["CMTC", "NMTC", "NOAP"]),
            "The payee's name is only similar to that of the account's owner, another, or could not be checked. Told once.",
        ));
        with_envelope(fields)
    },
};

static CANCELLATION_AUTHORISATION: Component = Component {
    name: "CancellationAuthorisation",
    description: "A strong authentication of a payment's cancellation.",
    schema: || with_envelope(fields(&CANCELLATION_METHOD)),
};

pub static CANCELLATION_METHOD: Component = Component {
    name: "CancellationScaMethod",
    description: "A way in which the customer can prove who they are. Cancellations number them in their own way.",
    schema: || {
        Schema::Object(vec![
            always("authenticationType", Place(TYPES), ""),
            always("authenticationMethodId", Text, "What to send in order to choose this method."),
            always("name", Text, "What the customer calls it."),
        ])
    },
};

const TYPES: &[&str] = &["SMS_OTP", "SMS_OTP_AND_PIN", "SMS_OTP_AND_PASSWORD", "SMS_OTP_AND_BIOMETRIC"];

fn fields(method: &'static Component) -> Vec<Field> {
    vec![
        always("scaStatus", Word(NAMES), "Where the authorisation stands."),
        always("authorisationId", Formatted("uuid"), "The authorisation's id."),
        always("scaMethods", list(Schema::Component(method)), "How the customer can prove who they are."),
        perhaps("chosenScaMethod", Schema::Component(method), "The method that is in use."),
        perhaps("challengeData", Schema::Component(&CHALLENGE_DATA), "What that method needs."),
        perhaps("psuMessage", Text, "A sentence for the customer."),
    ]
}

static PLACE: wire::Place<'static> = wire::Place {
    path: "/v1/payments/internal-transfers/c2b9d1f0-5e0a-4f57-9a41-0d3f6b7a8c20/authorisations",
    public_url: "https://bank.example",
    numbering: wire::method_number,
};

static CANCELLATION_PLACE: wire::Place<'static> = wire::Place {
    path: "/v1/payments/internal-transfers/c2b9d1f0-5e0a-4f57-9a41-0d3f6b7a8c20/cancellation-authorisations",
    public_url: "https://bank.example",
    numbering: wire::cancellation_number,
};

fn warned() -> AuthorisationView {
    AuthorisationView { payee_check: Some(PayeeCheck::Close), ..identified() }
}

fn standing(place: &wire::Place<'_>) -> Value {
    wire::status(ScaStatus::Finalised, &format!("{}/{}", place.path, AUTHORISATION_PATH.example))
}
