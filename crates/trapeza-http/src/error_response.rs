//! Error responses, in the format of each API family.
//!
//! The response says what to change; the log says what happened. An internal failure reveals only whether a retry helps,
//! and a correlation id that finds the log line.

use crate::berlin_group;
pub use crate::error_context::ErrorContext;
use crate::message_code;
use crate::operation::{ApiFamily, ErrorKey, MessageCodeList};
use crate::response::{json, metered};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use trapeza_app::{StoreError, UseCaseError};
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::refusal::{FieldError, Refusal, RefusalReason};

/// The message of an internal failure that a retry may cure.
pub const RETRYABLE: &str = "the outcome is unknown; repeat the request with the same idempotency key";
/// The message of an internal failure that a retry does not cure.
pub const PERMANENT: &str = "internal error; the request itself is not at fault";
/// The message to a caller whose body arrives too slowly.
pub const BODY_TIMEOUT: &str = "the request body timed out";

/// The body of an error response.
#[derive(Serialize)]
#[serde(untagged)]
pub enum ErrorBody {
    OpenBanking(MessageEnvelope),
    PayLater(Problem),
}

/// An error. All field errors are reported at once, one message each.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OpenBankingError")]
pub struct MessageEnvelope {
    /// The errors and their fields.
    tpp_messages: Vec<TppMessage>,
    #[schemars(schema_with = "status_code_schema")]
    status_code: u32,
    /// Always empty.
    #[serde(rename = "_links")]
    links: NoLinks,
}

/// A message about a request.
#[derive(Serialize, JsonSchema)]
pub struct TppMessage {
    #[schemars(schema_with = "category_schema")]
    pub category: u32,
    /// The index of the code in its list, which depends on status and service. The text begins with its name.
    #[schemars(range(min = 0))]
    pub code: i64,
    /// The field or header: `access.accounts[0].iban`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The name of the code and what to change.
    pub text: String,
}

fn category_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "enum": [0, 1], "description": "0 ERROR, 1 WARNING" })
}

/// The schema of `statusCode`.
pub fn status_code_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "enum": [0, 1], "description": "0 success, 1 refusal" })
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, extend("maxProperties" = 0))]
struct NoLinks {}

/// An error. All field errors are reported at once, one item of `errors` each.
#[derive(Serialize, JsonSchema)]
pub struct Problem {
    /// The kind of problem.
    #[serde(rename = "type")]
    #[schemars(extend("format" = "uri"))]
    kind: String,
    /// The reason phrase of the status.
    title: &'static str,
    /// The HTTP status.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// A description of the error.
    detail: String,
    /// The id of this occurrence, for support.
    #[schemars(extend("format" = "uri"))]
    instance: String,
    /// The same as `detail`.
    message: String,
    /// The field errors.
    errors: Vec<ProblemError>,
}

/// A field error.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ProblemError {
    /// The field or header.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The error code, on loans.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// What to change.
    message: String,
}

