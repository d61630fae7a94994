//! The request log of an application: its requests with masked headers and bodies, filters, and each request as a curl command.

use super::{id, path};
use crate::portal_request::PortalRequest;
use axum::http::StatusCode;
use trapeza_app::organisation::RequestPage;
use trapeza_app::parse_timestamp;
use trapeza_app::request_log::{RequestFilter, RequestRecord, RequestSummary, first_id_of};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, format_time};
use url::form_urlencoded::Serializer;
use uuid::Uuid;

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// The fields of the filter, in the order of the form.
const FIELDS: [&str; 6] = ["operation", "method", "status", "from", "until", "correlation"];
/// What the log stores instead of a secret.
const MASK: &str = "***";
/// Headers that curl sets itself.
const SET_BY_CURL: [&str; 6] =
    ["accept-encoding", "connection", "content-length", "host", "traceparent", "user-agent"];

/// What a valid filter asks for.
enum Query {
    Filter(RequestFilter),
    Correlation(Uuid),
}

pub async fn list(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let operations = request.app().portal_request_operations(caller, id).await?;
    let form = filter_form(id, operations).filled_from_query(&request.web);
    let found = match query(request) {
        Ok(Query::Filter(filter)) => request.app().portal_request_list(caller, id, filter).await?,
        Ok(Query::Correlation(correlation)) => {
            request.app().portal_request_by_correlation(caller, id, correlation).await?
        }
        Err((name, text)) => {
            let none = RequestPage { requests: Vec::new(), next: None };
            let page = list_page(request, id, form.with_error(name, text), none);
            return Ok(page.respond(request, StatusCode::BAD_REQUEST));
        }
    };
    Ok(list_page(request, id, form, found).ok(request))
}

pub async fn show(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let number = request.id("request", |text| Uuid::parse_str(text).ok())?;
    let record = request.app().portal_request(caller, id, number).await?;
    let summary = &record.summary;
    let correlation = format!("{}?correlation={}", path(id, "/requests"), summary.correlation);
    let facts = vec![
        ("Time".to_owned(), Cell::text(format_time(summary.recorded_at))),
        ("Operation".to_owned(), Cell::text(&summary.operation)),
        ("Request".to_owned(), Cell::text(format!("{} {}", summary.method, summary.target))),
        ("Status".to_owned(), Cell::text(summary.status.to_string())),
        ("Duration".to_owned(), Cell::text(duration(summary.micros))),
        ("X-Correlation-ID".to_owned(), Cell::link(correlation, summary.correlation.to_string())),
    ];
    let command = curl_command(request.public_url(), &record);
    let code = |name: &str, text: String| [Block::heading(name), Block::Code(name.to_owned(), text)];
    let page = Page::new("Request")
        .with(Block::Facts(facts))
        .with_all(code("Request headers", record.request_headers))
        .with_all(code("Request body", body_text(record.request_body)))
        .with_all(code("Response headers", record.response_headers))
        .with_all(code("Response body", body_text(record.response_body)))
        .with(Block::heading("As a curl command"))
        .with(Block::text(
            "Secrets are not stored: set the variables of the command first. Select the text to copy it.",
        ))
        .with(Block::Code("curl command".to_owned(), command));
    Ok(page.with(Block::Links(vec![(path(id, "/requests"), "All requests".to_owned())])).ok(request))
}

fn list_page(request: &PortalRequest, id: ApplicationId, form: Form, found: RequestPage) -> Page {
    let table = Table {
        label: "Requests".to_owned(),
        head: vec!["Time", "Operation", "Request", "Status", "Duration"],
        rows: found.requests.iter().map(|summary| row(id, summary)).collect(),
        empty: "No request matches.",
    };
    let mut links = vec![(path(id, ""), "Back to the application".to_owned())];
    links.extend(found.next.map(|next| (older(request, id, next), "Older".to_owned())));
    let text = match request.web.state.settings.request_log {
        Some(time) => format!(
            "The requests of the last {} days, without secrets. A request appears after a second.",
            time.0 / 86_400_000_000
        ),
        None => "The request log is switched off.".to_owned(),
    };
    Page::new("Request log")
        .with(Block::Text(text))
        .with(Block::form(form))
        .with(Block::Table(table))
        .with(Block::Links(links))
}

fn row(id: ApplicationId, summary: &RequestSummary) -> Vec<Cell> {
    vec![
        Cell::link(path(id, &format!("/requests/{}", summary.id)), format_time(summary.recorded_at)),
        Cell::text(&summary.operation),
        Cell::text(format!("{} {}", summary.method, summary.target)),
        Cell::text(summary.status.to_string()),
        Cell::text(duration(summary.micros)),
    ]
}

/// The address of the next page with the same filter.
fn older(request: &PortalRequest, id: ApplicationId, next: Uuid) -> String {
    let mut query = Serializer::new(String::new());
    for name in FIELDS {
        if let Some(value) = request.web.query(name).filter(|value| !value.is_empty()) {
            query.append_pair(name, &value);
        }
    }
    query.append_pair("before", &next.to_string());
    format!("{}?{}", path(id, "/requests"), query.finish())
}

