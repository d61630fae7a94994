//! Documentation of authorisations (§2.3, §4.1, §4.4).

use super::content::value;
use super::content::{Doc, EMPTY, Header, Payload, REPLAY};
use super::envelope::{CHALLENGE_DATA, SCA_METHOD, with_envelope};
use super::parameter::{
    AUTHORISATION_PATH, CONSENT_PATH, DECOUPLED_PREFERRED, NOK_REDIRECT_URI, PSU_ID, Parameter,
    REDIRECT_PREFERRED, REDIRECT_URI,
};
use super::schema::Schema::{self, Enum, Formatted, Text};
use super::schema::{Component, Field, list, optional, required};
use crate::wire::authorisation as wire;
use serde_json::{Value, json};
use trapeza_app::sca::MethodView;
use trapeza_app::sca::{AuthorisationView, ChallengeView};
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus};
use trapeza_domain::id::{AuthorisationId, MethodId};
use trapeza_domain::psu::MethodKind;

pub static START: Doc = start(
    &[&CONSENT_PATH, &PSU_ID, &REDIRECT_PREFERRED, &DECOUPLED_PREFERRED, &REDIRECT_URI, &NOK_REDIRECT_URI],
    "The authorisation was started; its links are the possible next steps.",
    || Schema::Component(&AUTHORISATION),
    || value(&wire::started(&identified(), &PLACE)),
);
pub static UPDATE: Doc = update(
    &[&CONSENT_PATH, &AUTHORISATION_PATH],
    || Schema::Component(&AUTHORISATION),
    || value(&wire::started(&challenged(), &PLACE)),
);
pub static LIST: Doc = list_all(&[&CONSENT_PATH], || listed(&PLACE));
pub static FETCH: Doc = fetch(&[&CONSENT_PATH, &AUTHORISATION_PATH], || standing(&PLACE));

/// The headers of every response that advances an authorisation.
const HEADERS: &[&Header] = &[&APPROACH, &REPLAY];

type Parameters = &'static [&'static Parameter];

/// The operation that starts an authorisation, for any target.
pub const fn start(
    parameters: Parameters,
    description: &'static str,
    schema: fn() -> Schema,
    example: fn() -> Value,
) -> Doc {
    let answer = Some(Payload::json(description, schema, example));
    Doc { parameters, answer, headers: HEADERS, ..EMPTY }
}

/// The operation that updates an authorisation.
pub const fn update(parameters: Parameters, schema: fn() -> Schema, example: fn() -> Value) -> Doc {
    let request = Some(Payload::json(
        "One step of the customer: exactly one of the three fields.",
        || Schema::Component(&STEP),
        || json!({ "psuData": { "password": "olive-tree-41" } }),
    ));
    let answer = Some(Payload::json("The authorisation after the step.", schema, example));
    Doc { parameters, request, answer, headers: HEADERS, ..EMPTY }
}

/// The operation that lists authorisations.
pub const fn list_all(parameters: Parameters, example: fn() -> Value) -> Doc {
    let schema = || Schema::Component(&IDS);
    let answer = Some(Payload::json("The ids of the authorisations, oldest first.", schema, example));
    Doc { parameters, answer, ..EMPTY }
}

/// The operation that reads an authorisation's status.
pub const fn fetch(parameters: Parameters, example: fn() -> Value) -> Doc {
    let schema = || Schema::Component(&STANDING);
    let answer = Some(Payload::json("The status of the authorisation.", schema, example));
    Doc { parameters, answer, ..EMPTY }
}

const NAMES: &[&str] = &[
    "received",
    "psuIdentified",
    "psuAuthenticated",
    "scaMethodSelected",
    "started",
    "finalised",
    "failed",
    "exempted",
];

static APPROACH: Header = Header {
    name: "ASPSP-SCA-Approach",
    description: "The SCA approach that the bank selected.",
    schema: || Enum(&["EMBEDDED", "REDIRECT", "DECOUPLED"]),
};

