//! Documentation of consents, funds consents and confirmations of funds (§2.3, §4.1, §4.4).

use super::NOW;
use super::authorisation::methods;
use super::content::{Doc, EMPTY, LOCATION, PLAIN, Payload, REPLAY, Shell, value};
use super::examples::{IBAN, PAN};
use super::parameter::{CLIENT_ID, CONSENT_PATH, FUNDS_CONSENT_ID, PSU_ID};
use crate::wire::{consent, funds};
use serde_json::{Value, json};
use trapeza_app::parse_date;
use trapeza_domain::authorisation::ScaStatus;
use trapeza_domain::consent::{AccessConsent, Calendar, ConsentState, FundsConsent, NewConsent};
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_http::extract::json;

pub static CREATE: Doc = Doc {
    parameters: &[&PSU_ID],
    request: Some(Payload::json::<consent::ConsentRequest>("The requested consent.", access_request)),
    response: Some(Payload::json::<consent::Created<'_>>(CREATED, || {
        value(&consent::created(&requested_access(), &methods()))
    })),
    headers: &[&LOCATION, &REPLAY],
    shell: Shell::capture(&[("CONSENT_ID", ".consentId")]),
    ..EMPTY
};

pub static GET: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    response: Some(Payload::json::<consent::Details<'_>>("The consent.", || {
        value(&consent::details(&granted_access()))
    })),
    ..EMPTY
};

pub static STATUS: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    response: Some(Payload::json::<consent::Status>("The status of the consent.", || {
        value(&consent::status(CONSENT_PATH.example, ConsentState::Valid { since: NOW }))
    })),
    ..EMPTY
};

/// Consents of both kinds are revoked alike.
pub static DELETE: Doc =
    Doc { parameters: &[&CONSENT_PATH], headers: &[&REPLAY], shell: Shell { last: true, ..PLAIN }, ..EMPTY };

pub static FUNDS_CREATE: Doc = Doc {
    parameters: &[&PSU_ID],
    request: Some(Payload::json::<funds::ConsentRequest<'_>>("The requested consent.", funds_request)),
    response: Some(Payload::json::<consent::Created<'_>>(CREATED, || {
        value(&funds::created(&requested_funds(), &methods()))
    })),
    headers: &[&LOCATION, &REPLAY],
    shell: Shell::capture(&[("FUNDS_CONSENT_ID", ".consentId")]),
    ..EMPTY
};

pub static FUNDS_GET: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    response: Some(Payload::json::<funds::Details<'_>>("The consent.", || {
        value(&funds::details(&requested_funds()))
    })),
    ..EMPTY
};

pub static FUNDS_STATUS: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    response: Some(Payload::json::<funds::Status>(
        "The status of the newest authorisation and of the consent.",
        || {
            let path = format!("/v2/consents/confirmation-of-funds/{}", CONSENT_PATH.example);
            value(&funds::status(ScaStatus::Finalised, ConsentState::Valid { since: NOW }, path))
        },
    )),
    ..EMPTY
};

pub static FUNDS_CONFIRM: Doc = Doc {
    parameters: &[&FUNDS_CONSENT_ID],
    request: Some(Payload::json::<funds::ConfirmationRequest<'_>>("The account and the amount.", || {
        json!({
            "account": { "iban": IBAN, "currency": "EUR" },
            "instructedAmount": { "currency": "EUR", "Amount": "49.90" },
        })
    })),
    response: Some(Payload::json::<funds::Confirmation>("Whether the funds are available.", || {
        value(&funds::confirmation(true))
    })),
    headers: &[&REPLAY],
    ..EMPTY
};

const CREATED: &str = "The consent was created and must be authorised by the customer.";

fn access_request() -> Value {
    let account = json!({ "iban": IBAN, "currency": "EUR" });
    let card = json!({ "pan": PAN });
    json!({
        "access": { "accounts": [account, card], "balances": [account, card], "transactions": [account, card] },
        "recurringIndicator": true,
        "validUntil": "9999-12-31",
        "frequencyPerDay": 4,
        "combinedServiceIndicator": false,
    })
}

fn funds_request() -> Value {
    json!({
        "account": { "iban": IBAN, "currency": "EUR" },
        "cardNumber": PAN,
        "cardExpiryDate": "9999-12-31",
        "cardInformation": "Kyklos card",
    })
}

/// The consent that the rules of the domain create from the example.
fn requested_access() -> AccessConsent {
    let text = access_request().to_string();
    let body = json::parse(text.as_bytes(), 8).expect("the example is JSON");
    let order = consent::order(&body).expect("the example is an order");
    let terms = order.terms(&calendar(), &|_| [0; 32]).expect("the example is granted");
    AccessConsent::create(new_consent(), terms).0
}

fn granted_access() -> AccessConsent {
    let AccessConsent { consent, terms } = requested_access();
    let (consent, _) = consent.authorise(NOW).expect("a new consent can be authorised");
    AccessConsent { consent, terms }
}

fn requested_funds() -> FundsConsent {
    let text = funds_request().to_string();
    let body = json::parse(text.as_bytes(), 8).expect("the example is JSON");
    let order = funds::order(&body).expect("the example is an order");
    let terms = order.terms(&calendar(), &|_| [0; 32]).expect("the example is granted");
    FundsConsent::create(new_consent(), terms).0
}

fn new_consent() -> NewConsent {
    NewConsent {
        id: ConsentId::parse(CONSENT_PATH.example).expect("the example is an id"),
        application: ApplicationId::parse(CLIENT_ID.example).expect("the example is an id"),
        psu: PSU_ID.example.to_owned(),
        now: NOW,
    }
}

fn calendar() -> Calendar<'static> {
    let today = parse_date("2026-11-15").expect("the example's day is one");
    Calendar { now: NOW, today, day_end: &day_end }
}

fn day_end(day: Date) -> Timestamp {
    Timestamp((i64::from(day.0) + 1) * 86_400_000_000 - 1)
}
