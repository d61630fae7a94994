//! What merchants take back (our additions to §4.5): a loan refunded, a basket voided.

use crate::wire::refund as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_http::call::MerchantCall;
use trapeza_http::response::{reply, told};

pub async fn refund(call: MerchantCall) -> Result<Response, UseCaseError> {
    call.version(&["2.0", "2"])?;
    let app = &call.bank.app;
    let currency = app.merchant_terms(&call.who).await?.limits.minimum.currency;
    let asked = wire::refund(&call.json()?, currency)?;
    let refunded = app.loan_refund(call.named(asked.request), &call.who, asked.order).await?;
    Ok(told(reply(StatusCode::OK, &wire::refunded(&refunded.value)), &refunded))
}

pub async fn void(call: MerchantCall) -> Result<Response, UseCaseError> {
    call.version(&["2.0", "2"])?;
    let asked = wire::void(&call.json()?)?;
    let request = asked.order.request.clone();
    let voided = call.bank.app.basket_void(call.named(asked.request), &call.who, asked.order).await?;
    Ok(told(reply(StatusCode::OK, &wire::voided(&voided.value, &request)), &voided))
}
