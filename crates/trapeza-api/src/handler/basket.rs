//! Baskets (§4.5): create and find.

use crate::wire::basket as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::MerchantRequest;
use trapeza_http::response::{created, json, mark_replayed};

pub async fn create(request: MerchantRequest) -> Result<Response, UseCaseError> {
    request.versioned_query(&["2.0", "2"])?;
    let app = &request.state.app;
    let terms = app.merchant_basket_terms(&request.caller).await?;
    let asked = wire::order(&request.json()?, &terms.limits)?;
    let idempotent = request.idempotent(asked.request);
    let made =
        app.basket_create(idempotent, &request.caller, terms.life, asked.request_text, asked.order).await?;
    let body = wire::created(&made.value, &request.state.settings.public_url);
    Ok(mark_replayed(created(&wire::path(made.value.public), &body), &made))
}

pub async fn find(request: MerchantRequest) -> Result<Response, UseCaseError> {
    let query = request.versioned_query(&["2.0", "2"])?;
    let Some(id) = query.get("basketId") else {
        return Err(Refusal::malformed("basketId", "is required: the publicBasketId of a basket").into());
    };
    let view = request.state.app.basket_find(&request.caller, id).await?;
    Ok(json(StatusCode::OK, &wire::found(&view, &request.state.settings.public_url)))
}
