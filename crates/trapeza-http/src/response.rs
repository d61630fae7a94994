//! How a yes looks on the wire: JSON, the place of what was made, and whether it was said before.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use trapeza_app::idempotency::Replayable;

/// A JSON answer.
pub fn reply<T: Serialize>(status: StatusCode, body: &T) -> Response {
    // Most answers fit: growing from nothing would copy them several times.
    let mut bytes = Vec::with_capacity(1024);
    serde_json::to_writer(&mut bytes, body).expect("an answer of ours is JSON");
    reply_json(status, bytes)
}

/// The same of an answer that is JSON already.
fn reply_json(status: StatusCode, bytes: Vec<u8>) -> Response {
    let json = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, json)], Body::from(bytes)).into_response()
}

/// What was read under a consent, and how many such reads are left today.
pub fn read<T: Serialize>(body: &T, remaining: i64) -> Response {
    read_json(serde_json::to_vec(body).expect("an answer of ours is JSON"), remaining)
}

/// The same of an answer that is JSON already.
pub fn read_json(bytes: Vec<u8>, remaining: i64) -> Response {
    let json = HeaderValue::from_static("application/json");
    let headers = [(header::CONTENT_TYPE, json), (FREQUENCY_REMAINING, number(remaining))];
    (StatusCode::OK, headers, Body::from(bytes)).into_response()
}

/// A number as a header. Few reads a day are left nearly always, and a digit need not be printed.
fn number(number: i64) -> HeaderValue {
    const DIGITS: &str = "0123456789";
    let digit = usize::try_from(number).ok().and_then(|at| DIGITS.get(at..=at));
    digit.map_or_else(|| HeaderValue::from(number), HeaderValue::from_static)
}

const FREQUENCY_REMAINING: HeaderName = HeaderName::from_static("x-frequency-remaining");

/// 201, with the place of the new object.
pub fn created(path: &str, body: &Value) -> Response {
    let mut response = reply(StatusCode::CREATED, body);
    if let Ok(location) = HeaderValue::from_str(path) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// The same of an answer that is JSON already.
pub fn created_json(path: String, bytes: Vec<u8>) -> Response {
    let mut response = reply_json(StatusCode::CREATED, bytes);
    if let Ok(location) = HeaderValue::try_from(path) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// Says so when an answer was given before.
pub fn told<T>(mut response: Response, answered: &Replayable<T>) -> Response {
    if answered.replayed {
        response.headers_mut().insert("idempotent-replay", HeaderValue::from_static("true"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_headers_however_long() {
        for sent in [i64::MIN, -1, 0, 1, 9, 10, 99, i64::MAX] {
            assert_eq!(number(sent), sent.to_string());
        }
    }
}
