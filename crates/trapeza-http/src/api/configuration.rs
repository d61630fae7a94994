//! What a merchant may lend at its till.

use crate::answer::reply;
use crate::call::MerchantCall;
use crate::wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;

pub async fn fetch(call: MerchantCall) -> Result<Response, UseCaseError> {
    let terms = call.bank.app.merchant_terms(&call.who).await?;
    Ok(reply(StatusCode::OK, &wire::configuration::terms(&terms)))
}
