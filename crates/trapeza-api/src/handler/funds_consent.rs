//! Funds consents (§4.1).

use crate::wire::funds as wire;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use trapeza_app::UseCaseError;
use trapeza_http::extract::TppRequest;
use trapeza_http::response::{created, json, mark_replayed};

pub async fn create(request: TppRequest) -> Result<Response, UseCaseError> {
    let psu = request.psu_id()?.to_owned();
    let order = wire::order(&request.json()?)?;
    let idempotent = request.idempotent(&psu, "");
    let methods = request.state.app.methods_for(&psu).await?;
    let consent = request.state.app.funds_consent_create(idempotent, &request.caller, psu, order).await?;
    Ok(mark_replayed(
        created(&wire::path(&consent.value), &wire::created(&consent.value, &methods)),
        &consent,
    ))
}

pub async fn get(request: TppRequest) -> Result<Response, UseCaseError> {
    let consent = request.state.app.funds_consent_find(&request.caller, request.path("consentId")).await?;
    Ok(json(StatusCode::OK, &wire::details(&consent)))
}

pub async fn delete(request: TppRequest) -> Result<Response, UseCaseError> {
    let idempotent = request.idempotent("", "");
    let ended = request
        .state
        .app
        .funds_consent_terminate(idempotent, &request.caller, request.path("consentId"))
        .await?;
    Ok(mark_replayed(StatusCode::NO_CONTENT.into_response(), &ended))
}
