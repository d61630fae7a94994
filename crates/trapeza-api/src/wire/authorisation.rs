//! Authorisations (§2.1, §2.3), with one format for consents, funds consents, payments and cancellations.

use super::envelope::{Envelope, Links};
use super::request::{Required, request};
use super::schema::{numbered, one_of};
use crate::wire::field_name::spell;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::borrow::Cow;
use trapeza_app::sca::{AuthorisationView, ChallengeView, MethodView, Step};
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_http::extract::fields::Fields;
use trapeza_http::extract::json::Json;
use uuid::Uuid;

/// The number of digits of an OTP.
const OTP_LENGTH: u32 = 6;
/// `otpFormat`: 0 CHARACTERS, 1 INTEGER.
const OTP_INTEGER: u32 = 1;

request! {
    /// A step of the customer on the third party's screen: exactly one of these.
    #[schemars(rename = "AuthorisationStep")]
    pub struct StepRequest<'a> {
        /// The customer's password.
        "psuData" => psu_data: Option<PsuData<'a>>,
        /// The selected SCA method; the current one again sends a new OTP.
        "authenticationMethodId" => authentication_method_id: Option<&'a str>,
        /// The customer's OTP.
        "scaAuthenticationData" => sca_authentication_data: Option<&'a str>,
    }
}

request! {
    /// The credentials of the customer.
    #[schemars(inline)]
    pub struct PsuData<'a> {
        /// The customer's password.
        "password" => password: Required<&'a str>,
    }
}

/// Reads the customer's step on the third party's screen: exactly one of three.
pub fn step(body: &Json) -> Result<Step, Refusal> {
    opt_step(body)?.ok_or_else(one_step)
}

/// Reads the step that may be sent together with the start of an authorisation.
pub fn opt_step(body: &Json) -> Result<Option<Step>, Refusal> {
    let fields = Fields::of(body, spell)?;
    let StepRequest { psu_data, authentication_method_id, sca_authentication_data } =
        StepRequest::read(&fields);
    fields.finish()?;
    let password = psu_data.and_then(|data| data.password.0);
    match (password, authentication_method_id, sca_authentication_data) {
        (None, None, None) => Ok(None),
        (Some(password), None, None) => Ok(Some(Step::Password(Secret::new(password.to_owned())))),
        (None, Some(method), None) => Ok(Some(Step::Method(method.to_owned()))),
        (None, None, Some(code)) => Ok(Some(Step::Code(Secret::new(code.to_owned())))),
        _ => Err(one_step()),
    }
}

fn one_step() -> Refusal {
    let text = "send exactly one of psuData.password, authenticationMethodId and scaAuthenticationData";
    Refusal::new(RefusalReason::Malformed, text)
}

/// An authorisation of a consent. Its status is a name here and a number elsewhere.
#[derive(Serialize, JsonSchema)]
pub struct Authorisation<'a> {
    #[serde(flatten)]
    progress: Progress<'a, ScaMethod<'a>>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// An authorisation of a payment. Its status is a name here and a number elsewhere.
#[derive(Serialize, JsonSchema)]
pub struct PaymentAuthorisation<'a> {
    #[serde(flatten)]
    progress: Progress<'a, ScaMethod<'a>>,
    /// The payee's name is similar to that of the account owner, differs from it, or could not be verified. Reported once.
    #[serde(rename = "originalTransactionInformationAndVopStatus", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["CMTC", "NMTC", "NOAP"]))]
    payee_verification: Option<&'static str>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// An authorisation of a payment's cancellation. Its status is a name here and a number elsewhere.
#[derive(Serialize, JsonSchema)]
pub struct CancellationAuthorisation<'a> {
    #[serde(flatten)]
    progress: Progress<'a, CancellationScaMethod<'a>>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// The fields of every authorisation, as it was started or after a step.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Progress<'a, M> {
    /// The status of the authorisation.
    #[schemars(schema_with = "status_name_schema")]
    sca_status: &'static str,
    /// The authorisation's id.
    authorisation_id: Uuid,
    /// The customer's SCA methods.
    sca_methods: Vec<M>,
    /// The selected SCA method.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen_sca_method: Option<M>,
    /// The challenge of that method.
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge_data: Option<ChallengeData<'a>>,
    /// A message for the customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    psu_message: Option<&'a str>,
}

fn status_name_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(ScaStatus::ALL.iter().map(|each| each.name()))
}

impl<'a, M: From<&'a MethodView>> Progress<'a, M> {
    fn of(view: &'a AuthorisationView) -> Self {
        Self {
            sca_status: view.status.name(),
            authorisation_id: view.id.uuid(),
            sca_methods: view.methods.iter().map(M::from).collect(),
            chosen_sca_method: view.chosen.as_ref().map(M::from),
            challenge_data: view.challenge.as_ref().map(challenge_data),
            psu_message: view.psu_message.as_deref(),
        }
    }
}

impl<'a> Authorisation<'a> {
    pub fn of(view: &'a AuthorisationView, context: &LinkContext<'_>) -> Self {
        Self { progress: Progress::of(view), envelope: Envelope::with(links(view, context)) }
    }
}

impl<'a> PaymentAuthorisation<'a> {
    pub fn of(view: &'a AuthorisationView, context: &LinkContext<'_>) -> Self {
        Self {
            progress: Progress::of(view),
            payee_verification: view.payee_verification.map(|check| check.name()),
            envelope: Envelope::with(links(view, context)),
        }
    }
}

impl<'a> CancellationAuthorisation<'a> {
    pub fn of(view: &'a AuthorisationView, context: &LinkContext<'_>) -> Self {
        Self { progress: Progress::of(view), envelope: Envelope::with(links(view, context)) }
    }
}

