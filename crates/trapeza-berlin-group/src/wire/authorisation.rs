//! Authorisations, with one format for consents, funds consents, payments and cancellations.

use super::field_name::spell;
use super::request::request;
use super::schema::{self, one_of};
use super::text::{cut, long_id, short_id};
use crate::link::Links;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use trapeza_app::sca::{AuthorisationView, ChallengeView, MethodView, Step};
use trapeza_domain::authorisation::{NextStep, ScaApproach};
use trapeza_domain::field::FieldPath;
use trapeza_domain::payment::Payment;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_http::berlin_group::MAX_TEXT_CHARS;
use trapeza_http::extract::fields::Fields;
use trapeza_http::extract::json::Json;
use uuid::Uuid;

/// The number of digits of an OTP.
const OTP_LENGTH: u32 = 6;

request! {
    /// A step of the customer on the third party's screen: one of these, or none with the header PSU-ID to identify the customer.
    #[schemars(rename = "AuthorisationStep")]
    pub struct StepRequest<'a> {
        /// The customer's password.
        "psuData" => psu_data: PsuData<'a>,
        /// The selected SCA method; the current one again sends a new OTP.
        "authenticationMethodId" => authentication_method_id: &'a str,
        /// The customer's OTP.
        "scaAuthenticationData" => sca_authentication_data: &'a str,
    }
}

request! {
    /// The credentials of the customer.
    #[schemars(inline)]
    pub struct PsuData<'a> {
        /// The customer's password.
        required "password" => password: &'a str,
    }
}

/// Reads the customer's step, if the body has one.
pub fn step(body: &Json) -> Result<Option<Step>, Refusal> {
    let fields = Fields::of(body, spell)?;
    let refuse = |reason, path: &str| {
        Err(Refusal::at(reason, FieldPath::spelled(path), "is not supported; remove it"))
    };
    if fields.has("confirmationCode") {
        return refuse(RefusalReason::StepOutOfOrder, "confirmationCode");
    }
    if let Some(data) = fields.opt_object("psuData") {
        for name in ["encryptedPassword", "additionalPassword", "additionalEncryptedPassword"] {
            if data.has(name) {
                return refuse(RefusalReason::Unsupported, &format!("psuData.{name}"));
            }
        }
    }
    let StepRequest { psu_data, authentication_method_id, sca_authentication_data } =
        StepRequest::read(&fields);
    fields.finish()?;
    let password = psu_data.and_then(|data| data.password);
    match (password, authentication_method_id, sca_authentication_data) {
        (None, None, None) => Ok(None),
        (Some(password), None, None) => Ok(Some(Step::Password(Secret::new(password.to_owned())))),
        (None, Some(method), None) => Ok(Some(Step::Method(long_id(method)))),
        (None, None, Some(code)) => Ok(Some(Step::Code(Secret::new(code.to_owned())))),
        _ => Err(one_step()),
    }
}

/// The refusal of a body with several steps, or without one where one is needed.
pub fn one_step() -> Refusal {
    let text = "send one of psuData.password, authenticationMethodId and scaAuthenticationData, or the header PSU-ID";
    Refusal::new(RefusalReason::Malformed, text)
}

/// An authorisation as it was started, or after a step of the customer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuthorisationProgress", deny_unknown_fields)]
pub struct Progress<'a> {
    #[schemars(schema_with = "schema::sca_status")]
    sca_status: &'static str,
    /// The authorisation's id.
    authorisation_id: Uuid,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sca_methods: Vec<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen_sca_method: Option<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge_data: Option<ChallengeData<'a>>,
    #[serde(rename = "_links")]
    links: Links,
    /// A message for the customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    psu_message: Option<&'a str>,
    /// The payee's name is not, or not exactly, that of the account. Reported once.
    #[serde(rename = "originalTransactionInformationAndVopStatus", skip_serializing_if = "Option::is_none")]
    payee_verification: Option<PayeeVerificationOut<'a>>,
}

