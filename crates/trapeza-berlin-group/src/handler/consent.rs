//! Consents to account information.

use super::creation::{Creation, StartedParts};
use crate::header;
use crate::link;
use crate::wire::consent as wire;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use trapeza_app::UseCaseError;
use trapeza_domain::consent::Access;
use trapeza_http::extract::TppRequest;
use trapeza_http::response::{created, json, mark_replayed};

pub async fn create(request: TppRequest) -> Result<Response, UseCaseError> {
    let mut creation = Creation::read(&request)?;
    header::psu_address(&request)?;
    let order = wire::order(&header::json_body(&request)?)?;
    if matches!(order.access, Access::Offered(_)) {
        creation.prefer_redirect();
    }
    let idempotent = request.idempotent(&creation.headers, "");
    let (app, psu) = (&request.state.app, creation.psu.clone());
    let made =
        app.consent_create_with_start(idempotent, &request.caller, psu, order, creation.start()).await?;
    let (consent, view) = (&made.value.object.consent, made.value.authorisation.as_ref());
    let (id, parts) = (consent.id, StartedParts::of(view));
    let path = format!("{}/v1/consents/{id}", link::base(&request.state));
    let body = wire::Created {
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
    let consent = app.consent_find(&request.caller, request.path("consentId")).await?;
    let body = wire::details(&consent, app.clock().zone(), &link::base(&request.state));
    Ok(json(StatusCode::OK, &body))
}

pub async fn status(request: TppRequest) -> Result<Response, UseCaseError> {
    let state = request.state.app.consent_state(&request.caller, request.path("consentId")).await?;
    Ok(json(StatusCode::OK, &wire::status(state)))
}

pub async fn delete(request: TppRequest) -> Result<Response, UseCaseError> {
    let (idempotent, id) = (request.idempotent("", ""), request.path("consentId"));
    let ended = request.state.app.consent_terminate(idempotent, &request.caller, id).await?;
    Ok(mark_replayed(StatusCode::NO_CONTENT.into_response(), &ended))
}
