//! What the operator's machines ask: alive, ready, how much.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::atomic::Ordering;
use trapeza_app::UseCaseError;
use trapeza_http::call::OpenCall;
use trapeza_http::response::reply;

/// The process runs. Asks nothing else: a slow database must not get a healthy process killed.
pub async fn live(_: OpenCall) -> Result<Response, UseCaseError> {
    Ok(reply(StatusCode::OK, &json!({ "status": "alive" })))
}

/// The process takes requests: it is not shutting down, and its store answers.
pub async fn ready(call: OpenCall) -> Result<Response, UseCaseError> {
    if call.bank.draining.load(Ordering::Relaxed) {
        return Ok(reply(StatusCode::SERVICE_UNAVAILABLE, &json!({ "status": "shutting down" })));
    }
    match call.bank.app.store_ping().await {
        Ok(()) => Ok(reply(StatusCode::OK, &json!({ "status": "ready" }))),
        Err(stop) => {
            tracing::warn!(%stop, "not ready");
            Ok(reply(StatusCode::SERVICE_UNAVAILABLE, &json!({ "status": "the store does not answer" })))
        }
    }
}

pub async fn metrics(call: OpenCall) -> Result<Response, UseCaseError> {
    let text = HeaderValue::from_static("text/plain; version=0.0.4");
    Ok(([(header::CONTENT_TYPE, text)], Body::from(call.bank.metrics())).into_response())
}
