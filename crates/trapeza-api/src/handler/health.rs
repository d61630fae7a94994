//! Health checks and metrics.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::atomic::Ordering;
use trapeza_app::UseCaseError;
use trapeza_http::extract::OpenRequest;
use trapeza_http::response::json;

/// The state of the process.
#[derive(Serialize, JsonSchema)]
pub struct Health {
    /// The state in a few words.
    status: &'static str,
}

/// The process runs. The database is not checked: a slow one must not get a healthy process killed.
pub async fn live(_: OpenRequest) -> Result<Response, UseCaseError> {
    Ok(json(StatusCode::OK, &Health { status: "alive" }))
}

/// The process is ready: it is not shutting down, its clock is plausible, and its database responds and can be written.
pub async fn ready(request: OpenRequest) -> Result<Response, UseCaseError> {
    if request.state.draining.load(Ordering::Relaxed) {
        return Ok(json(StatusCode::SERVICE_UNAVAILABLE, &Health { status: "shutting down" }));
    }
    if !request.state.app.clock().is_plausible() {
        return Ok(json(StatusCode::SERVICE_UNAVAILABLE, &Health { status: "the system clock has jumped" }));
    }
    if !request.state.writable.load(Ordering::Relaxed) {
        return Ok(json(
            StatusCode::SERVICE_UNAVAILABLE,
            &Health { status: "the database cannot be written" },
        ));
    }
    match request.state.app.store_ping().await {
        Ok(()) => Ok(json(StatusCode::OK, &Health { status: "ready" })),
        Err(error) => {
            tracing::warn!(%error, "readiness check failed: the database does not respond");
            Ok(json(StatusCode::SERVICE_UNAVAILABLE, &Health { status: "the database does not respond" }))
        }
    }
}

pub async fn metrics(request: OpenRequest) -> Result<Response, UseCaseError> {
    let text = HeaderValue::from_static("text/plain; version=0.0.4");
    Ok(([(header::CONTENT_TYPE, text)], Body::from(request.state.metrics())).into_response())
}
