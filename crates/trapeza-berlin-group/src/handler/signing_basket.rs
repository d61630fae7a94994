//! Signing baskets: create, fetch, status, delete. Their authorisations are those of any other object.

use super::creation::{Creation, StartedParts};
use crate::header;
use crate::link;
use crate::wire::signing_basket as wire;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use trapeza_app::UseCaseError;
use trapeza_domain::signing_basket::SigningBasket;
use trapeza_http::extract::TppRequest;
use trapeza_http::response::{created, json, mark_replayed};

pub async fn create(request: TppRequest) -> Result<Response, UseCaseError> {
    let mut creation = Creation::read(&request)?;
    header::psu_address(&request)?;
    let order = wire::order(&header::json_body(&request)?)?;
    let idempotent = request.idempotent(&creation.headers, "");
    let (app, psu) = (&request.state.app, creation.psu.clone());
    let start = creation.start();
    let made = app.signing_basket_create_with_start(idempotent, &request.caller, psu, order, start).await?;
    let (basket, view) = (&made.value.object, made.value.authorisation.as_ref());
    // The customer is that of the members, whether or not the header names them.
    creation.psu.clone_from(&basket.psu);
    let path = format!("{}/v1/signing-baskets/{}", link::base(&request.state), basket.id);
    let parts = StartedParts::of(view);
    let body = wire::Created {
        transaction_status: basket.state.status().name(),
        basket_id: basket.id.uuid(),
        sca_methods: parts.sca_methods,
        chosen_sca_method: parts.chosen_sca_method,
        challenge_data: parts.challenge_data,
        links: creation.links(&request, &path, "authorisations", view),
        psu_message: parts.psu_message,
    };
    Ok(mark_replayed(creation.answer(created(&path, &body), view), &made))
}

pub async fn get(request: TppRequest) -> Result<Response, UseCaseError> {
    Ok(json(StatusCode::OK, &wire::details(&find(&request).await?)))
}

pub async fn status(request: TppRequest) -> Result<Response, UseCaseError> {
    Ok(json(StatusCode::OK, &wire::status(&find(&request).await?)))
}

async fn find(request: &TppRequest) -> Result<SigningBasket, UseCaseError> {
    request.state.app.signing_basket_find(&request.caller, request.path("basketId")).await
}

pub async fn delete(request: TppRequest) -> Result<Response, UseCaseError> {
    let (idempotent, id) = (request.idempotent("", ""), request.path("basketId"));
    let deleted = request.state.app.signing_basket_delete(idempotent, &request.caller, id).await?;
    Ok(mark_replayed(StatusCode::NO_CONTENT.into_response(), &deleted))
}
