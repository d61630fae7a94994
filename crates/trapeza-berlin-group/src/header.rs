//! The request headers of the standard.

use axum::http::header::CONTENT_TYPE;
use std::net::IpAddr;
use trapeza_app::account_information::ConsentedRequest;
use trapeza_app::sca::{RedirectRule, StartPreferences};
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::CertificateMode;
use trapeza_http::extract::json::Json;
use trapeza_http::extract::{TppRequest, malformed};

const REDIRECT_PREFERRED: &str = "TPP-Redirect-Preferred";
const DECOUPLED_PREFERRED: &str = "TPP-Decoupled-Preferred";
const EXPLICIT_PREFERRED: &str = "TPP-Explicit-Authorisation-Preferred";
const NOTIFICATION_URI: &str = "TPP-Notification-URI";
pub const NOTIFICATION_CONTENT: &str = "TPP-Notification-Content-Preferred";

/// The longest user name.
const MAX_PSU_ID_CHARS: usize = 50;

/// What the third party prefers for the authorisation of what it creates.
pub struct AuthorisationOptions {
    /// The authorisation is started by a request of its own.
    pub explicit: bool,
    pub preferences: StartPreferences,
}

/// The customer's user name, where the third party knows it.
pub fn psu_id(request: &TppRequest) -> Result<Option<&str>, Refusal> {
    let Some(text) = text(request, "PSU-ID")? else { return Ok(None) };
    if text.chars().count() > MAX_PSU_ID_CHARS || text.chars().any(char::is_control) {
        return Err(malformed(
            "PSU-ID",
            format!("must have at most {MAX_PSU_ID_CHARS} printable characters"),
        ));
    }
    Ok(Some(text))
}

/// The customer's IP address; its presence says that the customer is present.
pub fn psu_address(request: &TppRequest) -> Result<Option<IpAddr>, Refusal> {
    let Some(text) = text(request, "PSU-IP-Address")? else { return Ok(None) };
    text.parse().map(Some).map_err(|_| malformed("PSU-IP-Address", "must be an IP address"))
}

/// The consent that a request uses, where it names one.
pub fn consent_id(request: &TppRequest) -> Result<Option<&str>, Refusal> {
    text(request, "Consent-ID")
}

/// The consent of a read, and whether the customer is present.
pub fn consented_request(request: &TppRequest) -> Result<ConsentedRequest, Refusal> {
    let Some(consent) = consent_id(request)? else {
        return Err(Refusal::malformed(Field::UsedConsent, "is required: the id of a consent"));
    };
    Ok(ConsentedRequest::new(&request.caller, consent, psu_address(request)?.is_some()))
}

/// The headers that change the effect of a write, each looked up once.
pub struct EffectiveHeaders<'a> {
    pub psu_id: Option<&'a str>,
    redirect_preferred: Option<&'a str>,
    decoupled_preferred: Option<&'a str>,
    explicit_preferred: Option<&'a str>,
    redirect_uri: Option<&'a str>,
    nok_redirect_uri: Option<&'a str>,
    pub notification_uri: Option<&'a str>,
    pub notification_content: Option<&'a str>,
}

impl<'a> EffectiveHeaders<'a> {
    pub fn read(request: &'a TppRequest) -> Result<Self, Refusal> {
        Ok(Self {
            psu_id: psu_id(request)?,
            redirect_preferred: text(request, REDIRECT_PREFERRED)?,
            decoupled_preferred: text(request, DECOUPLED_PREFERRED)?,
            explicit_preferred: text(request, EXPLICIT_PREFERRED)?,
            redirect_uri: text(request, "TPP-Redirect-URI")?,
            nok_redirect_uri: text(request, "TPP-Nok-Redirect-URI")?,
            notification_uri: text(request, NOTIFICATION_URI)?,
            notification_content: text(request, NOTIFICATION_CONTENT)?,
        })
    }

    /// All of them in one text, for the comparison of two requests with one id.
    pub fn joined(&self) -> String {
        let values = [
            self.psu_id,
            self.redirect_preferred,
            self.decoupled_preferred,
            self.explicit_preferred,
            self.redirect_uri,
            self.nok_redirect_uri,
            self.notification_uri,
            self.notification_content,
        ];
        values.map(Option::unwrap_or_default).join("\n")
    }
}

