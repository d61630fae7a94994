//! Loans (§4.5): what became of a basket, and the sandbox's way to decide one.

use crate::wire::loan as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_domain::refusal::Refusal;
use trapeza_http::call::MerchantCall;
use trapeza_http::response::reply;

pub async fn find(call: MerchantCall) -> Result<Response, UseCaseError> {
    let query = call.version(&["2.0", "2"])?;
    let Some(id) = query.get("basketId") else {
        return Err(Refusal::malformed("basketId", "the publicBasketId of a basket is required").into());
    };
    let view = call.bank.app.loan_find(&call.who, id, query.get("orderIdentifier")).await?;
    Ok(reply(StatusCode::OK, &wire::found(&view)))
}

pub async fn simulate(call: MerchantCall) -> Result<Response, UseCaseError> {
    let query = call.version(&["1.0", "1"])?;
    let good = query.flag("isSuccessCallback")?;
    let number = query.get("basketId").and_then(|text| text.parse::<i64>().ok());
    let Some(number) = number else {
        let text = "the basketId of a basket is required: the number, not the publicBasketId";
        return Err(Refusal::malformed("basketId", text).into());
    };
    call.bank.app.basket_simulate(&call.who, number, good).await?;
    Ok(reply(StatusCode::OK, &wire::simulated(good)))
}
