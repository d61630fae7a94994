//! Errors of the admin API: status, code, text and fields.

use crate::action_input;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use trapeza_app::{StoreError, UseCaseError};
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::error_response::{PERMANENT, RETRYABLE};
use trapeza_http::response;
use uuid::Uuid;

pub enum ApiError {
    /// There is no token, or it does not work.
    Unauthenticated(&'static str),
    /// A field of the request itself.
    Field {
        name: String,
        text: String,
    },
    UseCase(UseCaseError),
}

impl ApiError {
    pub fn field(name: &str, text: impl Into<String>) -> Self {
        Self::Field { name: name.to_owned(), text: text.into() }
    }
}

impl From<UseCaseError> for ApiError {
    fn from(error: UseCaseError) -> Self {
        Self::UseCase(error)
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self::UseCase(refusal.into())
    }
}

pub fn failure(error: ApiError, correlation: Uuid) -> Response {
    match error {
        ApiError::Unauthenticated(text) => {
            let mut response = body(StatusCode::UNAUTHORIZED, "TOKEN_INVALID", text, Vec::new(), correlation);
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            response
        }
        ApiError::Field { name, text } => {
            let errors = vec![json!({ "field": name, "text": text })];
            let text = format!("{name}: {text}");
            body(StatusCode::BAD_REQUEST, "FORMAT_ERROR", &text, errors, correlation)
        }
        ApiError::UseCase(UseCaseError::Refused(refusal)) => refused(&refusal, correlation),
        ApiError::UseCase(UseCaseError::Failed(error)) => failed(&error, correlation),
    }
}

fn refused(refusal: &Refusal, correlation: Uuid) -> Response {
    let (status, code) = status_and_code(refusal.reason);
    let named = refusal.errors.iter().map(|error| (field_name(&error.path), &error.text));
    let text = named.clone().map(|(name, text)| match name {
        Some(name) => format!("{name}: {text}"),
        None => text.clone(),
    });
    let text = text.collect::<Vec<_>>().join("; ");
    let errors = named.filter_map(|(name, text)| Some(json!({ "field": name?, "text": text })));
    body(status, code, &text, errors.collect(), correlation)
}

fn failed(error: &StoreError, correlation: Uuid) -> Response {
    if !error.is_overload() {
        tracing::error!(%correlation, %error, "admin API: request failed with an internal error");
    }
    let (status, text) = match error.is_retryable() {
        true => (StatusCode::SERVICE_UNAVAILABLE, RETRYABLE),
        false => (StatusCode::INTERNAL_SERVER_ERROR, PERMANENT),
    };
    body(status, "INTERNAL_SERVER_ERROR", text, Vec::new(), correlation)
}

fn status_and_code(reason: RefusalReason) -> (StatusCode, &'static str) {
    match reason {
        RefusalReason::RoleMissing => (StatusCode::FORBIDDEN, "ROLE_MISSING"),
        RefusalReason::ResourceUnknown => (StatusCode::NOT_FOUND, "RESOURCE_UNKNOWN"),
        RefusalReason::StatusInvalid => (StatusCode::CONFLICT, "STATUS_INVALID"),
        RefusalReason::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "FORMAT_ERROR"),
        RefusalReason::RateExceeded => (StatusCode::TOO_MANY_REQUESTS, "ACCESS_EXCEEDED"),
        RefusalReason::Unsupported => (StatusCode::BAD_REQUEST, "PARAMETER_NOT_SUPPORTED"),
        _ => (StatusCode::BAD_REQUEST, "FORMAT_ERROR"),
    }
}

/// The name of a field: a parameter of an action, or a part of the request.
fn field_name(path: &FieldPath) -> Option<String> {
    let field = match path {
        FieldPath::Spelled(name) => return (!name.is_empty()).then(|| name.clone()),
        FieldPath::Fields(segments) => segments.first()?.field,
    };
    match field {
        Field::SearchText => return Some("q".to_owned()),
        Field::Object => return Some("kind".to_owned()),
        Field::ObjectId => return Some("id".to_owned()),
        Field::Reason => return Some("reason".to_owned()),
        _ => {}
    }
    let known = action_input::FIELDS.iter().find(|(known, _)| *known == field);
    known.map(|(_, name)| format!("parameters.{name}"))
}

fn body(status: StatusCode, code: &str, text: &str, errors: Vec<Value>, correlation: Uuid) -> Response {
    let body = json!({
        "status": status.as_u16(), "code": code, "text": text, "errors": errors,
        "correlationId": correlation.to_string(),
    });
    response::json(status, &body)
}
