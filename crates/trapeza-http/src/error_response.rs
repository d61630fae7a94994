//! How a no looks on the wire. Each area's error body is made here and nowhere else.
//!
//! Policy: the caller reads what to change; the log reads what happened. A failure of ours says no more than whether
//! to come again, under a correlation id that finds the log line.

use crate::message_code;
use crate::operation::{Area, Codes, Operation};
use crate::response::reply;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use trapeza_app::{StoreError, UseCaseError};
use trapeza_domain::refusal::{FieldError, Refusal, RefusalReason};
use uuid::Uuid;

/// What an answer has to know of its request.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub area: Area,
    pub codes: Codes,
    /// `None` where no operation was found.
    pub operation: Option<&'static Operation>,
    pub correlation: Uuid,
}

impl Context {
    pub fn of(operation: &'static Operation, correlation: Uuid) -> Self {
        Self { area: operation.area, codes: operation.codes, operation: Some(operation), correlation }
    }

    /// For a path that no operation has: the version prefix tells the area.
    pub fn of_path(path: &str, correlation: Uuid) -> Self {
        let open_banking = ["/v1", "/v2"].iter().any(|prefix| {
            path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let area = if open_banking { Area::OpenBanking } else { Area::PayLater };
        Self { area, codes: Codes::AccountInformation, operation: None, correlation }
    }
}

/// The status and the code's name of a refusal, for one operation.
pub fn verdict(context: &Context, reason: RefusalReason) -> (StatusCode, &'static str) {
    use RefusalReason::*;
    let is_basket_find = context.operation.is_some_and(|operation| operation.id == "findBasket");
    let is_payment =
        matches!(context.codes, Codes::Payment | Codes::PaymentInitiation | Codes::PaymentCancellation);
    match reason {
        KeyUnknown | ClientUnknown | CertificateInvalid | RoleMissing => {
            (StatusCode::UNAUTHORIZED, "CERTIFICATE_INVALID")
        }
        CertificateMissing => (StatusCode::UNAUTHORIZED, "CERTIFICATE_MISSING"),
        CertificateExpired => (StatusCode::UNAUTHORIZED, "CERTIFICATE_EXPIRED"),
        CertificateBlocked => (StatusCode::UNAUTHORIZED, "CERTIFICATE_BLOCKED"),
        CertificateRevoked => (StatusCode::UNAUTHORIZED, "CERTIFICATE_REVOKE"),
        ApplicationUnknown if is_basket_find => (StatusCode::NOT_FOUND, "RESOURCE_UNKNOWN"),
        ApplicationUnknown => (StatusCode::BAD_REQUEST, "FORMAT_ERROR"),
        RateExceeded | AccessExceeded => (StatusCode::TOO_MANY_REQUESTS, "ACCESS_EXCEEDED"),
        Malformed => (StatusCode::BAD_REQUEST, "FORMAT_ERROR"),
        TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "FORMAT_ERROR"),
        NotAcceptable if is_payment => (StatusCode::BAD_REQUEST, "FORMAT_ERROR"),
        NotAcceptable if is_basket_find => (StatusCode::INTERNAL_SERVER_ERROR, "REQUESTED_FORMATS_INVALID"),
        NotAcceptable => (StatusCode::NOT_ACCEPTABLE, "REQUESTED_FORMATS_INVALID"),
        Inconsistent => (StatusCode::BAD_REQUEST, "PARAMETER_NOT_CONSISTENT"),
        Unsupported => (StatusCode::BAD_REQUEST, "PARAMETER_NOT_SUPPORTED"),
        PeriodInvalid => (StatusCode::BAD_REQUEST, "PERIOD_INVALID"),
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
pub fn code(context: &Context, reason: RefusalReason) -> i64 {
    let (status, name) = verdict(context, reason);
    // Account balances tell a consent without the right from one that is not valid.
    let name = if reason == RefusalReason::ConsentLacksRight && context.codes == Codes::AccountBalances {
        "CONSENT_LACKS_RIGHT"
    } else {
        name
    };
    message_code::number(context.codes, status, name)
}

/// The answer to a call that ended without its result.
pub fn stop(context: &Context, stop: UseCaseError) -> Response {
    match stop {
        UseCaseError::Refused(refusal) => refused(context, &refusal),
        UseCaseError::Failed(error) => failed(context, &error),
    }
}

/// The answer to a caller who has to change something.
pub fn refused(context: &Context, refusal: &Refusal) -> Response {
    tracing::debug!(correlation = %context.correlation, reason = ?refusal.reason, "refused");
    let (status, body) = refused_body(context, refusal);
    let mut response = reply(status, &body);
    if refusal.replayed {
        response.headers_mut().insert("idempotent-replay", HeaderValue::from_static("true"));
    }
    if let Some(after) = refusal.retry_after {
        let seconds = after.0.div_euclid(1_000_000) + i64::from(after.0.rem_euclid(1_000_000) > 0);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    }
    response
}

/// The status and body of a refusal; the documentation's examples are made with it too.
pub fn refused_body(context: &Context, refusal: &Refusal) -> (StatusCode, Value) {
    let (status, name) = verdict(context, refusal.reason);
    let body = match context.area {
        Area::OpenBanking => envelope(name, code(context, refusal.reason), &refusal.errors),
        Area::PayLater => problem(context, status, name, &refusal.errors),
    };
    (status, body)
}

/// The text of a failure that coming again may cure.
pub const PASSING: &str =
    "the bank cannot say now whether this was done; send the same call with the same id again";
/// The text of a failure that it does not.
pub const LASTING: &str = "something is wrong on the bank's side, not with your call";
/// The text to a caller whose body trickles.
pub const TOO_SLOW: &str = "the body did not arrive in time";

/// The answer to a caller who did nothing wrong.
pub fn failed(context: &Context, error: &StoreError) -> Response {
    tracing::error!(correlation = %context.correlation, %error, "a call failed on our side");
    if error.is_retryable() {
        let mut response = broken(context, StatusCode::SERVICE_UNAVAILABLE, PASSING);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        return response;
    }
    broken(context, StatusCode::INTERNAL_SERVER_ERROR, LASTING)
}

/// An error body with any status that is not a refusal.
pub fn broken(context: &Context, status: StatusCode, text: &str) -> Response {
    reply(status, &broken_body(context, status, text))
}

pub fn broken_body(context: &Context, status: StatusCode, text: &str) -> Value {
    let faults = [FieldError { path: String::new(), text: text.to_owned() }];
    let name = broken_name(status);
    match context.area {
        Area::OpenBanking => envelope(name, 0, &faults),
        Area::PayLater => problem(context, status, name, &faults),
    }
}

/// The code's name of what is not a refusal. No list has numbers for these.
pub fn broken_name(status: StatusCode) -> &'static str {
    if status == StatusCode::REQUEST_TIMEOUT { "FORMAT_ERROR" } else { "INTERNAL_SERVER_ERROR" }
}

/// Area A: all faults at once, each with its path; the text begins with the code's name.
fn envelope(name: &str, code: i64, faults: &[FieldError]) -> Value {
    let messages = faults.iter().map(|fault| {
        let mut message = json!({ "category": 0, "code": code });
        if !fault.path.is_empty() {
            message["path"] = json!(fault.path);
        }
        message["text"] = json!(format!("{name}: {}", fault.text));
        message
    });
    json!({ "tppMessages": messages.collect::<Vec<_>>(), "statusCode": 1, "_links": {} })
}

/// Area B: problem-style fields; `errors` name field and message, on loans code and message.
fn problem(context: &Context, status: StatusCode, name: &str, faults: &[FieldError]) -> Value {
    let is_loan = context.operation.is_some_and(|operation| operation.id == "fetchLoan");
    let key = if is_loan { "code" } else { "field" };
    // An error in no field has nothing to add to the message.
    let errors = faults.iter().filter(|fault| is_loan || !fault.path.is_empty()).map(|fault| {
        let what = if is_loan { name } else { fault.path.as_str() };
        json!({ key: what, "message": fault.text })
    });
    // Read without `errors` beside it, so each fault says where it is.
    let text = faults.iter().map(
        |FieldError { path, text }| {
            if path.is_empty() { text.clone() } else { format!("{path}: {text}") }
        },
    );
    let text = text.collect::<Vec<_>>().join("; ");
    json!({
        "type": format!("urn:trapeza:problem:{}", name.to_lowercase().replace('_', "-")),
        "title": status.canonical_reason().unwrap_or("Error"),
        "status": status.as_u16(),
        "detail": text,
        "instance": format!("urn:uuid:{}", context.correlation),
        "message": text,
        "errors": errors.collect::<Vec<_>>(),
    })
}
