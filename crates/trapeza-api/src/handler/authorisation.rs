//! Authorisations of consents, funds consents, payments and their cancellation (§4.1, §4.2, §4.4): start, list, status,
//! and the steps of the embedded way.

use crate::handler::payment;
use crate::wire::authorisation as wire;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::idempotency::Replayable;
use trapeza_app::sca::{AuthorisationView, Preferences, TargetRef};
use trapeza_domain::authorisation::{ScaStatus, TargetKind};
use trapeza_domain::refusal::Refusal;
use trapeza_http::call::TppCall;
use trapeza_http::response::{reply, told};

pub async fn consent_start(call: TppCall) -> Result<Response, UseCaseError> {
    start(call, TargetKind::Consent).await
}

pub async fn consent_list(call: TppCall) -> Result<Response, UseCaseError> {
    list(call, TargetKind::Consent).await
}

pub async fn consent_fetch(call: TppCall) -> Result<Response, UseCaseError> {
    fetch(call, TargetKind::Consent).await
}

pub async fn consent_update(call: TppCall) -> Result<Response, UseCaseError> {
    update(call, TargetKind::Consent).await
}

pub async fn funds_start(call: TppCall) -> Result<Response, UseCaseError> {
    start(call, TargetKind::FundsConsent).await
}

pub async fn funds_list(call: TppCall) -> Result<Response, UseCaseError> {
    list(call, TargetKind::FundsConsent).await
}

pub async fn funds_fetch(call: TppCall) -> Result<Response, UseCaseError> {
    fetch(call, TargetKind::FundsConsent).await
}

pub async fn funds_update(call: TppCall) -> Result<Response, UseCaseError> {
    update(call, TargetKind::FundsConsent).await
}

pub async fn payment_start(call: TppCall) -> Result<Response, UseCaseError> {
    start(call, TargetKind::Payment).await
}

pub async fn payment_list(call: TppCall) -> Result<Response, UseCaseError> {
    list(call, TargetKind::Payment).await
}

pub async fn payment_fetch(call: TppCall) -> Result<Response, UseCaseError> {
    fetch(call, TargetKind::Payment).await
}

pub async fn payment_update(call: TppCall) -> Result<Response, UseCaseError> {
    update(call, TargetKind::Payment).await
}

pub async fn cancellation_start(call: TppCall) -> Result<Response, UseCaseError> {
    start(call, TargetKind::Cancellation).await
}

pub async fn cancellation_list(call: TppCall) -> Result<Response, UseCaseError> {
    list(call, TargetKind::Cancellation).await
}

pub async fn cancellation_fetch(call: TppCall) -> Result<Response, UseCaseError> {
    fetch(call, TargetKind::Cancellation).await
}

pub async fn cancellation_update(call: TppCall) -> Result<Response, UseCaseError> {
    update(call, TargetKind::Cancellation).await
}

/// Endpoint 4: where the newest authorisation of a funds consent stands, and the consent beside it.
pub async fn funds_status(call: TppCall) -> Result<Response, UseCaseError> {
    let id = call.path("consentId");
    let object = TargetRef { kind: TargetKind::FundsConsent, id, product: None };
    let newest = call.bank.app.authorisation_latest_status(&call.who, object).await?;
    let consent = call.bank.app.funds_consent_status(&call.who, id).await?;
    let path = format!("/v2/consents/confirmation-of-funds/{id}");
    let body = crate::wire::funds::status(newest.unwrap_or(ScaStatus::Received), consent, path);
    Ok(reply(StatusCode::OK, &body))
}

async fn start(call: TppCall, kind: TargetKind) -> Result<Response, UseCaseError> {
    // A payment has its customer; a name in the header is ignored.
    let psu = if is_payment(kind) { None } else { Some(call.psu_id()?.to_owned()) };
    let preferences = preferences(&call)?;
    let named = call.named(psu.as_deref().unwrap_or_default(), "");
    let object = object(&call, kind)?;
    let view = call.bank.app.authorisation_start(named, &call.who, object, psu, preferences).await?;
    Ok(shown(&call, kind, &view))
}

async fn list(call: TppCall, kind: TargetKind) -> Result<Response, UseCaseError> {
    let list = call.bank.app.authorisation_list(&call.who, object(&call, kind)?).await?;
    let ids: Vec<String> = list.ids.iter().map(ToString::to_string).collect();
    Ok(reply(StatusCode::OK, &wire::list(&ids, &path(&call, kind), list.may_start)))
}

async fn fetch(call: TppCall, kind: TargetKind) -> Result<Response, UseCaseError> {
    let (object, id) = (object(&call, kind)?, call.path("authorisationId"));
    let view = call.bank.app.authorisation_find(&call.who, object, id).await?;
    let own = format!("{}/{}", path(&call, kind), view.id);
    Ok(reply(StatusCode::OK, &wire::status(view.status, &own)))
}

async fn update(call: TppCall, kind: TargetKind) -> Result<Response, UseCaseError> {
    let (object, id) = (object(&call, kind)?, call.path("authorisationId"));
    let step = wire::step(&call.json()?)?;
    let named = call.named("", "");
    let view = call.bank.app.authorisation_update(named, &call.who, object, id, step).await?;
    Ok(shown(&call, kind, &view))
}

const fn is_payment(kind: TargetKind) -> bool {
    matches!(kind, TargetKind::Payment | TargetKind::Cancellation)
}

fn object(call: &TppCall, kind: TargetKind) -> Result<TargetRef<'_>, Refusal> {
    let id = call.path(id_name(kind));
    let product = if is_payment(kind) { Some(payment::product(call)?) } else { None };
    Ok(TargetRef { kind, id, product })
}

const fn id_name(kind: TargetKind) -> &'static str {
    if is_payment(kind) { "paymentId" } else { "consentId" }
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

fn shown(call: &TppCall, kind: TargetKind, view: &Replayable<AuthorisationView>) -> Response {
    let path = path(call, kind);
    let numbering =
        if kind == TargetKind::Cancellation { wire::cancellation_number } else { wire::method_number };
    let place = wire::Place { path: &path, public_url: &call.bank.settings.public_url, numbering };
    let mut response = reply(StatusCode::OK, &wire::started(&view.value, &place));
    let approach = HeaderValue::from_static(wire::approach(view.value.approach));
    response.headers_mut().insert("aspsp-sca-approach", approach);
    told(response, view)
}

/// The path of the object's authorisations.
fn path(call: &TppCall, kind: TargetKind) -> String {
    let id = call.path(id_name(kind));
    let product = call.path("payment-product");
    match kind {
        TargetKind::Consent => format!("/v1/consents/{id}/authorisations"),
        TargetKind::FundsConsent => format!("/v2/consents/confirmation-of-funds/{id}/authorisations"),
        TargetKind::Payment => format!("/v1/payments/{product}/{id}/authorisations"),
        TargetKind::Cancellation => format!("/v1/payments/{product}/{id}/cancellation-authorisations"),
    }
}
