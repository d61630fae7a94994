//! Account-access consents (§4.4).

use crate::wire::consent as wire;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use trapeza_app::UseCaseError;
use trapeza_http::call::TppCall;
use trapeza_http::response::{created, reply, told};

pub async fn create(call: TppCall) -> Result<Response, UseCaseError> {
    let psu = call.psu_id()?.to_owned();
    let order = wire::order(&call.json()?)?;
    let named = call.named(&psu, "");
    let methods = call.bank.app.methods_for(&psu).await?;
    let consent = call.bank.app.consent_create(named, &call.who, psu, order).await?;
    Ok(told(created(&wire::path(&consent.value), &wire::created(&consent.value, &methods)), &consent))
}

pub async fn fetch(call: TppCall) -> Result<Response, UseCaseError> {
    let consent = call.bank.app.consent_find(&call.who, call.path("consentId")).await?;
    Ok(reply(StatusCode::OK, &wire::fetched(&consent)))
}

pub async fn status(call: TppCall) -> Result<Response, UseCaseError> {
    let id = call.path("consentId");
    let status = call.bank.app.consent_status(&call.who, id).await?;
    Ok(reply(StatusCode::OK, &wire::status(id, status)))
}

pub async fn delete(call: TppCall) -> Result<Response, UseCaseError> {
    let named = call.named("", "");
    let ended = call.bank.app.consent_terminate(named, &call.who, call.path("consentId")).await?;
    Ok(told(StatusCode::NO_CONTENT.into_response(), &ended))
}
