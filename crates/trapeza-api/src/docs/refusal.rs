//! The error responses of every operation, built by [`trapeza_http::error_response`]; also as a Markdown table.

use super::{SAMPLE_CORRELATION, parameter};
use crate::docs::index;
use crate::operation::OPERATIONS;
use axum::http::StatusCode;
use serde_json::Value;
use std::fmt::Write;
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::error_response::{self, ErrorBody, ErrorContext};
use trapeza_http::operation::{Access, ApiFamily, Operation};

/// One error response of an operation.
pub struct ErrorExample {
    /// Unique within the operation.
    pub key: String,
    pub status: StatusCode,
    /// The name of the code.
    pub name: &'static str,
    /// The number of the code, where the family has numbers.
    pub number: Option<i64>,
    pub text: String,
    pub body: Value,
    pub retry: bool,
}

/// All error responses of an operation, by status.
pub fn of(operation: &'static Operation) -> Vec<ErrorExample> {
    let context = ErrorContext::of(operation, SAMPLE_CORRELATION);
    let mut all: Vec<ErrorExample> =
        operation.all_refusals().into_iter().map(|reason| error(&context, operation, reason)).collect();
    if index::of(operation).doc.request_body().is_some() {
        all.push(failure(&context, "TooSlow", StatusCode::REQUEST_TIMEOUT, error_response::BODY_TIMEOUT));
    }
    all.push(failure(&context, "Failed", StatusCode::INTERNAL_SERVER_ERROR, error_response::PERMANENT));
    // The readiness check has its own response with this status.
    if !index::of(operation).doc.others.iter().any(|(status, _)| *status == StatusCode::SERVICE_UNAVAILABLE) {
        all.push(failure(
            &context,
            "Unavailable",
            StatusCode::SERVICE_UNAVAILABLE,
            error_response::RETRYABLE,
        ));
    }
    all.sort_by_key(|error| error.status);
    all
}

fn error(context: &ErrorContext, operation: &Operation, reason: RefusalReason) -> ErrorExample {
    let refusal = sample(operation, reason);
    let (status, body) = error_response::refusal_body(context, &refusal);
    let (_, name) = error_response::status_and_code(context, reason);
    let number =
        (operation.family == ApiFamily::OpenBanking).then(|| error_response::code_number(context, reason));
    let text = refusal.errors.into_iter().map(|error| error.text).collect();
    let retry = matches!(reason, RefusalReason::RateExceeded | RefusalReason::AccessExceeded);
    ErrorExample { key: format!("{reason:?}"), status, name, number, text, body: value(&body), retry }
}

fn failure(context: &ErrorContext, key: &str, status: StatusCode, text: &str) -> ErrorExample {
    let body = error_response::status_body(context, status, text);
    let retry = status == StatusCode::SERVICE_UNAVAILABLE;
    let (name, number) =
        (error_response::status_code_name(status), (context.family == ApiFamily::OpenBanking).then_some(0));
    ErrorExample {
        key: key.to_owned(),
        status,
        name,
        number,
        text: text.to_owned(),
        body: value(&body),
        retry,
    }
}

fn value(body: &ErrorBody) -> Value {
    serde_json::to_value(body).expect("error bodies serialize without errors")
}