/// The status and code of a refusal. An operation's own entry wins over the general table.
pub fn status_and_code(context: &ErrorContext, reason: RefusalReason) -> (StatusCode, &'static str) {
    use RefusalReason::*;
    if let Some(own) = context.operation.and_then(|operation| operation.refusal_override(reason)) {
        return own;
    }
    let is_payment = matches!(
        context.message_codes,
        MessageCodeList::Payment | MessageCodeList::PaymentInitiation | MessageCodeList::PaymentCancellation
    );
    match reason {
        KeyUnknown | ClientUnknown | CertificateInvalid | RoleMissing => {
            (StatusCode::UNAUTHORIZED, "CERTIFICATE_INVALID")
        }
        CertificateMissing => (StatusCode::UNAUTHORIZED, "CERTIFICATE_MISSING"),
        CertificateExpired => (StatusCode::UNAUTHORIZED, "CERTIFICATE_EXPIRED"),
        CertificateBlocked => (StatusCode::UNAUTHORIZED, "CERTIFICATE_BLOCKED"),
        CertificateRevoked => (StatusCode::UNAUTHORIZED, "CERTIFICATE_REVOKE"),
        SignatureMissing => (StatusCode::UNAUTHORIZED, "SIGNATURE_MISSING"),
        SignatureInvalid => (StatusCode::UNAUTHORIZED, "SIGNATURE_INVALID"),
        ApplicationUnknown => (StatusCode::BAD_REQUEST, "FORMAT_ERROR"),
        RateExceeded | AccessExceeded => (StatusCode::TOO_MANY_REQUESTS, "ACCESS_EXCEEDED"),
        Malformed => (StatusCode::BAD_REQUEST, "FORMAT_ERROR"),
        TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "FORMAT_ERROR"),
        NotAcceptable if is_payment => (StatusCode::BAD_REQUEST, "FORMAT_ERROR"),
        NotAcceptable => (StatusCode::NOT_ACCEPTABLE, "REQUESTED_FORMATS_INVALID"),
        MediaTypeUnsupported => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "FORMAT_ERROR"),
        Inconsistent => (StatusCode::BAD_REQUEST, "PARAMETER_NOT_CONSISTENT"),
        Unsupported => (StatusCode::BAD_REQUEST, "PARAMETER_NOT_SUPPORTED"),
        PeriodInvalid => (StatusCode::BAD_REQUEST, "PERIOD_INVALID"),
        ExecutionDateInvalid => (StatusCode::BAD_REQUEST, "EXECUTION_DATE_INVALID"),
        PathUnknown | ResourceUnknown => (StatusCode::NOT_FOUND, "RESOURCE_UNKNOWN"),
        MethodNotAllowed | ServiceUnknown => (StatusCode::METHOD_NOT_ALLOWED, "SERVICE_INVALID"),
        ProductUnknown => (StatusCode::NOT_FOUND, "PRODUCT_UNKNOWN"),
        ProductInvalid => (StatusCode::FORBIDDEN, "PRODUCT_INVALID"),
        StatusInvalid => (StatusCode::CONFLICT, "STATUS_INVALID"),
        StepOutOfOrder => (StatusCode::BAD_REQUEST, "SERVICE_INVALID"),
        ScaMethodUnknown => (StatusCode::BAD_REQUEST, "SCA_METHOD_UNKNOWN"),
        CredentialsInvalid => (StatusCode::UNAUTHORIZED, "PSU_CREDENTIALS_INVALID"),
        CancellationInvalid => (StatusCode::METHOD_NOT_ALLOWED, "CANCELLATION_INVALID"),
        ConsentUnknown => (StatusCode::FORBIDDEN, "CONSENT_UNKNOWN"),
        ConsentInvalid | ConsentLacksRight => (StatusCode::UNAUTHORIZED, "CONSENT_INVALID"),
        ConsentExpired => (StatusCode::UNAUTHORIZED, "CONSENT_EXPIRED"),
        CardInvalid => (StatusCode::BAD_REQUEST, "CARD_INVALID"),
        FundsNotActivated => (StatusCode::BAD_REQUEST, "NO_PIIS_ACTIVATION"),
    }
}

/// The number of a refusal's code, for one operation.
pub fn code_number(context: &ErrorContext, reason: RefusalReason) -> i64 {
    let (status, name) = status_and_code(context, reason);
    // The list of account balances distinguishes a consent without the right from one that is not valid.
    let balances = context.message_codes == MessageCodeList::AccountBalances;
    let name =
        if reason == RefusalReason::ConsentLacksRight && balances { "CONSENT_LACKS_RIGHT" } else { name };
    message_code::number(context.message_codes, status, name)
}

/// The response to a request whose use case failed.
pub fn from_error(context: &ErrorContext, error: UseCaseError) -> Response {
    match error {
        UseCaseError::Refused(refusal) => from_refusal(context, &refusal),
        UseCaseError::Failed(error) => from_store_error(context, &error),
    }
}

/// The response to a request that the caller must change.
pub fn from_refusal(context: &ErrorContext, refusal: &Refusal) -> Response {
    tracing::debug!(correlation = %context.correlation, reason = ?refusal.reason, "request refused");
    let mut response = match context.family {
        ApiFamily::BerlinGroup => berlin_group::refusal_response(context, refusal),
        ApiFamily::OpenBanking | ApiFamily::PayLater => {
            let (status, body) = refusal_body(context, refusal);
            json(status, &body)
        }
    };
    if refusal.replayed {
        response.headers_mut().insert("idempotent-replay", HeaderValue::from_static("true"));
    }
    if let Some(allow) = allowed_methods(response.status(), refusal.reason) {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
    }
    if let Some(after) = refusal.retry_after {
        let seconds = after.0.div_euclid(1_000_000) + i64::from(after.0.rem_euclid(1_000_000) > 0);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    }
    // Not where the limit is another one, as that of codes in an hour.
    let of_consent = FieldPath::from(Field::UsedConsent);
    if refusal.reason == RefusalReason::AccessExceeded
        && refusal.errors.iter().any(|error| error.path == of_consent)
    {
        response = metered(response, 0);
    }
    response
}

