//! The interface's description: as an OpenAPI document for programs, as a page for people.

use crate::call::OpenCall;
use crate::operation::{OPERATIONS, is_sandbox_only};
use crate::refuse::reply;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use serde_json::{Value, json};
use trapeza_app::Stop;

pub async fn openapi(call: OpenCall) -> Result<Response, Stop> {
    Ok(reply(StatusCode::OK, &document(call.bank.settings.sandbox)))
}

pub async fn page(_: OpenCall) -> Result<Response, Stop> {
    Ok(Html("docs").into_response())
}

/// The document. Production's leaves the sandbox out.
pub fn document(sandbox: bool) -> Value {
    let mut paths = json!({});
    for operation in OPERATIONS.iter().filter(|operation| sandbox || !is_sandbox_only(operation)) {
        paths[operation.path][operation.method.as_str().to_ascii_lowercase()] =
            json!({ "operationId": operation.id });
    }
    json!({ "openapi": "3.1.0", "paths": paths })
}
