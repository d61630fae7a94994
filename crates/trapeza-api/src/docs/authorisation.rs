//! Documentation of authorisations (§2.3, §2.4, §4): the same four operations for each target.

use super::content::{Doc, EMPTY, Header, OperationDoc, PLAIN, Payload, REPLAY, Shell, value};
use super::parameter::{
    AUTHORISATION_PATH, CONSENT_PATH, DECOUPLED_PREFERRED, NOK_REDIRECT_URI, PAYMENT_PATH, PAYMENT_PRODUCT,
    PAYMENT_SERVICE, PSU_ID, Parameter, REDIRECT_PREFERRED, REDIRECT_URI,
};
use crate::operation::{self, AuthorisationOperations};
use crate::wire::authorisation::{self as wire, LinkContext};
use crate::wire::schema::one_of;
use schemars::JsonSchema;
use serde_json::{Value, json};
use trapeza_app::sca::{AuthorisationView, ChallengeView, MethodView};
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus};
use trapeza_domain::id::{AuthorisationId, MethodId};
use trapeza_domain::payee_verification::PayeeVerification;
use trapeza_domain::psu::MethodKind;

/// The entries of all authorisation operations.
pub static ENTRIES: [&[OperationDoc; 4]; 4] = [
    &entries::<Consent>(&operation::CONSENT_AUTHORISATION, "Consents", ANY),
    &entries::<Consent>(&operation::FUNDS_AUTHORISATION, "Funds consents", ANY),
    &entries::<Payment>(&operation::PAYMENT_AUTHORISATION, "Payments", ANY),
    &entries::<Cancellation>(&operation::CANCELLATION_AUTHORISATION, "Payments", OF_CANCELLATION),
];

/// The summaries of start, list and get.
type Summaries = [&'static str; 3];

const ANY: Summaries = ["Start an authorisation", "List the authorisations", "Get an authorisation's status"];
const OF_CANCELLATION: Summaries = [
    "Start an authorisation of a cancellation",
    "List the authorisations of a cancellation",
    "Get the status of a cancellation's authorisation",
];

const fn entries<T: Target>(
    operations: &'static AuthorisationOperations,
    tag: &'static str,
    [start, list, get]: Summaries,
) -> [OperationDoc; 4] {
    let update = "Update an authorisation with the customer's password, method or OTP";
    [
        OperationDoc { operation: &operations.start, tag, summary: start, doc: &T::START },
        OperationDoc { operation: &operations.list, tag, summary: list, doc: &T::LIST },
        OperationDoc { operation: &operations.get, tag, summary: get, doc: &T::GET },
        OperationDoc { operation: &operations.update, tag, summary: update, doc: &T::UPDATE },
    ]
}

/// What an authorisation is for: it decides parameters, schema and examples.
trait Target: 'static {
    /// The response that starts or updates an authorisation.
    type Response: JsonSchema;
    /// The path of the example's authorisations.
    const PATH: &'static str;
    const STARTED: &'static str;
    const START_PARAMETERS: &'static [&'static Parameter];
    const LIST_PARAMETERS: &'static [&'static Parameter];
    const ONE_PARAMETERS: &'static [&'static Parameter];

    fn response(view: &AuthorisationView) -> Value;

    const START: Doc = Doc {
        parameters: Self::START_PARAMETERS,
        optional_request: Some(Payload::json::<wire::StepRequest<'static>>(
            "Optionally the first step of the customer, as in an update. It is executed at once.",
            || json!({ "psuData": { "password": "olive-tree-41" } }),
        )),
        response: Some(Payload::json::<Self::Response>(Self::STARTED, || Self::response(&identified()))),
        headers: HEADERS,
        shell: Shell::capture(&[("AUTHORISATION_ID", ".authorisationId")]),
        ..EMPTY
    };
    const LIST: Doc = Doc {
        parameters: Self::LIST_PARAMETERS,
        response: Some(Payload::json::<wire::List>("The ids of the authorisations, oldest first.", || {
            value(&wire::list(vec![id().uuid()], Self::PATH.to_owned(), true))
        })),
        ..EMPTY
    };
    const GET: Doc = Doc {
        parameters: Self::ONE_PARAMETERS,
        response: Some(Payload::json::<wire::Status>("The status of the authorisation.", || {
            value(&wire::status(ScaStatus::Finalised, format!("{}/{}", Self::PATH, id())))
        })),
        ..EMPTY
    };
    const UPDATE: Doc = Doc {
        parameters: Self::ONE_PARAMETERS,
        request: Some(Payload::json::<wire::StepRequest<'static>>(
            "One step of the customer: exactly one of the three fields.",
            || json!({ "psuData": { "password": "olive-tree-41" } }),
        )),
        response: Some(Payload::json::<Self::Response>("The authorisation after the step.", || {
            Self::response(&challenged())
        })),
        headers: HEADERS,
        shell: Shell { bodies: Some(steps), ..PLAIN },
        ..EMPTY
    };
}

/// Consents of both kinds.
struct Consent;
struct Payment;
struct Cancellation;

