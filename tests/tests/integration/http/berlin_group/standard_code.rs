//! The codes of refusals that the standard allows, by service and status.

use reqwest::Method;
use serde_json::{Value, json};

/// The codes that all services have.
const BAD_REQUEST: [&str; 12] = [
    "FORMAT_ERROR",
    "PARAMETER_NOT_CONSISTENT",
    "PARAMETER_NOT_SUPPORTED",
    "SERVICE_INVALID",
    "RESOURCE_UNKNOWN",
    "RESOURCE_EXPIRED",
    "RESOURCE_BLOCKED",
    "TIMESTAMP_INVALID",
    "PERIOD_INVALID",
    "SCA_METHOD_UNKNOWN",
    "SCA_INVALID",
    "CONSENT_UNKNOWN",
];
const UNAUTHORIZED: [&str; 15] = [
    "CERTIFICATE_INVALID",
    "ROLE_INVALID",
    "CERTIFICATE_EXPIRED",
    "CERTIFICATE_BLOCKED",
    "CERTIFICATE_REVOKED",
    "CERTIFICATE_MISSING",
    "SIGNATURE_INVALID",
    "SIGNATURE_MISSING",
    "CORPORATE_ID_INVALID",
    "PSU_CREDENTIALS_INVALID",
    "CONSENT_INVALID",
    "CONSENT_EXPIRED",
    "TOKEN_UNKNOWN",
    "TOKEN_INVALID",
    "TOKEN_EXPIRED",
];
const FORBIDDEN: [&str; 4] = ["CONSENT_UNKNOWN", "SERVICE_BLOCKED", "RESOURCE_UNKNOWN", "RESOURCE_EXPIRED"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Service {
    AccountInformation,
    Payment,
    Funds,
    SigningBasket,
}

/// What a refusal must be; `None` where the standard describes no body for the status.
pub fn refusal(template: &str, method: &Method, status: u16) -> Option<Value> {
    let codes = codes(service(template), method, status);
    if codes.is_empty() {
        return None;
    }
    let message = json!({
        "type": "object",
        "required": ["category", "code"],
        "properties": {
            "category": { "enum": ["ERROR", "WARNING"] },
            "code": { "enum": codes },
            "path": { "type": "string" },
            "text": { "type": "string", "maxLength": 500 },
        },
    });
    Some(json!({
        "type": "object",
        "required": ["tppMessages"],
        "properties": { "tppMessages": { "type": "array", "minItems": 1, "items": message } },
    }))
}

fn service(template: &str) -> Service {
    if template.contains("{payment-service}") {
        Service::Payment
    } else if template.starts_with("/v1/signing-baskets") {
        Service::SigningBasket
    } else if template.starts_with("/v1/funds") || template.starts_with("/v2/") {
        Service::Funds
    } else {
        Service::AccountInformation
    }
}

fn codes(service: Service, method: &Method, status: u16) -> Vec<&'static str> {
    let further: &[&str] = match (service, status) {
        (Service::AccountInformation, 400) => &["SESSIONS_NOT_SUPPORTED"],
        (Service::Payment, 400) => &["PAYMENT_FAILED", "EXECUTION_DATE_INVALID"],
        (Service::Funds, 400) => &["CARD_INVALID", "NO_PIIS_ACTIVATION"],
        (Service::SigningBasket, 400) => &["REFERENCE_MIX_INVALID"],
        (Service::Payment, 401) => &["REQUIRED_KID_MISSING"],
        (Service::Payment, 403) => &["PRODUCT_INVALID"],
        (Service::Payment, 404) => &["RESOURCE_UNKNOWN", "PRODUCT_UNKNOWN"],
        (_, 404) => &["RESOURCE_UNKNOWN"],
        (Service::Payment, 405) if method == Method::DELETE => &["SERVICE_INVALID", "CANCELLATION_INVALID"],
        (_, 405) => &["SERVICE_INVALID"],
        (Service::AccountInformation, 406) => &["REQUESTED_FORMATS_INVALID"],
        (Service::SigningBasket, 409) => &["REFERENCE_STATUS_INVALID", "STATUS_INVALID"],
        (_, 409) => &["STATUS_INVALID"],
        (Service::AccountInformation, 429) => &["ACCESS_EXCEEDED"],
        _ => &[],
    };
    let shared: &[&str] = match status {
        400 => &BAD_REQUEST,
        401 => &UNAUTHORIZED,
        403 => &FORBIDDEN,
        _ => &[],
    };
    [shared, further].concat()
}
