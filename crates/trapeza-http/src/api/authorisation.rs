//! Authorisations of consents and funds consents (§4.1, §4.4): start, list, status, and the steps of the embedded way.

use crate::answer::{reply, told};
use crate::call::TppCall;
use crate::wire::authorisation as wire;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use trapeza_app::Stop;
use trapeza_app::authorisation::{AuthorisationView, Object, Preferences};
use trapeza_app::repeat::Answered;
use trapeza_domain::authorisation::{ScaStatus, TargetKind};
use trapeza_domain::refusal::Refusal;

pub async fn consent_start(call: TppCall) -> Result<Response, Stop> {
    start(call, TargetKind::Consent).await
}

pub async fn consent_list(call: TppCall) -> Result<Response, Stop> {
    list(call, TargetKind::Consent).await
}

pub async fn consent_fetch(call: TppCall) -> Result<Response, Stop> {
    fetch(call, TargetKind::Consent).await
}

pub async fn consent_update(call: TppCall) -> Result<Response, Stop> {
    update(call, TargetKind::Consent).await
}

pub async fn funds_start(call: TppCall) -> Result<Response, Stop> {
    start(call, TargetKind::FundsConsent).await
}

pub async fn funds_list(call: TppCall) -> Result<Response, Stop> {
    list(call, TargetKind::FundsConsent).await
}

pub async fn funds_fetch(call: TppCall) -> Result<Response, Stop> {
    fetch(call, TargetKind::FundsConsent).await
}

pub async fn funds_update(call: TppCall) -> Result<Response, Stop> {
    update(call, TargetKind::FundsConsent).await
}

/// Endpoint 4: where the newest authorisation of a funds consent stands, and the consent beside it.
pub async fn funds_status(call: TppCall) -> Result<Response, Stop> {
    let id = call.path("consentId");
    let object = Object { kind: TargetKind::FundsConsent, id };
    let newest = call.bank.app.authorisation_newest(&call.who, object).await?;
    let consent = call.bank.app.funds_consent_status(&call.who, id).await?;
    let path = format!("/v2/consents/confirmation-of-funds/{id}");
    let body = crate::wire::funds::status(newest.unwrap_or(ScaStatus::Received), consent, path);
    Ok(reply(StatusCode::OK, &body))
}

async fn start(call: TppCall, kind: TargetKind) -> Result<Response, Stop> {
    let psu = call.psu_id()?.to_owned();
    let preferences = preferences(&call)?;
    let named = call.named(&psu, "");
    let object = Object { kind, id: call.path("consentId") };
    let view = call.bank.app.authorisation_start(named, &call.who, object, psu, preferences).await?;
    Ok(shown(&call, kind, &view))
}

async fn list(call: TppCall, kind: TargetKind) -> Result<Response, Stop> {
    let object = Object { kind, id: call.path("consentId") };
    let ids = call.bank.app.authorisation_list(&call.who, object).await?;
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(reply(StatusCode::OK, &wire::list(&ids, &path(&call, kind))))
}

async fn fetch(call: TppCall, kind: TargetKind) -> Result<Response, Stop> {
    let object = Object { kind, id: call.path("consentId") };
    let view = call.bank.app.authorisation_find(&call.who, object, call.path("authorisationId")).await?;
    let own = format!("{}/{}", path(&call, kind), view.id);
    Ok(reply(StatusCode::OK, &wire::status(view.status, &own)))
}

async fn update(call: TppCall, kind: TargetKind) -> Result<Response, Stop> {
    let step = wire::step(&call.json()?)?;
    let named = call.named("", "");
    let object = Object { kind, id: call.path("consentId") };
    let id = call.path("authorisationId");
    let view = call.bank.app.authorisation_update(named, &call.who, object, id, step).await?;
    Ok(shown(&call, kind, &view))
}

/// How the third party would like it, out of the Berlin Group's headers.
fn preferences(call: &TppCall) -> Result<Preferences, Refusal> {
    let flag = |name: &'static str| match call.header(&[name])? {
        None => Ok(false),
        Some(word) if word.eq_ignore_ascii_case("true") => Ok(true),
        Some(word) if word.eq_ignore_ascii_case("false") => Ok(false),
        Some(_) => Err(Refusal::malformed(name, "has to be true or false")),
    };
    let text = |name: &'static str| -> Result<Option<String>, Refusal> {
        Ok(call.header(&[name])?.filter(|text| !text.is_empty()).map(str::to_owned))
    };
    Ok(Preferences {
        redirect_preferred: flag("TPP-Redirect-Preferred")?,
        decoupled_preferred: flag("TPP-Decoupled-Preferred")?,
        redirect_uri: text("TPP-Redirect-URI")?,
        nok_redirect_uri: text("TPP-Nok-Redirect-URI")?,
    })
}

fn shown(call: &TppCall, kind: TargetKind, view: &Answered<AuthorisationView>) -> Response {
    let path = path(call, kind);
    let place = wire::Place { path: &path, public_url: &call.bank.settings.public_url };
    let mut response = reply(StatusCode::OK, &wire::started(&view.value, &place));
    let approach = HeaderValue::from_static(wire::approach(view.value.approach));
    response.headers_mut().insert("aspsp-sca-approach", approach);
    told(response, view)
}

/// The path of the object's authorisations.
fn path(call: &TppCall, kind: TargetKind) -> String {
    let id = call.path("consentId");
    match kind {
        TargetKind::FundsConsent => format!("/v2/consents/confirmation-of-funds/{id}/authorisations"),
        _ => format!("/v1/consents/{id}/authorisations"),
    }
}
