//! Refunds of loans and voided baskets (our additions to §4.5).

use crate::wire::refund as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_http::extract::MerchantRequest;
use trapeza_http::response::{json, mark_replayed};

pub async fn refund(request: MerchantRequest) -> Result<Response, UseCaseError> {
    request.versioned_query(&["2.0", "2"])?;
    let app = &request.state.app;
    let currency = app.merchant_terms(&request.caller).await?.limits.minimum.currency;
    let body = wire::refund(&request.json()?, currency)?;
    let refunded = app.loan_refund(request.idempotent(body.request), &request.caller, body.order).await?;
    Ok(mark_replayed(json(StatusCode::OK, &wire::refunded(&refunded.value)), &refunded))
}

pub async fn void(request: MerchantRequest) -> Result<Response, UseCaseError> {
    request.versioned_query(&["2.0", "2"])?;
    let body = wire::void(&request.json()?)?;
    let request_text = body.order.request.clone();
    let voided =
        request.state.app.basket_void(request.idempotent(body.request), &request.caller, body.order).await?;
    Ok(mark_replayed(json(StatusCode::OK, &wire::voided(&voided.value, &request_text)), &voided))
}
