//! Authorisations of consents, funds consents, payments and cancellations (§4.1, §4.2, §4.4): start, list, status, update.

use crate::handler::payment;
use crate::wire::authorisation as wire;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use trapeza_app::idempotency::IdempotentOutcome;
use trapeza_app::sca::{AuthorisationView, StartPreferences, TargetRef};
use trapeza_app::{PathPayment, UseCaseError};
use trapeza_domain::authorisation::{ScaStatus, TargetKind};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::{TppRequest, malformed};
use trapeza_http::response::{json, mark_replayed};

/// The idempotency records of steps that were sent together with the start.
const STEP_AT_START: &str = "step of POST authorisations";

/// Endpoint 4: the status of a funds consent and of its newest authorisation.
pub async fn funds_status(request: TppRequest) -> Result<Response, UseCaseError> {
    let id = request.path("consentId");
    let target = TargetRef { kind: TargetKind::FundsConsent, id, payment: None };
    let newest = request.state.app.authorisation_latest_status(&request.caller, target).await?;
    let consent = request.state.app.funds_consent_state(&request.caller, id).await?;
    let path = format!("/v2/consents/confirmation-of-funds/{id}");
    let body = crate::wire::funds::status(newest.unwrap_or(ScaStatus::Received), consent, path);
    Ok(json(StatusCode::OK, &body))
}

pub async fn start(request: TppRequest, kind: TargetKind) -> Result<Response, UseCaseError> {
    // A payment already has its customer; the header is ignored.
    let psu = if is_payment(kind) { None } else { Some(request.psu_id()?.to_owned()) };
    let preferences = preferences(&request)?;
    let (app, target) = (&request.state.app, target_ref(&request, kind)?);
    let step = if request.body.is_empty() { None } else { wire::opt_step(&request.json()?)? };
    let idempotent = request.idempotent(psu.as_deref().unwrap_or_default(), "");
    let started = app.authorisation_start(idempotent, &request.caller, target, psu, preferences).await?;
    let Some(step) = step else { return Ok(authorisation_response(&request, kind, &started)) };
    // The step has an idempotency key of its own, so that a replay repeats neither the start nor the step.
    let id = started.value.id;
    let idempotent = request.idempotent_part(STEP_AT_START, id.uuid());
    let mut view =
        app.authorisation_update(idempotent, &request.caller, target, &id.to_string(), step).await?;
    view.value.add_start(started.value);
    Ok(authorisation_response(&request, kind, &view))
}

pub async fn list(request: TppRequest, kind: TargetKind) -> Result<Response, UseCaseError> {
    let list = request.state.app.authorisation_list(&request.caller, target_ref(&request, kind)?).await?;
    let ids = list.ids.iter().map(|id| id.uuid()).collect();
    Ok(json(StatusCode::OK, &wire::list(ids, path(&request, kind), list.may_start)))
}

pub async fn get(request: TppRequest, kind: TargetKind) -> Result<Response, UseCaseError> {
    let (target, id) = (target_ref(&request, kind)?, request.path("authorisationId"));
    let view = request.state.app.authorisation_find(&request.caller, target, id).await?;
    let own = format!("{}/{}", path(&request, kind), view.id);
    Ok(json(StatusCode::OK, &wire::status(view.status, own)))
}

pub async fn update(request: TppRequest, kind: TargetKind) -> Result<Response, UseCaseError> {
    let (target, id) = (target_ref(&request, kind)?, request.path("authorisationId"));
    let step = wire::step(&request.json()?)?;
    let idempotent = request.idempotent("", "");
    let view = request.state.app.authorisation_update(idempotent, &request.caller, target, id, step).await?;
    Ok(authorisation_response(&request, kind, &view))
}

const fn is_payment(kind: TargetKind) -> bool {
    matches!(kind, TargetKind::Payment | TargetKind::Cancellation)
}

fn target_ref(request: &TppRequest, kind: TargetKind) -> Result<TargetRef<'_>, Refusal> {
    let id = request.path(id_name(kind));
    let product = if is_payment(kind) { Some(payment::product(request)?) } else { None };
    // This interface has no bulk payments.
    let payment = product.map(|product| PathPayment { product, is_bulk: false });
    Ok(TargetRef { kind, id, payment })
}

const fn id_name(kind: TargetKind) -> &'static str {
    if is_payment(kind) { "paymentId" } else { "consentId" }
}

/// The third party's preferences, from the Berlin Group's headers.
fn preferences(request: &TppRequest) -> Result<StartPreferences, Refusal> {
    let flag = |name: &'static str| match request.header(&[name])? {
        None => Ok(false),
        Some(word) if word.eq_ignore_ascii_case("true") => Ok(true),
        Some(word) if word.eq_ignore_ascii_case("false") => Ok(false),
        Some(_) => Err(malformed(name, "must be true or false")),
    };
    let text = |name: &'static str| -> Result<Option<String>, Refusal> {
        Ok(request.header(&[name])?.filter(|text| !text.is_empty()).map(str::to_owned))
    };
    Ok(StartPreferences {
        redirect_preferred: Some(flag("TPP-Redirect-Preferred")?),
        decoupled_preferred: flag("TPP-Decoupled-Preferred")?,
        redirect_uri: text("TPP-Redirect-URI")?,
        nok_redirect_uri: text("TPP-Nok-Redirect-URI")?,
        ..StartPreferences::default()
    })
}

fn authorisation_response(
    request: &TppRequest,
    kind: TargetKind,
    view: &IdempotentOutcome<AuthorisationView>,
) -> Response {
    let path = path(request, kind);
    let context = wire::LinkContext { path: &path, public_url: &request.state.settings.public_url };
    let mut response = match kind {
        // This dialect has no signing baskets.
        TargetKind::Consent | TargetKind::FundsConsent | TargetKind::SigningBasket => {
            json(StatusCode::OK, &wire::Authorisation::of(&view.value, &context))
        }
        TargetKind::Payment => json(StatusCode::OK, &wire::PaymentAuthorisation::of(&view.value, &context)),
        TargetKind::Cancellation => {
            json(StatusCode::OK, &wire::CancellationAuthorisation::of(&view.value, &context))
        }
    };
    let approach = HeaderValue::from_static(wire::approach(view.value.approach));
    response.headers_mut().insert("aspsp-sca-approach", approach);
    mark_replayed(response, view)
}

/// The path of the target's authorisations.
fn path(request: &TppRequest, kind: TargetKind) -> String {
    let id = request.path(id_name(kind));
    let product = request.path("payment-product");
    match kind {
        TargetKind::Consent | TargetKind::SigningBasket => format!("/v1/consents/{id}/authorisations"),
        TargetKind::FundsConsent => format!("/v2/consents/confirmation-of-funds/{id}/authorisations"),
        TargetKind::Payment => format!("/v1/payments/{product}/{id}/authorisations"),
        TargetKind::Cancellation => format!("/v1/payments/{product}/{id}/cancellation-authorisations"),
    }
}