/// What the third party prefers for the authorisation.
pub fn authorisation_options(
    request: &TppRequest,
    headers: &EffectiveHeaders<'_>,
) -> Result<AuthorisationOptions, Refusal> {
    let redirect = parse_flag(REDIRECT_PREFERRED, headers.redirect_preferred)?;
    let decoupled = parse_flag(DECOUPLED_PREFERRED, headers.decoupled_preferred)?;
    let explicit = parse_flag(EXPLICIT_PREFERRED, headers.explicit_preferred)?;
    for name in ["TPP-Rejection-NoFunds-Preferred", "Client-VOP-Requested"] {
        parse_flag(name, text(request, name)?)?;
    }
    let redirect_uri = headers.redirect_uri.map(str::to_owned);
    let nok_redirect_uri = headers.nok_redirect_uri.map(str::to_owned);
    if redirect == Some(true) && redirect_uri.is_none() {
        let text = "is required when the redirect is preferred";
        return Err(Refusal::malformed(Field::RedirectUri, text));
    }
    let preferences = StartPreferences {
        redirect_preferred: redirect,
        decoupled_preferred: decoupled == Some(true),
        exclusive: true,
        redirect_uri,
        nok_redirect_uri,
        redirect_rule: redirect_rule(request)?,
        notification: None,
        brand: brand(request)?,
    };
    Ok(AuthorisationOptions { explicit: explicit == Some(true), preferences })
}

/// The brand of the third party that the customer uses, as it names it for the bank's records.
fn brand(request: &TppRequest) -> Result<Option<String>, Refusal> {
    const MAX: usize = 140;
    let named = text(request, "TPP-Brand-Logging-Information")?;
    Ok(named.map(|text| text.chars().filter(|c| !c.is_control()).take(MAX).collect()))
}

/// Addresses may be those of the certificate's holder. A caller of the sandbox without a certificate names any.
fn redirect_rule(request: &TppRequest) -> Result<RedirectRule, Refusal> {
    let is_anonymous = request.state.settings.certificates == CertificateMode::Header
        && text(request, "TPP-QWAC-Certificate")?.is_none()
        && text(request, "Certificate")?.is_none();
    Ok(match is_anonymous {
        true => RedirectRule::Any,
        false => RedirectRule::RegisteredOrBelow(request.caller.certificate.host_names.clone()),
    })
}

/// The body as JSON. Another media type is refused.
pub fn json_body(request: &TppRequest) -> Result<Json<'_>, Refusal> {
    check_media(request, &["application/json"])?;
    request.json()
}

/// The body of a request that must be XML. Another media type is refused.
pub fn xml_body(request: &TppRequest) -> Result<&[u8], Refusal> {
    check_media(request, &["application/xml", "text/xml"])?;
    Ok(&request.body)
}

/// A request without the header has a body of the right type.
fn check_media(request: &TppRequest, allowed: &[&str]) -> Result<(), Refusal> {
    let media = request.parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = media.map(|media| media.split(';').next().unwrap_or_default().trim());
    if kind.is_none_or(|kind| allowed.iter().any(|allowed| kind.eq_ignore_ascii_case(allowed))) {
        return Ok(());
    }
    let (path, text) = (FieldPath::spelled("Content-Type"), format!("must be {}", allowed.join(" or ")));
    Err(Refusal::at(RefusalReason::MediaTypeUnsupported, path, text))
}

/// The text of a header; an empty one counts as absent.
pub fn text<'a>(request: &'a TppRequest, name: &'static str) -> Result<Option<&'a str>, Refusal> {
    Ok(request.header(&[name])?.filter(|text| !text.is_empty()))
}

fn parse_flag(name: &'static str, sent: Option<&str>) -> Result<Option<bool>, Refusal> {
    match sent {
        None => Ok(None),
        Some(word) if word.eq_ignore_ascii_case("true") => Ok(Some(true)),
        Some(word) if word.eq_ignore_ascii_case("false") => Ok(Some(false)),
        Some(_) => Err(malformed(name, "must be true or false")),
    }
}