static AUTHORISATION: Component = Component {
    name: "Authorisation",
    description: "An authorisation. Its status is a name here and a number elsewhere.",
    schema: || with_envelope(fields(&SCA_METHOD)),
};

/// The fields of every authorisation, with the method component of its target.
pub fn fields(method: &'static Component) -> Vec<Field> {
    vec![
        required("scaStatus", Enum(NAMES), "The status of the authorisation."),
        required("authorisationId", Formatted("uuid"), "The authorisation's id."),
        required("scaMethods", list(Schema::Component(method)), "The customer's SCA methods."),
        optional("chosenScaMethod", Schema::Component(method), "The selected SCA method."),
        optional("challengeData", Schema::Component(&CHALLENGE_DATA), "The challenge of that method."),
        optional("psuMessage", Text, "A message for the customer."),
    ]
}

static STEP: Component = Component {
    name: "AuthorisationStep",
    description: "A step of the customer on the third party's screen: exactly one of these.",
    schema: || {
        let password = || Schema::Object(vec![required("password", Text, "The customer's password.")]);
        Schema::Object(vec![
            optional("psuData", password(), "The customer's password."),
            optional(
                "authenticationMethodId",
                Text,
                "The selected SCA method; the current one again sends a new OTP.",
            ),
            optional("scaAuthenticationData", Text, "The customer's OTP."),
        ])
    },
};

static IDS: Component = Component {
    name: "AuthorisationIds",
    description: "The authorisations of an object.",
    schema: || {
        with_envelope(vec![required(
            "authorisationIds",
            list(Formatted("uuid")),
            "The ids of the authorisations, oldest first.",
        )])
    },
};

static STANDING: Component = Component {
    name: "AuthorisationStanding",
    description: "Get an authorisation's status.",
    schema: || with_envelope(vec![required("scaStatus", Schema::Component(&SCA_STATUS), "The status.")]),
};

pub static SCA_STATUS: Component = Component {
    name: "ScaStatus",
    description: "Get an authorisation's status, as a number:",
    schema: || Schema::EnumIndex(NAMES),
};

static PLACE: wire::LinkContext<'static> = wire::LinkContext {
    path: "/v1/consents/1f0c9a3e-4b7d-4c55-8d21-7c0c3a5b9e10/authorisations",
    public_url: "https://bank.example",
    numbering: wire::method_number,
};

pub fn methods() -> Vec<MethodView> {
    let id = MethodId::parse("3e077b0a-96be-458b-a776-0779e544546e").expect("the example is an id");
    vec![MethodView::new(id, MethodKind::Sms)]
}

pub fn identified() -> AuthorisationView {
    AuthorisationView {
        id: AuthorisationId::parse(AUTHORISATION_PATH.example).expect("the example is an id"),
        status: ScaStatus::PsuIdentified,
        approach: ScaApproach::Embedded,
        methods: methods(),
        chosen: None,
        challenge: None,
        next: vec![NextStep::UpdatePsuAuthentication],
        psu_message: None,
        redirect_token: None,
        payee_verification: None,
    }
}

pub fn challenged() -> AuthorisationView {
    AuthorisationView {
        status: ScaStatus::ScaMethodSelected,
        chosen: methods().pop(),
        challenge: Some(ChallengeView { kind: MethodKind::Sms, shown: None }),
        next: vec![NextStep::SelectAuthenticationMethod, NextStep::AuthoriseTransaction],
        psu_message: Some("We have sent you a text message with a code. Please enter the code.".to_owned()),
        ..identified()
    }
}

pub fn listed(place: &wire::LinkContext<'_>) -> Value {
    value(&wire::list(vec![AUTHORISATION_PATH.example.to_owned()], place.path.to_owned(), true))
}

pub fn standing(place: &wire::LinkContext<'_>) -> Value {
    value(&wire::status(ScaStatus::Finalised, format!("{}/{}", place.path, AUTHORISATION_PATH.example)))
}
