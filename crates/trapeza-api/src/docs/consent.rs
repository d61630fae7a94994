//! Consents, documented (§2.3, §4.4).

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
    request: Some(Payload::json("What the third party asks for.", || Schema::Component(&ORDER), order)),
    answer: Some(Payload::json(
        "The consent is made, and waits for the customer.",
        || Schema::Component(&CREATED),
        || value(&wire::created(&asked(), &methods())),
    )),
    headers: &[&LOCATION, &REPLAY],
    ..EMPTY
};

pub static FETCH: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    answer: Some(Payload::json(
        "The consent as it is now.",
        || Schema::Component(&CONSENT),
        || value(&wire::details(&granted())),
    )),
    ..EMPTY
};

pub static STATUS: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    answer: Some(Payload::json(
        "Where the consent stands now.",
        || Schema::Component(&STANDING),
        || value(&wire::status(CONSENT_PATH.example, ConsentStatus::Valid)),
    )),
    ..EMPTY
};

pub static DELETE: Doc = Doc { parameters: &[&CONSENT_PATH], headers: &[&REPLAY], ..EMPTY };

const STATUSES: &[&str] = &["received", "rejected", "valid", "revokedByPsu", "expired", "terminatedByTpp"];

static ACCESS: Component = Component {
    name: "AccountAccess",
    description: "Which accounts and cards, and what of them: three lists, or one of the flags instead.",
    schema: || {
        let references = || list(Schema::Component(&ACCOUNT_REFERENCE));
        let all = || Enum(&["allAccounts"]);
        Schema::Object(vec![
            optional("accounts", references(), "May be listed, with their details."),
            optional("balances", references(), "Their balances may be read too."),
            optional("transactions", references(), "Their transactions may be read too."),
            optional("availableAccounts", all(), "The list of all accounts, and no more."),
            optional("availableAccountsWithBalance", all(), "The list of all accounts with their balances."),
            optional("allPsd2", all(), "Everything of all accounts and cards."),
        ])
    },
};

static ORDER: Component = Component {
    name: "ConsentRequest",
    description: "A third party asks for access to a customer's accounts.",
    schema: || {
        let mut fields = terms();
        fields.push(optional(
            "combinedServiceIndicator",
            Boolean,
            "Whether a payment is to follow in the same session. It is kept and changes nothing.",
        ));
        Schema::Object(fields)
    },
};

pub static CREATED: Component = Component {
    name: "ConsentCreated",
    description: "A consent that waits for its customer. Here its status is a name; where it is read it is a number.",
    schema: || {
        with_envelope(vec![
            required("consentStatus", Enum(STATUSES), "Where the consent stands."),
            required("consentId", Formatted("uuid"), "The consent's id."),
            required(
                "scaMethods",
                list(Schema::Component(&SCA_METHOD)),
                "How the customer can prove who they are.",
            ),
            optional("chosenScaMethod", Schema::Component(&SCA_METHOD), "The method that is in use."),
            optional("challengeData", Schema::Component(&CHALLENGE_DATA), "What that method needs."),
            optional("message", Text, "A sentence for the customer."),
        ])
    },
};

static CONSENT: Component = Component {
    name: "Consent",
    description: "A consent with the terms that the bank grants, which may be narrower than what was asked for.",
    schema: || {
        let mut fields = terms();
        fields.push(required("lastActionDate", Formatted("date-time"), "When it last changed."));
        fields.push(required(
            "consentStatus",
            Schema::Component(&CONSENT_STATUS),
            "Where the consent stands.",
        ));
        with_envelope(fields)
    },
};

static STANDING: Component = Component {
    name: "ConsentStanding",
    description: "Where a consent stands.",
    schema: || {
        with_envelope(vec![required(
            "consentStatus",
            Schema::Component(&CONSENT_STATUS),
            "Where the consent stands.",
        )])
    },
};

pub static CONSENT_STATUS: Component = Component {
    name: "ConsentStatus",
    description: "Where a consent stands, as a number:",
    schema: || Schema::EnumIndex(STATUSES),
};

/// What a consent is about, asked for and granted alike.
fn terms() -> Vec<Field> {
    vec![
        required("access", Schema::Component(&ACCESS), "Which accounts and cards, and what of them."),
        required(
            "recurringIndicator",
            Boolean,
            "Whether it may be used again and again; otherwise each read once.",
        ),
        required(
            "validUntil",
            Text,
            "Its last day (2027-03-31, in the bank's zone) or its end as a date-time. More than 180 days are cut to that.",
        ),
        required(
            "frequencyPerDay",
            Integer,
            "How often each read may be made in 24 hours without the customer. More than 4 are cut to that; a consent that is not recurring has 1.",
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

/// What becomes of the example's request, by the bank's own rules.
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
