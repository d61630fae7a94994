//! Accounts, balances and transactions.

use crate::header;
use crate::link::{self, Links};
use crate::wire::account::{AccountBalances, AccountDetails, AccountList, AccountOut};
use crate::wire::camt::{self, MessageHeader};
use crate::wire::text::long_id;
use crate::wire::transaction;
use axum::http::header::LINK;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::{
    BalanceSet, BookingStatus, DeltaPage, Range, StatementQuery, StatementView,
};
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::CamtVersion;
use trapeza_http::extract::query::Query;
use trapeza_http::extract::{TppRequest, malformed, wants_xml};
use trapeza_http::response::{json_bytes, metered, metered_json, xml};

pub async fn list(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let with_balance = flag(&request.query()?, "withBalance")?;
    let views = request.state.app.account_list(&consented, with_balance).await?;
    let base = link::base(&request.state);
    let accounts = views.value.iter().map(|view| AccountOut::of(view, &base)).collect();
    Ok(metered_json(&AccountList { accounts }, views.remaining))
}

pub async fn details(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let set = flag(&request.query()?, "withBalance")?.then_some(BalanceSet::LastMidnight);
    let view = request.state.app.account_details(&consented, request.path("account-id"), set).await?;
    let account = AccountOut::of(&view.value, &link::base(&request.state));
    Ok(metered_json(&AccountDetails { account }, view.remaining))
}

pub async fn balances(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let (app, id) = (&request.state.app, request.path("account-id"));
    let found = app.account_balances(&consented, id, BalanceSet::LastMidnight).await?;
    let (account, list) = &found.value;
    Ok(metered_json(&AccountBalances::of(account, list), found.remaining))
}

pub async fn transactions(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let query = request.query()?;
    let id = request.path("account-id");
    let is_xml = wants_xml(&request.parts.headers);
    if is_xml && matches!(query.get("bookingStatus"), Some("information" | "all")) {
        return Err(standing_orders_as_xml().into());
    }
    if query.get("bookingStatus") == Some("information") {
        let found = request.state.app.account_standing_orders(&consented, id).await?;
        let (account, orders) = &found.value;
        let path = format!("{}/v1/accounts/{}", link::base(&request.state), account.id);
        return Ok(metered_json(&transaction::Statement::of_orders(account, orders, path), found.remaining));
    }
    let is_all = query.get("bookingStatus") == Some("all");
    let status = if is_all { BookingStatus::Both } else { booking_status(&query)? };
    let asked = StatementQuery {
        standing_orders: is_all,
        page_balances: is_xml,
        ..statement_query(&request, &query, status)?
    };
    let view = request.state.app.account_statement(&consented, id, asked).await?;
    let account = format!("{}/v1/accounts/{}", link::base(&request.state), view.value.account.id);
    let delta = view.value.delta.as_ref();
    if is_xml {
        let response = camt_response(&request, &query, &view.value, &account)?;
        return Ok(metered(response, view.remaining));
    }
    let links = page_links("account", &account, &query, view.value.next_cursor(), delta);
    let page = transaction::statement(&view.value, &account, &links)?;
    Ok(metered(json_bytes(StatusCode::OK, page), view.remaining))
}

/// A page as a camt message. Such a message has no links: the address of the next page is in the header `Link`, and it has the number
/// of the page, which the next message repeats.
fn camt_response(
    request: &TppRequest,
    query: &Query,
    view: &StatementView,
    account: &str,
) -> Result<Response, UseCaseError> {
    let (app, settings) = (&request.state.app, &request.state.settings);
    let page = page_number(query)?;
    let version = settings.berlin_group.as_ref().map_or(CamtVersion::V08, |dialect| dialect.camt);
    let zone = app.clock().zone();
    let header = MessageHeader { version, id: app.entropy().uuid(), created_at: app.now(), zone, page };
    let mut response = xml(camt::message(view, &header)?);
    if let Some(cursor) = view.next_cursor() {
        let parameters = next_page(query, cursor, view.delta.as_ref(), Some(&(page + 1).to_string()));
        let link = format!("<{account}/transactions?{parameters}>; rel=\"next\"");
        response.headers_mut().extend(HeaderValue::from_str(&link).ok().map(|link| (LINK, link)));
    }
    Ok(response)
}