/// The header `Allow` of a 405 (RFC 9110 requires it), unless the route adds it: a payment that cannot be cancelled can be read, and a
/// service that is not offered has no method.
fn allowed_methods(status: StatusCode, reason: RefusalReason) -> Option<&'static str> {
    match reason {
        _ if status != StatusCode::METHOD_NOT_ALLOWED => None,
        RefusalReason::MethodNotAllowed => None,
        RefusalReason::CancellationInvalid => Some("GET,HEAD"),
        _ => Some(""),
    }
}

/// The status and body of a refusal; also used by the documentation's examples.
pub fn refusal_body(context: &ErrorContext, refusal: &Refusal) -> (StatusCode, ErrorBody) {
    let (status, name) = status_and_code(context, refusal.reason);
    let number = code_number(context, refusal.reason);
    (status, body(context, status, name, number, &refusal.errors))
}

/// The response to a request that failed through no fault of the caller.
pub fn from_store_error(context: &ErrorContext, error: &StoreError) -> Response {
    if !error.is_overload() {
        tracing::error!(correlation = %context.correlation, %error, "request failed with an internal error");
    }
    if error.is_retryable() {
        let mut response = with_status(context, StatusCode::SERVICE_UNAVAILABLE, RETRYABLE);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        return response;
    }
    with_status(context, StatusCode::INTERNAL_SERVER_ERROR, PERMANENT)
}

/// An error response that is not a refusal, with the given status.
pub fn with_status(context: &ErrorContext, status: StatusCode, text: &str) -> Response {
    match context.family {
        // The standard defines no body for failures of the bank.
        ApiFamily::BerlinGroup => status.into_response(),
        ApiFamily::OpenBanking | ApiFamily::PayLater => json(status, &status_body(context, status, text)),
    }
}

pub fn status_body(context: &ErrorContext, status: StatusCode, text: &str) -> ErrorBody {
    let errors = [FieldError { path: FieldPath::REQUEST, text: text.to_owned() }];
    body(context, status, status_code_name(status), 0, &errors)
}

/// The code of an error that is not a refusal. The lists have no numbers for these.
pub fn status_code_name(status: StatusCode) -> &'static str {
    if status == StatusCode::REQUEST_TIMEOUT { "FORMAT_ERROR" } else { "INTERNAL_SERVER_ERROR" }
}

/// The message of an error response in either format; empty for another body.
pub(crate) fn message_of(body: &[u8]) -> String {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let message = body.pointer("/tppMessages/0/text").unwrap_or(&body["message"]);
    message.as_str().unwrap_or_default().to_owned()
}

fn body(
    context: &ErrorContext,
    status: StatusCode,
    name: &'static str,
    number: i64,
    errors: &[FieldError],
) -> ErrorBody {
    match context.family {
        ApiFamily::OpenBanking | ApiFamily::BerlinGroup => {
            ErrorBody::OpenBanking(message_envelope(context, name, number, errors))
        }
        ApiFamily::PayLater => ErrorBody::PayLater(problem(context, status, name, errors)),
    }
}

fn message_envelope(context: &ErrorContext, name: &str, code: i64, errors: &[FieldError]) -> MessageEnvelope {
    let messages = errors.iter().map(|error| TppMessage {
        category: 0,
        code,
        path: (context.field_spelling)(&error.path),
        text: format!("{name}: {}", error.text),
    });
    MessageEnvelope { tpp_messages: messages.collect(), status_code: 1, links: NoLinks {} }
}

fn problem(context: &ErrorContext, status: StatusCode, name: &'static str, errors: &[FieldError]) -> Problem {
    let key = context.operation.map_or(ErrorKey::Field, |operation| operation.error_key);
    let spelled = |error: &FieldError| ((context.field_spelling)(&error.path), error.text.clone());
    let listed = errors.iter().map(spelled).filter_map(|(path, message)| match key {
        ErrorKey::Code => Some(ProblemError { field: None, code: Some(name), message }),
        // An error without a field adds nothing to the message.
        ErrorKey::Field if path.is_empty() => None,
        ErrorKey::Field => Some(ProblemError { field: Some(path), code: None, message }),
    });
    // The message is read without `errors`, so it names the fields as well.
    let text = errors.iter().map(spelled).map(|(path, text)| match path.is_empty() {
        true => text,
        false => format!("{path}: {text}"),
    });
    let text = text.collect::<Vec<_>>().join("; ");
    Problem {
        kind: format!("urn:trapeza:problem:{}", name.to_lowercase().replace('_', "-")),
        title: status.canonical_reason().unwrap_or("Error"),
        status: status.as_u16(),
        detail: text.clone(),
        instance: format!("urn:uuid:{}", context.correlation),
        message: text,
        errors: listed.collect(),
    }
}
