//! Baskets (§4.5): make one, find one.

use crate::wire::basket as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_domain::refusal::Refusal;
use trapeza_http::call::MerchantCall;
use trapeza_http::response::{created_json, reply, told};

pub async fn create(call: MerchantCall) -> Result<Response, UseCaseError> {
    call.version(&["2.0", "2"])?;
    let app = &call.bank.app;
    let terms = app.merchant_basket_terms(&call.who).await?;
    let asked = wire::order(&call.json()?, &terms.limits)?;
    let named = call.named(asked.request);
    let made = app.basket_create(named, &call.who, terms.life, asked.request_text, asked.order).await?;
    let body = wire::created(&made.value, &call.bank.settings.public_url);
    Ok(told(created_json(wire::path(made.value.public), body), &made))
}

pub async fn find(call: MerchantCall) -> Result<Response, UseCaseError> {
    let query = call.version(&["2.0", "2"])?;
    let Some(id) = query.get("basketId") else {
        return Err(Refusal::malformed("basketId", "the publicBasketId of a basket is required").into());
    };
    let view = call.bank.app.basket_find(&call.who, id).await?;
    Ok(reply(StatusCode::OK, &wire::found(&view, &call.bank.settings.public_url)))
}
