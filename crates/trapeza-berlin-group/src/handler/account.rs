//! Accounts, balances and transactions.

use crate::header;
use crate::link::{self, Links};
use crate::wire::account::{AccountBalances, AccountDetails, AccountList, AccountOut};
use crate::wire::information::Information;
use crate::wire::text::long_id;
use crate::wire::transaction;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::{Range, StatementQuery};
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::extract::query::Query;
use trapeza_http::extract::{TppRequest, malformed};
use trapeza_http::response::{json_bytes, metered, metered_json};

pub async fn list(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let with_balance = request.query()?.flag("withBalance")?;
    let views = request.state.app.account_list(&consented, with_balance).await?;
    let base = link::base(&request);
    let accounts = views.value.iter().map(|view| AccountOut::of(view, &base)).collect();
    Ok(metered_json(&AccountList { accounts }, views.remaining))
}

pub async fn details(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let with_balance = request.query()?.flag("withBalance")?;
    let id = request.path("account-id");
    let view = request.state.app.account_details(&consented, id, with_balance).await?;
    let account = AccountOut::of(&view.value, &link::base(&request));
    Ok(metered_json(&AccountDetails { account }, view.remaining))
}

pub async fn balances(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let found = request.state.app.account_balances(&consented, request.path("account-id")).await?;
    let (account, list) = &found.value;
    Ok(metered_json(&AccountBalances::of(account, list), found.remaining))
}

pub async fn transactions(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let query = request.query()?;
    let id = request.path("account-id");
    if query.get("bookingStatus") == Some("information") {
        let found = request.state.app.account_standing_orders(&consented, id).await?;
        let (account, orders) = &found.value;
        let path = format!("{}/v1/accounts/{}", link::base(&request), account.id);
        return Ok(metered_json(&Information::of(account, orders, path), found.remaining));
    }
    let statement_query = statement_query(&request, &query)?;
    let view = request.state.app.account_statement(&consented, id, statement_query).await?;
    let account = format!("{}/v1/accounts/{}", link::base(&request), view.value.account.id);
    let links = page_links("account", &account, &query, view.value.next_cursor());
    let page = transaction::statement(&view.value, &account, &links)?;
    Ok(metered(json_bytes(StatusCode::OK, page), view.remaining))
}

pub async fn transaction(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let (account, entry) = (request.path("account-id"), long_id(request.path("transactionId")));
    let found = request.state.app.transaction_details(&consented, account, &entry).await?;
    let (account, id, entry) = &found.value;
    let path = format!("{}/v1/accounts/{}", link::base(&request), account.id);
    Ok(metered_json(&transaction::details(*id, entry, &path), found.remaining))
}

/// What of a statement is asked for. The standard requires bookingStatus.
pub fn statement_query(request: &TppRequest, query: &Query) -> Result<StatementQuery, Refusal> {
    let delta_list = query.flag("deltaList")?;
    if delta_list && query.get("entryReferenceFrom").is_some() {
        return Err(malformed("deltaList", "must not be combined with entryReferenceFrom"));
    }
    if delta_list && query.get("dateFrom").is_none() {
        let path = FieldPath::spelled("deltaList");
        return Err(Refusal::at(RefusalReason::Unsupported, path, "is not supported; send dateFrom"));
    }
    if query.get("bookingStatus").is_none() {
        return Err(malformed("bookingStatus", "is required: booked, pending or both"));
    }
    let mut parsed = query.statement(request.state.app.clock().today())?;
    if let Range::Since(line) = &mut parsed.range {
        *line = long_id(line);
    }
    Ok(parsed)
}

/// The links of a page: the account or card, and where there are several pages the first and the next.
pub fn page_links(name: &'static str, path: &str, query: &Query, next: Option<&str>) -> Links {
    let is_paged = next.is_some() || query.get("cursor").is_some();
    let page = |parameters: String| format!("{path}/transactions?{parameters}");
    let links = Links::one(name, path.to_owned()).and_if(is_paged, "first", || page(query.without_cursor()));
    match next {
        Some(cursor) => links.and("next", page(query.with_cursor(cursor))),
        None => links,
    }
}
