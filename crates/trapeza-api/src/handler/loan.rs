//! Loans (§4.5), and simulated decisions on baskets.

use crate::wire::loan as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::MerchantRequest;
use trapeza_http::response::json;

pub async fn get(request: MerchantRequest) -> Result<Response, UseCaseError> {
    let query = request.versioned_query(&["2.0", "2"])?;
    let Some(id) = query.get("basketId") else {
        return Err(Refusal::malformed(Field::BasketId, "is required: the publicBasketId of a basket").into());
    };
    let view = request.state.app.loan_find(&request.caller, id, query.get("orderIdentifier")).await?;
    Ok(json(StatusCode::OK, &wire::found(&view)))
}

pub async fn simulate(request: MerchantRequest) -> Result<Response, UseCaseError> {
    let query = request.versioned_query(&["1.0", "1"])?;
    if query.get("isSuccessCallback").is_none() {
        let field = FieldPath::spelled("isSuccessCallback");
        return Err(
            Refusal::malformed(field, "is required: true approves the basket, false declines it").into()
        );
    }
    let approve = query.flag("isSuccessCallback")?;
    let number = query.get("basketId").and_then(|text| text.parse::<i64>().ok());
    let Some(number) = number else {
        let text = "must be the numeric basketId of a basket, not its publicBasketId";
        return Err(Refusal::malformed(Field::BasketId, text).into());
    };
    request.state.app.basket_simulate(&request.caller, number, approve).await?;
    Ok(json(StatusCode::OK, &wire::simulated(approve)))
}