/// The filter in the address, or the field that is wrong and why.
fn query(request: &PortalRequest) -> Result<Query, (&'static str, &'static str)> {
    let value = |name: &str| request.web.query(name).unwrap_or_default().trim().to_owned();
    let correlation = value("correlation");
    if !correlation.is_empty() {
        let parsed = Uuid::parse_str(&correlation);
        return parsed.map(Query::Correlation).map_err(|_| ("correlation", "must be a UUID"));
    }
    let mut filter = RequestFilter { operation: value("operation"), ..RequestFilter::default() };
    let method = value("method");
    if !method.is_empty() && !METHODS.contains(&method.as_str()) {
        return Err(("method", "must be GET, POST, PUT or DELETE"));
    }
    filter.method = method;
    filter.statuses = statuses(&value("status"))
        .ok_or(("status", "must be a status or a class, for example 404 or 4xx"))?;
    let time = |name: &'static str| {
        let text = value(name);
        let error = (name, "must be a date or a time in UTC, for example 2026-11-17 or 2026-11-17T08:30Z");
        if text.is_empty() { Ok(None) } else { parse_time(&text).map(Some).ok_or(error) }
    };
    if let Some(from) = time("from")? {
        filter.since = first_id_of(from);
    }
    if let Some(until) = time("until")? {
        filter.before = first_id_of(until);
    }
    let before = value("before");
    if let Ok(before) = Uuid::parse_str(&before) {
        filter.before = filter.before.min(before);
    }
    Ok(Query::Filter(filter))
}

/// The lowest and highest status: all, one, or a class as `4xx`.
fn statuses(text: &str) -> Option<(i64, i64)> {
    if text.is_empty() {
        return Some(RequestFilter::default().statuses);
    }
    let class = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX"));
    let (lowest, width) = match class {
        Some(class) => (class.parse::<i64>().ok()?.checked_mul(100)?, 99),
        None => (text.parse().ok()?, 0),
    };
    (100..600).contains(&lowest).then_some((lowest, lowest + width))
}

fn parse_time(text: &str) -> Option<Timestamp> {
    parse_timestamp(text).or_else(|| parse_timestamp(&format!("{text}T00:00:00Z")))
}

fn filter_form(id: ApplicationId, operations: Vec<String>) -> Form {
    let all = || vec![("", "all".to_owned())];
    let mut names = all();
    names.extend(operations.iter().map(|name| (name.as_str(), name.clone())));
    let mut methods = all();
    methods.extend(METHODS.map(|name| (name, name.to_owned())));
    Form::search(&path(id, "/requests"), "Filter")
        .field(Input::choice(FIELDS[0], "Operation", names))
        .field(Input::choice(FIELDS[1], "Method", methods))
        .field(Input::text(FIELDS[2], "Status").hint("For example 404 or 4xx."))
        .field(Input::text(FIELDS[3], "From").hint("In UTC, for example 2026-11-17T08:30Z."))
        .field(Input::text(FIELDS[4], "Until"))
        .field(Input::text(FIELDS[5], "Correlation id").hint("Replaces the other filters."))
}

fn duration(micros: i64) -> String {
    format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100)
}

/// A stored body with line breaks.
fn body_text(body: Option<String>) -> String {
    let Some(text) = body else { return "Empty, too long to be stored, or not JSON.".to_owned() };
    let value = serde_json::from_str::<serde_json::Value>(&text);
    value.ok().and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or(text)
}

/// The request as a command for a POSIX shell. A masked header becomes a variable of its name.
fn curl_command(base: &str, record: &RequestRecord) -> String {
    let summary = &record.summary;
    let mut parts =
        vec![format!("curl -X {} {}", summary.method, quoted(&format!("{base}{}", summary.target)))];
    for line in record.request_headers.lines() {
        let Some((name, value)) = line.split_once(": ") else { continue };
        if SET_BY_CURL.contains(&name) {
            continue;
        }
        parts.push(match value {
            MASK => format!("-H \"{name}: ${}\"", variable(name)),
            _ => format!("-H {}", quoted(line)),
        });
    }
    parts.extend(record.request_body.as_ref().map(|body| format!("--data {}", quoted(body))));
    parts.join(" \\\n  ")
}

/// A variable for a secret header: `TRAPEZA_KEY` for the key.
fn variable(header: &str) -> String {
    if header == "ocp-apim-subscription-key" {
        return "TRAPEZA_KEY".to_owned();
    }
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    format!("TRAPEZA_{}", header.chars().map(letter).collect::<String>())
}

/// A word in single quotes, in which a shell replaces nothing.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_ends_at_no_quote_of_its_own() {
        assert_eq!(quoted("it's; $(id)"), "'it'\\''s; $(id)'");
    }

    #[test]
    fn statuses_are_one_or_a_class() {
        assert_eq!(statuses(""), Some((0, 999)));
        assert_eq!(statuses("404"), Some((404, 404)));
        assert_eq!(statuses("4xx"), Some((400, 499)));
        for wrong in ["x", "xx", "44", "1000", "9xx", "-1", "99999999999999999999xx"] {
            assert_eq!(statuses(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn masked_header_is_a_variable() {
        assert_eq!(variable("ocp-apim-subscription-key"), "TRAPEZA_KEY");
        assert_eq!(variable("x-unknown"), "TRAPEZA_X_UNKNOWN");
    }
}