/// An example of a refusal by this operation.
fn sample(operation: &Operation, reason: RefusalReason) -> Refusal {
    use RefusalReason::*;
    let role = match operation.access {
        Access::Tpp(role) => role.name(),
        _ => "PSP_AI",
    };
    let lacking = format!("the certificate lacks the role {role} that this operation requires");
    let (path, text) = match reason {
        KeyUnknown => (parameter::KEY.name, "unknown subscription key"),
        ClientUnknown => {
            ("ClientId", "ClientId must be the application that the subscription key belongs to")
        }
        CertificateMissing => ("Certificate", "a certificate is required"),
        CertificateInvalid => ("Certificate", "the certificate is not registered for this application"),
        CertificateExpired => ("Certificate", "the certificate has expired"),
        CertificateBlocked => ("Certificate", "the certificate is blocked; ask the bank why"),
        CertificateRevoked => ("Certificate", "the certificate was revoked"),
        // Without a role it is the site whose page sends the request.
        RoleMissing if !matches!(operation.access, Access::Tpp(_)) => {
            ("", "must not be sent by a page of another site")
        }
        RoleMissing => ("Certificate", lacking.as_str()),
        SignatureMissing => ("Signature", "Signature is required: the signature of the request"),
        SignatureInvalid => ("Digest", "Digest does not match the body"),
        ApplicationUnknown => {
            ("X-Application-ID", "the application's id must be that of the subscription key's application")
        }
        RateExceeded => ("", "too many requests; retry later and send fewer"),
        Malformed => malformed(operation),
        TooLarge => ("", "the body exceeds 65536 bytes"),
        NotAcceptable => ("Accept", "must allow application/json"),
        MediaTypeUnsupported => ("Content-Type", "must be application/json"),
        Inconsistent => ("x-Request-ID", "this id was already used for another request; send a new one"),
        Unsupported => ("", "unsupported value"),
        PeriodInvalid => ("dateFrom", "must not be after dateTo"),
        ExecutionDateInvalid => ("requestedExecutionDate", "must not be in the past"),
        PathUnknown => ("", "unknown path"),
        MethodNotAllowed => ("", "method not allowed; the header Allow lists the allowed methods"),
        ResourceUnknown => ("", "there is nothing with this id"),
        ProductUnknown => {
            ("payment-product", "unknown product; use internal-transfers or sepa-credit-transfers")
        }
        ProductInvalid => ("payment-product", "the payment is of the other product"),
        ServiceUnknown => ("payment-service", "unknown payment service; use payments"),
        StatusInvalid => ("", "this cannot be done any more: it has come to its end"),
        StepOutOfOrder => ("", "this step is not possible now; _links shows those that are"),
        ScaMethodUnknown => ("authenticationMethodId", "the customer has no such method"),
        CredentialsInvalid => ("", "the password or the code is not right"),
        CancellationInvalid => ("", "the payment was already submitted and cannot be cancelled"),
        ConsentUnknown => ("consentId", "unknown consent"),
        ConsentInvalid => ("consentID", "the consent is not valid"),
        ConsentLacksRight => ("consentID", "the consent does not cover this"),
        ConsentExpired => ("consentID", "the consent has come to its end"),
        AccessExceeded => ("", "the consent's frequency is used up"),
        CardInvalid => ("cardNumber", "the card is not one of this account"),
        FundsNotActivated => ("account", "the account does not take part in funds confirmation"),
    };
    Refusal::at(reason, FieldPath::spelled(path), text)
}

fn malformed(operation: &Operation) -> (&'static str, &'static str) {
    let doc = index::of(operation).doc;
    match (operation.access, doc.request.is_some()) {
        (Access::Tpp(_), _) => {
            ("x-Request-ID", "must be a UUID, for example 6f9619ff-8b86-4011-b42d-00cf4fc964ff")
        }
        (_, true) => ("", "the body must be a JSON object"),
        (Access::Open, false) => {
            (doc.parameters.first().map_or("", |first| first.name), "must be sent only once")
        }
        (_, false) => (parameter::KEY.name, "must be sent only once"),
    }
}

/// The table of all refusals, in Markdown.
pub fn table() -> String {
    let mut text = String::from(
        "# Refusals\n\n\
         Every operation with everything it may answer instead of its success. The number is that of `tppMessages.code`; where\n\
         there is none, the answer is a problem body. This page is generated from the code (`cargo xtask gen`).\n",
    );
    for operation in OPERATIONS {
        let _ = write!(text, "\n## {}\n\n{}.\n\n", operation.name, index::of(operation).summary);
        text.push_str("| status | code | number | reason | such as |\n|---|---|---|---|---|\n");
        for error in of(operation) {
            let number = error.number.map_or("–".to_owned(), |number| number.to_string());
            let (status, name, key) = (error.status.as_u16(), error.name, &error.key);
            let _ = writeln!(text, "| {status} | {name} | {number} | {key} | {} |", error.text);
        }
    }
    text
}
