//! Baskets (§4.5): create and find.

use crate::wire::basket as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::basket::BasketRequest;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::MerchantRequest;
use trapeza_http::response::{created, json, mark_replayed};

pub async fn create(request: MerchantRequest) -> Result<Response, UseCaseError> {
    request.versioned_query(&["2.0", "2"])?;
    let body = request.json()?;
    let basket = request.state.app.basket_create(&request.caller, |limits| {
        let order = wire::order(&body, limits)?;
        let idempotency = request.idempotent(order.request);
        Ok(BasketRequest { idempotency, request: order.request_text, order: order.order })
    });
    let basket = basket.await?;
    let body = wire::created(&basket.value, &request.state.settings.public_url);
    Ok(mark_replayed(created(&wire::path(basket.value.public), &body), &basket))
}

pub async fn get(request: MerchantRequest) -> Result<Response, UseCaseError> {
    let query = request.versioned_query(&["2.0", "2"])?;
    let Some(id) = query.get("basketId") else {
        return Err(Refusal::malformed(Field::BasketId, "is required: the publicBasketId of a basket").into());
    };
    let view = request.state.app.basket_find(&request.caller, id).await?;
    Ok(json(StatusCode::OK, &wire::found(&view, &request.state.settings.public_url)))
}