/// The status of an authorisation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuthorisationStatusResponse")]
pub struct Status {
    /// The status.
    sca_status: StatusNumber,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn status(status: ScaStatus, path: String) -> Status {
    Status { sca_status: status.into(), envelope: Envelope::with(Links::one("scaStatus", path)) }
}

/// The authorisations of an object.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuthorisationIds")]
pub struct List {
    /// The ids of the authorisations, oldest first.
    authorisation_ids: Vec<Uuid>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// The authorisations of a target. The link to start another is present only where that is possible.
pub fn list(authorisation_ids: Vec<Uuid>, path: String, may_start: bool) -> List {
    let links = if may_start { Links::one("startAuthorisation", path) } else { Links::default() };
    List { authorisation_ids, envelope: Envelope::with(links) }
}

/// The number of a status: its index in the list (§3).
#[derive(Serialize)]
pub struct StatusNumber(usize);

impl From<ScaStatus> for StatusNumber {
    fn from(status: ScaStatus) -> Self {
        Self(ScaStatus::ALL.iter().position(|other| *other == status).unwrap_or_default())
    }
}

impl JsonSchema for StatusNumber {
    fn schema_name() -> Cow<'static, str> {
        "ScaStatus".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        numbered(ScaStatus::ALL.iter().map(|each| each.name()))
    }
}

/// Where the links of an authorisation lead.
pub struct LinkContext<'a> {
    /// The path of the target's authorisations.
    pub path: &'a str,
    pub public_url: &'a str,
}

/// Links to exactly the steps that are possible next.
fn links(view: &AuthorisationView, context: &LinkContext<'_>) -> Links {
    let own = format!("{}/{}", context.path, view.id);
    let mut links = Links::one("scaStatus", own.clone());
    for next in &view.next {
        let href = match (next, &view.redirect_token) {
            (NextStep::ScaRedirect, Some(token)) => format!("{}/sca/{token}", context.public_url),
            (NextStep::ScaRedirect, None) => continue,
            _ => own.clone(),
        };
        links.add(next.name(), href);
    }
    links
}

/// An SCA method of the customer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScaMethod<'a> {
    #[schemars(schema_with = "method_type_schema")]
    authentication_type: u32,
    /// The id to send in order to select this method.
    authentication_method_id: Uuid,
    /// The customer's name for it.
    name: &'a str,
}

/// An SCA method of the customer. Cancellations have their own numbers (§2.1).
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancellationScaMethod<'a> {
    #[schemars(schema_with = "cancellation_type_schema")]
    authentication_type: u32,
    /// The id to send in order to select this method.
    authentication_method_id: Uuid,
    /// The customer's name for it.
    name: &'a str,
}

fn method_type_schema(_: &mut SchemaGenerator) -> Schema {
    numbered(["SMSOTP", "CHIPOTP", "PHOTOOTP", "PUSHOTP"])
}

fn cancellation_type_schema(_: &mut SchemaGenerator) -> Schema {
    numbered(["SMS_OTP", "SMS_OTP_AND_PIN", "SMS_OTP_AND_PASSWORD", "SMS_OTP_AND_BIOMETRIC"])
}

impl<'a> From<&'a MethodView> for ScaMethod<'a> {
    fn from(method: &'a MethodView) -> Self {
        let authentication_type = match method.kind {
            MethodKind::Sms => 0,
            MethodKind::Chip => 1,
            MethodKind::Photo => 2,
            MethodKind::Push => 3,
        };
        Self { authentication_type, authentication_method_id: method.id.uuid(), name: method.name }
    }
}

impl<'a> From<&'a MethodView> for CancellationScaMethod<'a> {
    /// A card reader asks for a PIN, the app for a fingerprint.
    fn from(method: &'a MethodView) -> Self {
        let authentication_type = match method.kind {
            MethodKind::Chip | MethodKind::Photo => 1,
            MethodKind::Sms => 2,
            MethodKind::Push => 3,
        };
        Self { authentication_type, authentication_method_id: method.id.uuid(), name: method.name }
    }
}

/// The challenge for the customer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChallengeData<'a> {
    /// An image, as a PNG in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64", "contentMediaType" = "image/png"))]
    image: Option<String>,
    /// Digits to type into the device, or to compare with those in the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<[&'a str; 1]>,
    /// The length of the OTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    otp_max_length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "otp_format_schema")]
    otp_format: Option<u32>,
    /// Instructions for the customer.
    additional_information: &'static str,
}

fn otp_format_schema(_: &mut SchemaGenerator) -> Schema {
    numbered(["CHARACTERS", "INTEGER"])
}

fn challenge_data(challenge: &ChallengeView) -> ChallengeData<'_> {
    let display = challenge.display.as_deref().unwrap_or_default();
    // A push is approved in the app; every other challenge is answered with an OTP.
    let takes_otp = challenge.kind != MethodKind::Push;
    let (data, image) = match challenge.kind {
        MethodKind::Sms => (None, None),
        MethodKind::Chip | MethodKind::Push => (Some([display]), None),
        MethodKind::Photo => (None, Some(trapeza_qr::png_base64(display))),
    };
    ChallengeData {
        image,
        data,
        otp_max_length: takes_otp.then_some(OTP_LENGTH),
        otp_format: takes_otp.then_some(OTP_INTEGER),
        additional_information: challenge.instruction(),
    }
}

/// The value of `ASPSP-SCA-Approach`.
pub const fn approach(approach: ScaApproach) -> &'static str {
    match approach {
        ScaApproach::Embedded => "EMBEDDED",
        ScaApproach::Redirect => "REDIRECT",
        ScaApproach::Decoupled => "DECOUPLED",
    }
}
