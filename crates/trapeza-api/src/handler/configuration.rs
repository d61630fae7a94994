//! The limits and plans of a merchant.

use crate::wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_http::extract::MerchantRequest;
use trapeza_http::response::json;

pub async fn get(request: MerchantRequest) -> Result<Response, UseCaseError> {
    let terms = request.state.app.merchant_terms(&request.caller).await?;
    let quote = match request.query()?.get("amount") {
        Some(amount) => Some(terms.quote(amount, request.state.app.clock().today())?),
        None => None,
    };
    Ok(json(StatusCode::OK, &wire::configuration::terms(&terms, quote.as_ref())))
}
