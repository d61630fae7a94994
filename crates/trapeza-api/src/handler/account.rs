//! Accounts, balances and transactions (§4.3).

use crate::wire::account::{
    AccountBalances, AccountDetails, AccountList, AccountOut, BalanceTable, account_path,
};
use crate::wire::envelope::{Envelope, EnvelopeTail, Links};
use crate::wire::transaction;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::BalanceSet;
use trapeza_http::extract::TppRequest;
use trapeza_http::response::{json_bytes, metered, metered_json};

pub async fn list(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = request.consented_request()?;
    let with_balance = request.query()?.flag("withBalance")?;
    let views = request.state.app.account_list(&consented, with_balance).await?;
    let accounts = views.value.iter().map(|view| AccountOut::of(view, BalanceTable::List)).collect();
    Ok(metered_json(&AccountList { accounts, envelope: Envelope::default() }, views.remaining))
}

pub async fn details(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = request.consented_request()?;
    let set = request.query()?.flag("withBalance")?.then_some(BalanceSet::CreditLimit);
    let view = request.state.app.account_details(&consented, request.path("account-id"), set).await?;
    let account = AccountOut::of(&view.value, BalanceTable::Details);
    Ok(metered_json(&AccountDetails { account, envelope: EnvelopeTail::default() }, view.remaining))
}

pub async fn balance_list(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = request.consented_request()?;
    let (app, id) = (&request.state.app, request.path("account-id"));
    let found = app.account_balances(&consented, id, BalanceSet::CreditLimit).await?;
    let (account, list) = &found.value;
    Ok(metered_json(&AccountBalances::of(account, list), found.remaining))
}

pub async fn transactions(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = request.consented_request()?;
    let query = request.query()?;
    let statement_query = query.statement(request.state.app.clock().today())?;
    let view =
        request.state.app.account_statement(&consented, request.path("account-id"), statement_query).await?;
    let next = view.value.next_cursor();
    let path = account_path(view.value.account.id) + "/transactions";
    let links = next.map(|cursor| Links::one("next", format!("{path}?{}", query.with_cursor(cursor))));
    let page = transaction::statement(&view.value, &links.unwrap_or_default())?;
    Ok(metered(json_bytes(StatusCode::OK, page), view.remaining))
}

pub async fn transaction(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = request.consented_request()?;
    let (account, entry) = (request.path("account-id"), request.path("transactionId"));
    let found = request.state.app.transaction_details(&consented, account, entry).await?;
    let (account, id, entry) = &found.value;
    let path = account_path(account.id);
    Ok(metered_json(&transaction::details(*id, entry, &path), found.remaining))
}
