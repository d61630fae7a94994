//! Authorisations (§2.1, §2.3), with one format for consents, funds consents, payments and cancellations.

use super::envelope::{Envelope, Links};
use super::fields::Fields;
use serde::Serialize;
use trapeza_app::sca::MethodView;
use trapeza_app::sca::{AuthorisationView, ChallengeView, Step};
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_http::extract::json::Json;
use trapeza_http::qr;

/// The number of digits of an OTP.
const OTP_LENGTH: u32 = 6;
/// `otpFormat`: 0 CHARACTERS, 1 INTEGER.
const OTP_INTEGER: u32 = 1;

/// Reads the customer's step on the third party's screen: exactly one of three.
pub fn step(body: &Json) -> Result<Step, Refusal> {
    let fields = Fields::of(body)?;
    let password = fields.opt_object("psuData").and_then(|data| data.text("password"));
    let method = fields.opt_text("authenticationMethodId");
    let code = fields.opt_text("scaAuthenticationData");
    fields.finish()?;
    match (password, method, code) {
        (Some(password), None, None) => Ok(Step::Password(Secret::new(password.to_owned()))),
        (None, Some(method), None) => Ok(Step::Method(method.to_owned())),
        (None, None, Some(code)) => Ok(Step::Code(Secret::new(code.to_owned()))),
        _ => Err(Refusal::new(
            RefusalReason::Malformed,
            "send exactly one of psuData.password, authenticationMethodId and scaAuthenticationData",
        )),
    }
}

/// The response that starts an authorisation, and to each of its steps; the status is a name here.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Started<'a> {
    sca_status: &'static str,
    authorisation_id: String,
    sca_methods: Vec<Method<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen_sca_method: Option<Method<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge_data: Option<ChallengeData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    psu_message: Option<&'a str>,
    #[serde(rename = "originalTransactionInformationAndVopStatus", skip_serializing_if = "Option::is_none")]
    payee_verification: Option<&'static str>,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn started<'a>(view: &'a AuthorisationView, context: &LinkContext<'_>) -> Started<'a> {
    Started {
        sca_status: view.status.name(),
        authorisation_id: view.id.to_string(),
        sca_methods: methods_numbered(&view.methods, context.numbering),
        chosen_sca_method: view.chosen.as_ref().map(|chosen| method(chosen, context.numbering)),
        challenge_data: view.challenge.as_ref().map(challenge_data),
        psu_message: view.psu_message.as_deref(),
        payee_verification: view.payee_verification.map(|check| check.name()),
        envelope: Envelope::with(links(view, context)),
    }
}

/// The status of an authorisation, as a number.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    sca_status: usize,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn status(status: ScaStatus, path: String) -> Status {
    Status { sca_status: number(status), envelope: Envelope::with(Links::one("scaStatus", path)) }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct List {
    authorisation_ids: Vec<String>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// The authorisations of a target. The link to start another is present only where that is possible.
pub fn list(authorisation_ids: Vec<String>, path: String, may_start: bool) -> List {
    let links = if may_start { Links::one("startAuthorisation", path) } else { Links::default() };
    List { authorisation_ids, envelope: Envelope::with(links) }
}

/// The number of a status: its index in the list (§3).
pub fn number(status: ScaStatus) -> usize {
    ScaStatus::ALL.iter().position(|other| *other == status).unwrap_or_default()
}

/// Where the links of an authorisation lead.
pub struct LinkContext<'a> {
    /// The path of the target's authorisations.
    pub path: &'a str,
    pub public_url: &'a str,
    pub numbering: MethodNumbering,
}

/// How methods are numbered; cancellations have numbers of their own (§2.1).
pub type MethodNumbering = fn(MethodKind) -> u32;

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

pub fn methods(methods: &[MethodView]) -> Vec<Method<'_>> {
    methods_numbered(methods, method_number)
}

pub fn methods_numbered(methods: &[MethodView], numbering: MethodNumbering) -> Vec<Method<'_>> {
    methods.iter().map(|each| method(each, numbering)).collect()
}

/// An SCA method of the customer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Method<'a> {
    authentication_type: u32,
    authentication_method_id: String,
    name: &'a str,
}

fn method(method: &MethodView, numbering: MethodNumbering) -> Method<'_> {
    Method {
        authentication_type: numbering(method.kind),
        authentication_method_id: method.id.to_string(),
        name: &method.name,
    }
}

/// 0 SMSOTP, 1 CHIPOTP, 2 PHOTOOTP, 3 PUSHOTP (§2.1).
pub const fn method_number(kind: MethodKind) -> u32 {
    match kind {
        MethodKind::Sms => 0,
        MethodKind::Chip => 1,
        MethodKind::Photo => 2,
        MethodKind::Push => 3,
    }
}

/// 1 SMS_OTP_AND_PIN, 2 SMS_OTP_AND_PASSWORD, 3 SMS_OTP_AND_BIOMETRIC (§2.1): a card reader asks for a PIN, the app for a
/// fingerprint.
pub const fn cancellation_number(kind: MethodKind) -> u32 {
    match kind {
        MethodKind::Chip | MethodKind::Photo => 1,
        MethodKind::Sms => 2,
        MethodKind::Push => 3,
    }
}

/// The challenge, as the third party shows it.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct ChallengeData<'a> {
    /// A PNG in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<[&'a str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    otp_max_length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    otp_format: Option<u32>,
    additional_information: &'static str,
}

fn challenge_data(challenge: &ChallengeView) -> ChallengeData<'_> {
    let shown = challenge.shown.as_deref().unwrap_or_default();
    let otp = ChallengeData {
        otp_max_length: Some(OTP_LENGTH),
        otp_format: Some(OTP_INTEGER),
        ..ChallengeData::default()
    };
    match challenge.kind {
        MethodKind::Sms => {
            ChallengeData { additional_information: "The code was sent by text message.", ..otp }
        }
        MethodKind::Chip => ChallengeData {
            data: Some([shown]),
            additional_information: "Type these digits into the card reader.",
            ..otp
        },
        MethodKind::Photo => ChallengeData {
            image: Some(qr::png_base64(shown)),
            additional_information: "Scan the picture with the photo reader.",
            ..otp
        },
        MethodKind::Push => ChallengeData {
            data: Some([shown]),
            additional_information: "Choose this number in the banking app.",
            ..ChallengeData::default()
        },
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
