//! Authorisations (§2.1, §2.3), in and out: one form for consents, funds consents, payments and cancellations.

use super::envelope::envelope;
use super::fields::Fields;
use serde::Serialize;
use serde_json::{Value, json};
use trapeza_app::sca::MethodView;
use trapeza_app::sca::{AuthorisationView, ChallengeView, Step};
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::secret::Secret;
use trapeza_http::extract::json::Json;
use trapeza_http::qr;

/// How many digits a code has.
const CODE_LENGTH: u32 = 6;
/// otpFormat: 0 CHARACTERS, 1 INTEGER.
const DIGITS: u32 = 1;

/// What the customer did on the third party's screen: exactly one of three.
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
        _ => Err(Refusal::malformed(
            "",
            "send exactly one of psuData.password, authenticationMethodId and scaAuthenticationData",
        )),
    }
}

/// The answer that starts an authorisation, and that to each step: its status is a name here.
pub fn started(view: &AuthorisationView, place: &LinkContext<'_>) -> Value {
    let mut own = json!({
        "scaStatus": view.status.name(),
        "authorisationId": view.id.to_string(),
        "scaMethods": methods_numbered(&view.methods, place.numbering),
    });
    if let Some(chosen) = &view.chosen {
        own["chosenScaMethod"] = json!(method(chosen, place.numbering));
    }
    if let Some(challenge) = &view.challenge {
        own["challengeData"] = challenge_data(challenge);
    }
    if let Some(message) = &view.psu_message {
        own["psuMessage"] = json!(message);
    }
    if let Some(check) = view.payee_verification {
        own["originalTransactionInformationAndVopStatus"] = json!(check.name());
    }
    envelope(own, &links(view, place))
}

/// The status as it is read: a number.
pub fn status(status: ScaStatus, path: &str) -> Value {
    envelope(json!({ "scaStatus": number(status) }), &[("scaStatus", path.to_owned())])
}

/// Another one is offered only where it may be started.
pub fn list(ids: &[String], path: &str, may_start: bool) -> Value {
    let start = may_start.then(|| ("startAuthorisation", path.to_owned()));
    envelope(json!({ "authorisationIds": ids }), start.as_slice())
}

/// The number of a status: its place in the list (§3).
pub fn number(status: ScaStatus) -> usize {
    ScaStatus::ALL.iter().position(|known| *known == status).unwrap_or_default()
}

/// Where an authorisation is found, and where our pages begin.
pub struct LinkContext<'a> {
    /// The path of the object's authorisations.
    pub path: &'a str,
    pub public_url: &'a str,
    pub numbering: MethodNumbering,
}

/// How methods are numbered; cancellations have numbers of their own (§2.1).
pub type MethodNumbering = fn(MethodKind) -> u32;

/// Exactly the steps that are possible next.
fn links(view: &AuthorisationView, place: &LinkContext<'_>) -> Vec<(&'static str, String)> {
    let own = format!("{}/{}", place.path, view.id);
    let mut links = vec![("scaStatus", own.clone())];
    for next in &view.next {
        let href = match (next, &view.redirect_token) {
            (NextStep::ScaRedirect, Some(token)) => format!("{}/sca/{token}", place.public_url),
            (NextStep::ScaRedirect, None) => continue,
            _ => own.clone(),
        };
        links.push((next.name(), href));
    }
    links
}

pub fn methods(methods: &[MethodView]) -> Vec<Method<'_>> {
    methods_numbered(methods, method_number)
}

pub fn methods_numbered(methods: &[MethodView], numbering: MethodNumbering) -> Vec<Method<'_>> {
    methods.iter().map(|one| method(one, numbering)).collect()
}

/// A method on the wire.
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

/// 1 SMS_OTP_AND_PIN, 2 SMS_OTP_AND_PASSWORD, 3 SMS_OTP_AND_BIOMETRIC (§2.1): a device has its PIN, the app its finger.
pub const fn cancellation_number(kind: MethodKind) -> u32 {
    match kind {
        MethodKind::Chip | MethodKind::Photo => 1,
        MethodKind::Sms => 2,
        MethodKind::Push => 3,
    }
}

fn challenge_data(challenge: &ChallengeView) -> Value {
    let shown = challenge.shown.as_deref().unwrap_or_default();
    match challenge.kind {
        MethodKind::Sms => json!({
            "otpMaxLength": CODE_LENGTH,
            "otpFormat": DIGITS,
            "additionalInformation": "The code was sent by text message.",
        }),
        MethodKind::Chip => json!({
            "data": [shown],
            "otpMaxLength": CODE_LENGTH,
            "otpFormat": DIGITS,
            "additionalInformation": "Type these digits into the card reader.",
        }),
        MethodKind::Photo => json!({
            "image": qr::png_base64(shown),
            "otpMaxLength": CODE_LENGTH,
            "otpFormat": DIGITS,
            "additionalInformation": "Scan the picture with the photo reader.",
        }),
        MethodKind::Push => json!({
            "data": [shown],
            "additionalInformation": "Choose this number in the banking app.",
        }),
    }
}

/// The value of `ASPSP-SCA-ScaApproach`.
pub const fn approach(approach: ScaApproach) -> &'static str {
    match approach {
        ScaApproach::Embedded => "EMBEDDED",
        ScaApproach::Redirect => "REDIRECT",
        ScaApproach::Decoupled => "DECOUPLED",
    }
}
