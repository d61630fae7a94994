//! What a merchant may lend at its till.

use crate::wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_http::call::MerchantCall;
use trapeza_http::response::reply;

pub async fn fetch(call: MerchantCall) -> Result<Response, UseCaseError> {
    let terms = call.bank.app.merchant_terms(&call.who).await?;
    Ok(reply(StatusCode::OK, &wire::configuration::terms(&terms)))
}
