//! Successful responses: bodies, `Location`, `Idempotent-Replay` and the remaining quota.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use trapeza_app::idempotency::IdempotentOutcome;

const FREQUENCY_REMAINING: HeaderName = HeaderName::from_static("x-frequency-remaining");

/// A JSON response.
pub fn json<T: Serialize>(status: StatusCode, body: &T) -> Response {
    // Most responses fit into this capacity; growing from an empty buffer would copy them several times.
    let mut bytes = Vec::with_capacity(1024);
    serde_json::to_writer(&mut bytes, body).expect("response types serialize without errors");
    json_bytes(status, bytes)
}

/// A response whose body is serialised already.
pub fn json_bytes(status: StatusCode, bytes: Vec<u8>) -> Response {
    let json = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, json)], Body::from(bytes)).into_response()
}

/// A message of ISO 20022.
pub fn xml(message: String) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/xml"))], Body::from(message))
        .into_response()
}

/// A read under a consent, with the number of reads that are left today.
pub fn metered_json<T: Serialize>(body: &T, remaining: i64) -> Response {
    metered(json(StatusCode::OK, body), remaining)
}

/// Adds the number of reads that are left today.
pub fn metered(mut response: Response, remaining: i64) -> Response {
    response.headers_mut().insert(FREQUENCY_REMAINING, HeaderValue::from(remaining));
    response
}

/// Status 201, with the path of the new resource.
pub fn created<T: Serialize>(path: &str, body: &T) -> Response {
    let mut response = json(StatusCode::CREATED, body);
    if let Ok(location) = HeaderValue::from_str(path) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// Marks a response that was stored by an earlier request with the same idempotency key.
pub fn mark_replayed<T>(mut response: Response, answered: &IdempotentOutcome<T>) -> Response {
    if answered.replayed {
        response.headers_mut().insert("idempotent-replay", HeaderValue::from_static("true"));
    }
    response
}
