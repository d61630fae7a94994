//! The content of the sandbox: create customers, accounts, cards and transactions, export, import and reset the bank. These
//! routes do not exist in production.

use super::sandbox::require_own_origin;
use crate::wire::sandbox_bank as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::sandbox::TransactionCursor;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::Iban;
use trapeza_http::extract::{OpenRequest, malformed};
use trapeza_http::response::json;

pub async fn customer_list(request: OpenRequest) -> Result<Response, UseCaseError> {
    let all = request.state.app.sandbox_customers().await?;
    Ok(json(StatusCode::OK, &wire::customers(&all)))
}

pub async fn customer_create(request: OpenRequest) -> Result<Response, UseCaseError> {
    require_own_origin(&request.state, &request.parts)?;
    let app = &request.state.app;
    let content = wire::customer(&request.json()?, app.entropy())?;
    app.sandbox_add(content.clone()).await?;
    let body: Vec<wire::CustomerOut> = content.customers.iter().map(Into::into).collect();
    Ok(json(StatusCode::CREATED, &body.first()))
}

pub async fn account_create(request: OpenRequest) -> Result<Response, UseCaseError> {
    require_own_origin(&request.state, &request.parts)?;
    let app = &request.state.app;
    let content = wire::account(&request.json()?, app.entropy())?;
    app.sandbox_add(content.clone()).await?;
    let body: Vec<wire::AccountOut> = content.accounts.iter().map(Into::into).collect();
    Ok(json(StatusCode::CREATED, &body.first()))
}

pub async fn card_create(request: OpenRequest) -> Result<Response, UseCaseError> {
    require_own_origin(&request.state, &request.parts)?;
    let app = &request.state.app;
    let content = wire::card(&request.json()?, app.entropy(), app.clock().today())?;
    app.sandbox_add(content.clone()).await?;
    let body: Vec<wire::CardOut> = content.cards.iter().map(Into::into).collect();
    Ok(json(StatusCode::CREATED, &body.first()))
}

pub async fn transaction_create(request: OpenRequest) -> Result<Response, UseCaseError> {
    require_own_origin(&request.state, &request.parts)?;
    let content = wire::transaction(&request.json()?)?;
    request.state.app.sandbox_add(content.clone()).await?;
    let body: Vec<wire::TransactionOut<'_>> = content.transactions.iter().map(Into::into).collect();
    Ok(json(StatusCode::CREATED, &body.first()))
}

pub async fn transaction_list(request: OpenRequest) -> Result<Response, UseCaseError> {
    let query = request.query()?;
    let iban = query.get("account").ok_or_else(|| malformed("account", "is required"))?;
    let iban = Iban::parse(iban).map_err(|expected| malformed("account", expected))?;
    let currency = Currency::parse(query.get("currency").unwrap_or("EUR"));
    let currency = currency.map_err(|expected| malformed("currency", expected))?;
    let after = query.get("after").map(|text| {
        let expected = || malformed("after", "must be the cursor of an earlier response");
        TransactionCursor::parse(text).ok_or_else(expected)
    });
    let list = request.state.app.sandbox_transactions(iban, currency, after.transpose()?).await?;
    Ok(json(StatusCode::OK, &wire::transaction_page(&list)))
}

pub async fn bank_export(request: OpenRequest) -> Result<Response, UseCaseError> {
    let content = request.state.app.sandbox_export().await?;
    Ok(json(StatusCode::OK, &wire::bank_file(&content)))
}

pub async fn bank_import(request: OpenRequest) -> Result<Response, UseCaseError> {
    require_own_origin(&request.state, &request.parts)?;
    let app = &request.state.app;
    let content = wire::bank(&request.json()?, app.entropy(), app.clock().today())?;
    let count = app.sandbox_replace(content).await?;
    Ok(json(StatusCode::OK, &wire::bank_count(count)))
}

pub async fn bank_reset(request: OpenRequest) -> Result<Response, UseCaseError> {
    require_own_origin(&request.state, &request.parts)?;
    let count = request.state.app.sandbox_reset().await?;
    Ok(json(StatusCode::OK, &wire::bank_count(count)))
}

pub async fn outcome_list(_: OpenRequest) -> Result<Response, UseCaseError> {
    Ok(json(StatusCode::OK, &wire::outcomes()))
}