/// The number of a page of camt messages, which the links to further pages count.
fn page_number(query: &Query) -> Result<u32, Refusal> {
    let Some(text) = query.get("page").filter(|_| query.get("cursor").is_some()) else { return Ok(1) };
    let number = text.parse().ok().filter(|number| (2..=99_999).contains(number));
    number.ok_or_else(|| malformed("page", "must be the number of a page, as a link names it"))
}

fn standing_orders_as_xml() -> Refusal {
    let text = "must allow application/json: standing orders have no other form";
    Refusal::at(RefusalReason::NotAcceptable, FieldPath::spelled("Accept"), text)
}

pub async fn transaction(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let (account, entry) = (request.path("account-id"), long_id(request.path("transactionId")));
    let found = request.state.app.transaction_details(&consented, account, &entry).await?;
    let (account, id, entry) = &found.value;
    let path = format!("{}/v1/accounts/{}", link::base(&request.state), account.id);
    Ok(metered_json(&transaction::details(*id, entry, &path), found.remaining))
}

/// Which entries are asked for, which the standard requires.
pub fn booking_status(query: &Query) -> Result<BookingStatus, Refusal> {
    if query.get("bookingStatus").is_none() {
        return Err(malformed("bookingStatus", "is required: booked, pending or both"));
    }
    query.booking_status()
}

/// What of a statement is asked for. Dates go before `deltaList`.
pub fn statement_query(
    request: &TppRequest,
    query: &Query,
    status: BookingStatus,
) -> Result<StatementQuery, Refusal> {
    let is_delta = flag(query, "deltaList")?;
    if is_delta && query.get("entryReferenceFrom").is_some() {
        return Err(malformed("deltaList", "must not be combined with entryReferenceFrom"));
    }
    let range = if is_delta && query.get("dateFrom").is_none() {
        let further = query.get("cursor").and(query.get("deltaFrom")).zip(query.get("deltaTo"));
        let page = |(after, up_to)| DeltaPage { after: long_id(after), up_to: long_id(up_to) };
        Range::Undelivered(further.map(page))
    } else {
        match query.range(request.state.app.clock().today())? {
            Range::Since(entry) => Range::Since(long_id(&entry)),
            period => period,
        }
    };
    let with_balance = flag(query, "withBalance")?;
    Ok(StatementQuery { with_balance, ..query.statement_of(range, status)? })
}

/// A boolean parameter. Some clients write it with a capital letter.
pub fn flag(query: &Query, name: &str) -> Result<bool, Refusal> {
    match query.get(name) {
        None => Ok(false),
        Some(word) if word.eq_ignore_ascii_case("true") => Ok(true),
        Some(word) if word.eq_ignore_ascii_case("false") => Ok(false),
        Some(_) => Err(malformed(name, "must be true or false")),
    }
}

/// The links of a page: the account or card, and where there are several pages the first and the next. The next page of a delta list
/// names the range of the first one.
pub fn page_links(
    name: &'static str,
    path: &str,
    query: &Query,
    next: Option<&str>,
    delta: Option<&DeltaPage>,
) -> Links {
    let is_paged = next.is_some() || query.get("cursor").is_some();
    let page = |parameters: String| format!("{path}/transactions?{parameters}");
    let first = || page(query.replaced(&[("deltaFrom", None), ("deltaTo", None), ("cursor", None)]));
    let links = Links::one(name, path.to_owned()).and_if(is_paged, "first", first);
    match next {
        Some(cursor) => links.and("next", page(next_page(query, cursor, delta, None))),
        None => links,
    }
}

/// The parameters of the next page.
fn next_page(query: &Query, cursor: &str, delta: Option<&DeltaPage>, number: Option<&str>) -> String {
    let (after, up_to) = (delta.map(|page| &*page.after), delta.map(|page| &*page.up_to));
    query.replaced(&[("deltaFrom", after), ("deltaTo", up_to), ("cursor", Some(cursor)), ("page", number)])
}