/// What the third party learns about the verification of the payee.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OriginalTransactionInformationAndVopStatus", deny_unknown_fields)]
pub struct PayeeVerificationOut<'a> {
    /// The reference of the payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    pub original_end_to_end_id: Option<&'a str>,
    #[schemars(schema_with = "schema::transaction_status")]
    pub transaction_status: &'static str,
    /// CMTC: the name is similar, NMTC: it differs, NOAP: it could not be verified.
    #[schemars(extend("enum" = ["CMTC", "NMTC", "NOAP"]))]
    pub creditor_name_match: &'static str,
    /// The name of the account's owner, where it is similar.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    pub matched_creditor_name: Option<&'a str>,
}

impl<'a> PayeeVerificationOut<'a> {
    /// What is to be warned of about the payee of this payment.
    pub fn of(payment: &'a Payment) -> Option<Self> {
        let verified =
            payment.payee_verification.as_ref().filter(|verified| verified.result().is_warning())?;
        Some(Self {
            original_end_to_end_id: payment.instruction.end_to_end_id.as_deref(),
            transaction_status: payment.state.status().name(),
            creditor_name_match: verified.result().name(),
            matched_creditor_name: verified.owner_name().map(|name| cut(name, 140)),
        })
    }
}

impl<'a> Progress<'a> {
    pub fn of(
        view: &'a AuthorisationView,
        links: Links,
        payee_verification: Option<PayeeVerificationOut<'a>>,
    ) -> Self {
        Self {
            sca_status: view.status.name(),
            authorisation_id: view.id.uuid(),
            sca_methods: selectable_methods(view),
            chosen_sca_method: view.chosen.as_ref().map(ScaMethod::from),
            challenge_data: view.challenge.as_ref().map(challenge_data),
            links,
            psu_message: view.psu_message.as_deref().map(|text| cut(text, MAX_TEXT_CHARS)),
            payee_verification,
        }
    }
}

/// The methods among which the customer may choose now, on the third party's screen.
pub fn selectable_methods(view: &AuthorisationView) -> Vec<ScaMethod<'_>> {
    let is_choice = view.approach == ScaApproach::Embedded
        && view.chosen.is_none()
        && view.next.contains(&NextStep::SelectAuthenticationMethod);
    if is_choice { view.methods.iter().map(ScaMethod::from).collect() } else { Vec::new() }
}

/// The status of an authorisation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ScaStatus", deny_unknown_fields)]
pub struct Status {
    #[schemars(schema_with = "schema::sca_status")]
    pub sca_status: &'static str,
    #[serde(rename = "_links", skip_serializing_if = "Links::is_empty")]
    pub links: Links,
}

/// The authorisations of an object.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Authorisations", deny_unknown_fields)]
pub struct List {
    /// The ids of the authorisations, oldest first.
    pub authorisation_ids: Vec<Uuid>,
}

/// An SCA method of the customer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ScaMethod<'a> {
    #[schemars(schema_with = "method_type_schema")]
    authentication_type: &'static str,
    /// The id to send in order to select this method.
    #[schemars(length(max = 35))]
    authentication_method_id: String,
    /// The name of the method.
    name: &'a str,
}

fn method_type_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(["SMS_OTP", "CHIP_OTP", "PHOTO_OTP", "PUSH_OTP"])
}

impl<'a> From<&'a MethodView> for ScaMethod<'a> {
    fn from(method: &'a MethodView) -> Self {
        let authentication_type = match method.kind {
            MethodKind::Sms => "SMS_OTP",
            MethodKind::Chip => "CHIP_OTP",
            MethodKind::Photo => "PHOTO_OTP",
            MethodKind::Push => "PUSH_OTP",
        };
        Self { authentication_type, authentication_method_id: short_id(method.id.uuid()), name: method.name }
    }
}

/// The challenge for the customer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ChallengeData<'a> {
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
    #[schemars(extend("enum" = ["characters", "integer"]))]
    otp_format: Option<&'static str>,
    /// Instructions for the customer.
    additional_information: &'static str,
}

pub fn challenge_data(challenge: &ChallengeView) -> ChallengeData<'_> {
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
        otp_format: takes_otp.then_some("integer"),
        additional_information: challenge.instruction(),
    }
}
