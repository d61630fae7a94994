//! Consents, documented (§2.3, §4.4).

use super::content::{Doc, EMPTY, LOCATION, Payload, REPLAY};
use super::envelope::{ACCOUNT_REFERENCE, CHALLENGE_DATA, SCA_METHOD, with_envelope};
use super::parameter::{CONSENT_PATH, PSU_ID};
use super::schema::Schema::{self, Boolean, Formatted, Integer, Text, Word};
use super::schema::{Component, Field, always, list, perhaps};
use serde_json::{Value, json};

pub static CREATE: Doc = Doc {
    parameters: &[&PSU_ID],
    request: Some(Payload::json(
        "What the third party asks for.",
        || Schema::Component(&ORDER),
        || json!({ "access": access(), "recurringIndicator": true, "validUntil": "2027-03-31", "frequencyPerDay": 4, "combinedServiceIndicator": false }),
    )),
    answer: Some(Payload::json(
        "The consent is made, and waits for the customer.",
        || Schema::Component(&CREATED),
        created,
    )),
    headers: &[&LOCATION, &REPLAY],
    ..EMPTY
};

pub static FETCH: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    answer: Some(Payload::json("The consent as it is now.", || Schema::Component(&CONSENT), fetched)),
    ..EMPTY
};

pub static STATUS: Doc = Doc {
    parameters: &[&CONSENT_PATH],
    answer: Some(Payload::json(
        "Where the consent stands now.",
        || Schema::Component(&STANDING),
        || enveloped(json!({ "consentStatus": 2 }), json!({})),
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
        let all = || Word(&["allAccounts"]);
        Schema::Object(vec![
            perhaps("accounts", references(), "May be listed, with their details."),
            perhaps("balances", references(), "Their balances may be read too."),
            perhaps("transactions", references(), "Their transactions may be read too."),
            perhaps("availableAccounts", all(), "The list of all accounts, and no more."),
            perhaps("availableAccountsWithBalance", all(), "The list of all accounts with their balances."),
            perhaps("allPsd2", all(), "Everything of all accounts and cards."),
        ])
    },
};

static ORDER: Component = Component {
    name: "ConsentRequest",
    description: "A third party asks for access to a customer's accounts.",
    schema: || {
        let mut fields = terms();
        fields.push(perhaps(
            "combinedServiceIndicator",
            Boolean,
            "Whether a payment is to follow in the same session. It is kept and changes nothing.",
        ));
        Schema::Object(fields)
    },
};

static CREATED: Component = Component {
    name: "ConsentCreated",
    description: "A consent that waits for its customer. Here its status is a name; where it is read it is a number.",
    schema: || {
        with_envelope(vec![
            always("consentStatus", Word(STATUSES), "Where the consent stands."),
            always("consentId", Formatted("uuid"), "The consent's id."),
            always(
                "scaMethods",
                list(Schema::Component(&SCA_METHOD)),
                "How the customer can prove who they are.",
            ),
            perhaps("chosenScaMethod", Schema::Component(&SCA_METHOD), "The method that is in use."),
            perhaps("challengeData", Schema::Component(&CHALLENGE_DATA), "What that method needs."),
            perhaps("message", Text, "A sentence for the customer."),
        ])
    },
};

static CONSENT: Component = Component {
    name: "Consent",
    description: "A consent with the terms that the bank grants, which may be narrower than what was asked for.",
    schema: || {
        let mut fields = terms();
        fields.push(always("lastActionDate", Formatted("date-time"), "When it last changed."));
        fields.push(always("consentStatus", Schema::Component(&CONSENT_STATUS), "Where the consent stands."));
        with_envelope(fields)
    },
};

static STANDING: Component = Component {
    name: "ConsentStanding",
    description: "Where a consent stands.",
    schema: || {
        with_envelope(vec![always(
            "consentStatus",
            Schema::Component(&CONSENT_STATUS),
            "Where the consent stands.",
        )])
    },
};

static CONSENT_STATUS: Component = Component {
    name: "ConsentStatus",
    description: "Where a consent stands, as a number:",
    schema: || Schema::Place(STATUSES),
};

/// What a consent is about, asked for and granted alike.
fn terms() -> Vec<Field> {
    vec![
        always("access", Schema::Component(&ACCESS), "Which accounts and cards, and what of them."),
        always(
            "recurringIndicator",
            Boolean,
            "Whether it may be used again and again; otherwise each read once.",
        ),
        always(
            "validUntil",
            Text,
            "Its last day (2027-03-31, in the bank's zone) or its end as a date-time; at most 180 days ahead.",
        ),
        always(
            "frequencyPerDay",
            Integer,
            "How often each read may be made in 24 hours without the customer; 1 to 4.",
        ),
    ]
}

fn access() -> Value {
    let account = json!({ "iban": "GR1601101250000000012300695", "currency": "EUR" });
    json!({ "accounts": [account], "balances": [account], "transactions": [] })
}

fn created() -> Value {
    let methods = json!([
        { "authenticationType": 0, "authenticationMethodId": "5a1f6f0e-38d4-4f0e-9a0b-5f1b8f6a7c21", "name": "SMS code" },
        { "authenticationType": 3, "authenticationMethodId": "c2d4b1a0-7f5e-4a93-8a6d-1e2f3a4b5c6d", "name": "The bank's app" },
    ]);
    let own =
        json!({ "consentStatus": "received", "consentId": CONSENT_PATH.example, "scaMethods": methods });
    let links = json!({
        "self": { "href": at("") },
        "status": { "href": at("/status") },
        "startAuthorisation": { "href": at("/authorisations") },
    });
    enveloped(own, links)
}

fn fetched() -> Value {
    let own = json!({
        "access": access(),
        "recurringIndicator": true,
        "validUntil": "2027-03-31",
        "frequencyPerDay": 4,
        "lastActionDate": "2026-11-15T09:30:00Z",
        "consentStatus": 2,
    });
    enveloped(own, json!({ "self": { "href": at("") }, "status": { "href": at("/status") } }))
}

fn at(below: &str) -> String {
    format!("/v1/consents/{}{below}", CONSENT_PATH.example)
}

fn enveloped(mut own: Value, links: Value) -> Value {
    own["_links"] = links;
    own["authenticationSchemes"] = json!([]);
    own["properties"] = json!({});
    own["statusCode"] = json!(0);
    own["tppMessages"] = json!([]);
    own
}
