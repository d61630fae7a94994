//! Confirmation of funds, and consents to it.

use super::creation::{Creation, StartedParts};
use crate::header;
use crate::link;
use crate::wire::consent::{Created, status as consent_status};
use crate::wire::funds as wire;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use trapeza_app::UseCaseError;
use trapeza_http::extract::TppRequest;
use trapeza_http::response::{created, json, mark_replayed};

pub async fn confirm(request: TppRequest) -> Result<Response, UseCaseError> {
    let consent = header::consent_id(&request)?;
    let question = wire::question(&header::json_body(&request)?)?;
    let idempotent = request.idempotent("", consent.unwrap_or_default());
    let app = &request.state.app;
    let there = match consent {
        Some(consent) => app.funds_confirm(idempotent, &request.caller, consent, question).await?,
        None => app.funds_confirm_by_account(idempotent, &request.caller, question).await?,
    };
    let body = wire::Confirmation { funds_available: there.value };
    Ok(mark_replayed(json(StatusCode::OK, &body), &there))
}

pub async fn create(request: TppRequest) -> Result<Response, UseCaseError> {
    let creation = Creation::read(&request)?;
    let order = wire::order(&header::json_body(&request)?)?;
    let idempotent = request.idempotent(&creation.headers, "");
    let (app, psu) = (&request.state.app, creation.psu.clone());
    let made = app
        .funds_consent_create_with_start(idempotent, &request.caller, psu, order, creation.start())
        .await?;
    let (consent, view) = (&made.value.object.consent, made.value.authorisation.as_ref());
    let (id, parts) = (consent.id, StartedParts::of(view));
    let path = format!("{}/v2/consents/confirmation-of-funds/{id}", link::base(&request.state));
    let body = Created {
        consent_status: consent.state.status().name(),
        consent_id: id.uuid(),
        sca_methods: parts.sca_methods,
        chosen_sca_method: parts.chosen_sca_method,
        challenge_data: parts.challenge_data,
        links: creation.links(&request, &path, "authorisations", view),
        psu_message: parts.psu_message,
    };
    Ok(mark_replayed(creation.answer(created(&path, &body), view), &made))
}

pub async fn get(request: TppRequest) -> Result<Response, UseCaseError> {
    let app = &request.state.app;
    let consent = app.funds_consent_find(&request.caller, request.path("consentId")).await?;
    Ok(json(StatusCode::OK, &wire::details(&consent, app.clock().zone())))
}

pub async fn status(request: TppRequest) -> Result<Response, UseCaseError> {
    let state = request.state.app.funds_consent_state(&request.caller, request.path("consentId")).await?;
    Ok(json(StatusCode::OK, &consent_status(state)))
}

pub async fn delete(request: TppRequest) -> Result<Response, UseCaseError> {
    let (idempotent, id) = (request.idempotent("", ""), request.path("consentId"));
    let ended = request.state.app.funds_consent_terminate(idempotent, &request.caller, id).await?;
    Ok(mark_replayed(StatusCode::NO_CONTENT.into_response(), &ended))
}
