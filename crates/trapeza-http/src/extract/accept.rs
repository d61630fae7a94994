//! Content negotiation: responses are always `application/json`.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// Refuses a request whose `Accept` header excludes JSON. A request without the header accepts anything.
pub(super) fn check_accept(headers: &HeaderMap) -> Result<(), Refusal> {
    const PROVIDED: [&str; 3] = ["application/json", "*/*", "application/*"];
    let mut accept = headers.get_all(ACCEPT).iter().peekable();
    if accept.peek().is_none() {
        return Ok(());
    }
    let accepted =
        accept.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default();
            let weight = parts.find_map(|part| part.strip_prefix("q=")).unwrap_or("1");
            let refused = !weight.is_empty() && weight.bytes().all(|byte| matches!(byte, b'0' | b'.'));
            PROVIDED.iter().any(|media| kind.eq_ignore_ascii_case(media)) && !refused
        });
    if accepted {
        return Ok(());
    }
    Err(Refusal::at(
        RefusalReason::NotAcceptable,
        FieldPath::spelled("Accept"),
        "must allow application/json",
    ))
}