impl Target for Consent {
    type Response = wire::Authorisation<'static>;
    const PATH: &'static str = "/v1/consents/1f0c9a3e-4b7d-4c55-8d21-7c0c3a5b9e10/authorisations";
    const STARTED: &'static str = "The authorisation was started; its links are the possible next steps.";
    const START_PARAMETERS: &'static [&'static Parameter] = &[
        &CONSENT_PATH,
        &PSU_ID,
        &REDIRECT_PREFERRED,
        &DECOUPLED_PREFERRED,
        &REDIRECT_URI,
        &NOK_REDIRECT_URI,
    ];
    const LIST_PARAMETERS: &'static [&'static Parameter] = &[&CONSENT_PATH];
    const ONE_PARAMETERS: &'static [&'static Parameter] = &[&CONSENT_PATH, &AUTHORISATION_PATH];

    fn response(view: &AuthorisationView) -> Value {
        value(&wire::Authorisation::of(view, &context(Self::PATH)))
    }
}

impl Target for Payment {
    type Response = wire::PaymentAuthorisation<'static>;
    const PATH: &'static str =
        "/v1/payments/internal-transfers/c2b9d1f0-5e0a-4f57-9a41-0d3f6b7a8c20/authorisations";
    const STARTED: &'static str =
        "The authorisation was started. The result of payee verification is reported once.";
    const START_PARAMETERS: &'static [&'static Parameter] = PAYMENT_START;
    const LIST_PARAMETERS: &'static [&'static Parameter] = PAYMENT_LIST;
    const ONE_PARAMETERS: &'static [&'static Parameter] = PAYMENT_ONE;

    fn response(view: &AuthorisationView) -> Value {
        let is_new = view.status == ScaStatus::PsuIdentified;
        let payee_verification = is_new.then_some(PayeeVerification::Close);
        let view = AuthorisationView { payee_verification, ..view.clone() };
        value(&wire::PaymentAuthorisation::of(&view, &context(Self::PATH)))
    }
}

impl Target for Cancellation {
    type Response = wire::CancellationAuthorisation<'static>;
    const PATH: &'static str =
        "/v1/payments/internal-transfers/c2b9d1f0-5e0a-4f57-9a41-0d3f6b7a8c20/cancellation-authorisations";
    const STARTED: &'static str = "The authorisation of the cancellation was started.";
    const START_PARAMETERS: &'static [&'static Parameter] = PAYMENT_START;
    const LIST_PARAMETERS: &'static [&'static Parameter] = PAYMENT_LIST;
    const ONE_PARAMETERS: &'static [&'static Parameter] = PAYMENT_ONE;

    fn response(view: &AuthorisationView) -> Value {
        value(&wire::CancellationAuthorisation::of(view, &context(Self::PATH)))
    }
}

const PAYMENT_LIST: &[&Parameter] = &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH];
const PAYMENT_ONE: &[&Parameter] = &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH, &AUTHORISATION_PATH];
const PAYMENT_START: &[&Parameter] = &[
    &PAYMENT_SERVICE,
    &PAYMENT_PRODUCT,
    &PAYMENT_PATH,
    &REDIRECT_PREFERRED,
    &DECOUPLED_PREFERRED,
    &REDIRECT_URI,
    &NOK_REDIRECT_URI,
];

/// The headers of every response that advances an authorisation.
const HEADERS: &[&Header] = &[&APPROACH, &REPLAY];

static APPROACH: Header = Header {
    name: "ASPSP-SCA-Approach",
    description: "The SCA approach that the bank selected.",
    schema: |_| one_of(["EMBEDDED", "REDIRECT", "DECOUPLED"]),
};

fn context(path: &str) -> LinkContext<'_> {
    LinkContext { path, public_url: "https://bank.example" }
}

fn id() -> AuthorisationId {
    AuthorisationId::parse(AUTHORISATION_PATH.example).expect("the example is an id")
}

/// The steps of a customer with several SCA methods, in the sandbox.
fn steps() -> Vec<Value> {
    vec![
        json!({ "psuData": { "password": "olive-tree-41" } }),
        json!({ "authenticationMethodId": "$METHOD_ID" }),
        json!({ "scaAuthenticationData": "123456" }),
    ]
}

pub fn methods() -> Vec<MethodView> {
    let id = MethodId::parse("3e077b0a-96be-458b-a776-0779e544546e").expect("the example is an id");
    vec![MethodView::new(id, MethodKind::Sms)]
}

fn identified() -> AuthorisationView {
    AuthorisationView {
        id: id(),
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

fn challenged() -> AuthorisationView {
    AuthorisationView {
        status: ScaStatus::ScaMethodSelected,
        chosen: methods().pop(),
        challenge: Some(ChallengeView { kind: MethodKind::Sms, display: None }),
        next: vec![NextStep::SelectAuthenticationMethod, NextStep::AuthoriseTransaction],
        psu_message: Some("We have sent you a text message with a code. Please enter the code.".to_owned()),
        ..identified()
    }
}
