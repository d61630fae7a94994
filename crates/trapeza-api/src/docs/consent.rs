//! Documentation of consents (§2.3, §4.4).

use super::NOW;
use super::authorisation::methods;
use super::content::value;
use super::content::{Doc, EMPTY, LOCATION, Payload, REPLAY};
use super::envelope::{ACCOUNT_REFERENCE, CHALLENGE_DATA, SCA_METHOD, with_envelope};
use super::parameter::{CLIENT_ID, CONSENT_PATH, PSU_ID};
use super::schema::Schema::{self, Boolean, Enum, Formatted, Integer, Text};
use super::schema::{Component, Field, list, optional, required};
use crate::wire::consent as wire;
use serde_json::{Value, json};
use trapeza_app::parse_date;
use trapeza_domain::consent::{AccessConsent, Calendar, ConsentStatus, NewConsent};
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_domain::time::{Date, Timestamp};
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

pub static FETCH: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    answer: Some(Payload::json(
        "The consent.",
        || Schema::Component(&CONSENT),
        || value(&wire::details(&granted())),
    )),
    ..EMPTY
};

pub static STATUS: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    answer: Some(Payload::json(
        "The status of the consent.",
        || Schema::Component(&STANDING),
        || value(&wire::status(CONSENT_PATH.example, ConsentStatus::Valid)),
    )),
    ..EMPTY
};

pub static DELETE: Doc = Doc { parameters: &[&CONSENT_PATH], headers: &[&REPLAY], ..EMPTY };

const STATUSES: &[&str] = &["received", "rejected", "valid", "revokedByPsu", "expired", "terminatedByTpp"];

static ACCESS: Component = Component {
    name: "AccountAccess",
    description: "The accounts and cards and what may be read of them: three lists, or one of the flags.",
    schema: || {
        let references = || list(Schema::Component(&ACCOUNT_REFERENCE));
        let all = || Enum(&["allAccounts"]);
        Schema::Object(vec![
            optional("accounts", references(), "Accounts whose details may be read."),
            optional("balances", references(), "Accounts whose balances may be read."),
            optional("transactions", references(), "Accounts whose transactions may be read."),
            optional("availableAccounts", all(), "All accounts may be listed, without balances."),
            optional(
                "availableAccountsWithBalance",
                all(),
                "All accounts may be listed with their balances.",
            ),
            optional("allPsd2", all(), "Details, balances and transactions of all accounts and cards."),
        ])
    },
};

static ORDER: Component = Component {
    name: "ConsentRequest",
    description: "A request for access to a customer's accounts.",
    schema: || {
        let mut fields = terms();
        fields.push(optional(
            "combinedServiceIndicator",
            Boolean,
            "Whether a payment follows in the same session. Stored without effect.",
        ));
        Schema::Object(fields)
    },
};

pub static CREATED: Component = Component {
    name: "ConsentCreated",
    description: "A new consent. Its status is a name here and a number elsewhere.",
    schema: || {
        with_envelope(vec![
            required("consentStatus", Enum(STATUSES), "The status of the consent."),
            required("consentId", Formatted("uuid"), "The consent's id."),
            required("scaMethods", list(Schema::Component(&SCA_METHOD)), "The customer's SCA methods."),
            optional("chosenScaMethod", Schema::Component(&SCA_METHOD), "The selected SCA method."),
            optional("challengeData", Schema::Component(&CHALLENGE_DATA), "The challenge of that method."),
            optional("message", Text, "A message for the customer."),
        ])
    },
};

static CONSENT: Component = Component {
    name: "Consent",
    description: "A consent with its granted terms, which may be narrower than the requested ones.",
    schema: || {
        let mut fields = terms();
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
    name: "ConsentStanding",
    description: "The status of a consent.",
    schema: || {
        with_envelope(vec![required(
            "consentStatus",
            Schema::Component(&CONSENT_STATUS),
            "The status of the consent.",
        )])
    },
};

pub static CONSENT_STATUS: Component = Component {
    name: "ConsentStatus",
    description: "The status of a consent, as a number:",
    schema: || Schema::EnumIndex(STATUSES),
};

/// The terms of a consent, in requests and responses.
fn terms() -> Vec<Field> {
    vec![
        required(
            "access",
            Schema::Component(&ACCESS),
            "The accounts and cards and what may be read of them.",
        ),
        required(
            "recurringIndicator",
            Boolean,
            "Whether the consent may be used repeatedly; otherwise each read is possible once.",
        ),
        required(
            "validUntil",
            Text,
            "The last day (2027-03-31, in the bank's time zone) or the end as a date-time. At most 180 days are granted.",
        ),
        required(
            "frequencyPerDay",
            Integer,
            "The number of reads in 24 hours without the customer present. At most 4 are granted, and 1 for a consent that is not recurring.",
        ),
    ]
}

fn order() -> Value {
    let account = json!({ "iban": "GR1601101250000000012300695", "currency": "EUR" });
    json!({
        "access": { "accounts": [account], "balances": [account], "transactions": [] },
        "recurringIndicator": true,
        "validUntil": "9999-12-31",
        "frequencyPerDay": 4,
        "combinedServiceIndicator": false,
    })
}

/// The consent that the rules of the domain create from the example.
fn asked() -> AccessConsent {
    let text = order().to_string();
    let body = json::parse(text.as_bytes(), 8).expect("the example is JSON");
    let order = wire::order(&body).expect("the example is an order");
    let today = parse_date("2026-11-15").expect("the example's day is one");
    let calendar = Calendar { now: NOW, today, day_end: &day_end };
    let terms = order.terms(&calendar, &|_| [0; 32]).expect("the example is granted");
    let id = ConsentId::parse(CONSENT_PATH.example).expect("the example is an id");
    let application = ApplicationId::parse(CLIENT_ID.example).expect("the example is an id");
    AccessConsent::create(NewConsent { id, application, psu: PSU_ID.example.to_owned(), now: NOW }, terms).0
}

fn granted() -> AccessConsent {
    let AccessConsent { consent, terms } = asked();
    let (consent, _) = consent.authorise(NOW).expect("a new consent can be authorised");
    AccessConsent { consent, terms }
}

fn day_end(day: Date) -> Timestamp {
    Timestamp((i64::from(day.0) + 1) * 86_400_000_000 - 1)
}
