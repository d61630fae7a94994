//! The numbers of `tppMessages.code`: indices into the enumerations of the Berlin Group's OpenAPI of 2019, by HTTP status and
//! service (docs/behaviour/specification.md).

use crate::operation::MessageCodeList;
use axum::http::StatusCode;

/// The number of a code in a response with this status. A status without a list gives 0.
pub fn number(codes: MessageCodeList, status: StatusCode, name: &str) -> i64 {
    match codes {
        MessageCodeList::AccountBalances => balances(name),
        // §7 gives payment initiation the one value 0.
        MessageCodeList::PaymentInitiation => 0,
        _ => {
            let place = list(codes, status.as_u16()).iter().position(|known| *known == name);
            place.and_then(|place| i64::try_from(place).ok()).unwrap_or(0)
        }
    }
}

/// Account balances have a list of their own (§7).
fn balances(name: &str) -> i64 {
    match name {
        "FORMAT_ERROR" | "PARAMETER_NOT_CONSISTENT" | "PARAMETER_NOT_SUPPORTED" => 2,
        "CONSENT_UNKNOWN" => 3,
        "CONSENT_INVALID" => 4,
        "CONSENT_LACKS_RIGHT" => 5,
        "ACCESS_EXCEEDED" => 7,
        "CONSENT_EXPIRED" => 8,
        "RESOURCE_UNKNOWN" => 12,
        _ => 1,
    }
}

fn list(codes: MessageCodeList, status: u16) -> &'static [&'static str] {
    match (status, codes) {
        (400, MessageCodeList::Payment | MessageCodeList::PaymentCancellation) => BAD_REQUEST_PAYMENT,
        (400, MessageCodeList::Funds) => BAD_REQUEST_FUNDS,
        (400, _) => BAD_REQUEST,
        (401, _) => UNAUTHORIZED,
        (403, _) => FORBIDDEN,
        (404, _) => NOT_FOUND,
        (405, MessageCodeList::PaymentCancellation) => NOT_ALLOWED_CANCELLATION,
        (405, _) => NOT_ALLOWED,
        (406, _) => NOT_ACCEPTABLE,
        (409, _) => CONFLICT,
        (429, MessageCodeList::AccountInformation) => TOO_MANY,
        _ => &[],
    }
}

/// 400, account information; §7 adds a thirteenth.
const BAD_REQUEST: &[&str] = &[
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
    "CONSENT_UNKNOWN",
    "SESSIONS_NOT_SUPPORTED",
    "INVALID_TOTAL_AMOUNT",
];

/// 400, payments.
const BAD_REQUEST_PAYMENT: &[&str] = &[
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
    "CONSENT_UNKNOWN",
    "PAYMENT_FAILED",
    "EXECUTION_DATE_INVALID",
];

/// 400, funds confirmation.
const BAD_REQUEST_FUNDS: &[&str] = &[
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
    "CONSENT_UNKNOWN",
    "CARD_INVALID",
    "NO_PIIS_ACTIVATION",
];

/// 401, all services; payments have one more at the end.
const UNAUTHORIZED: &[&str] = &[
    "CERTIFICATE_INVALID",
    "CERTIFICATE_EXPIRED",
    "CERTIFICATE_BLOCKED",
    "CERTIFICATE_REVOKE",
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
    "REQUIRED_KID_MISSING",
];

/// 403, all services; payments have one more at the end.
const FORBIDDEN: &[&str] =
    &["CONSENT_UNKNOWN", "SERVICE_BLOCKED", "RESOURCE_UNKNOWN", "RESOURCE_EXPIRED", "PRODUCT_INVALID"];

/// 404, all services; payments have one more at the end.
const NOT_FOUND: &[&str] = &["RESOURCE_UNKNOWN", "PRODUCT_UNKNOWN"];

/// 405.
const NOT_ALLOWED: &[&str] = &["SERVICE_INVALID"];

/// 405, when cancelling a payment.
const NOT_ALLOWED_CANCELLATION: &[&str] = &["CANCELLATION_INVALID", "SERVICE_INVALID"];

/// 406.
const NOT_ACCEPTABLE: &[&str] = &["REQUESTED_FORMATS_INVALID"];

/// 409.
const CONFLICT: &[&str] = &["STATUS_INVALID"];

/// 429.
const TOO_MANY: &[&str] = &["ACCESS_EXCEEDED"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_match_the_specification() {
        // §7: funds-confirmation authorisation, card transactions; card balances; account balances; initiation.
        for (codes, status, name, expected) in [
            (MessageCodeList::AccountInformation, 400, "FORMAT_ERROR", 0),
            (MessageCodeList::AccountInformation, 400, "CONSENT_UNKNOWN", 10),
            (MessageCodeList::AccountInformation, 400, "INVALID_TOTAL_AMOUNT", 12),
            (MessageCodeList::AccountInformation, 401, "CERTIFICATE_MISSING", 4),
            (MessageCodeList::AccountInformation, 401, "CONSENT_INVALID", 9),
            (MessageCodeList::AccountInformation, 401, "TOKEN_EXPIRED", 13),
            (MessageCodeList::AccountInformation, 403, "RESOURCE_EXPIRED", 3),
            (MessageCodeList::AccountBalances, 403, "CONSENT_UNKNOWN", 3),
            (MessageCodeList::AccountBalances, 401, "CERTIFICATE_INVALID", 1),
            (MessageCodeList::PaymentInitiation, 401, "CERTIFICATE_MISSING", 0),
            (MessageCodeList::PaymentCancellation, 405, "SERVICE_INVALID", 1),
            (MessageCodeList::Payment, 405, "SERVICE_INVALID", 0),
            (MessageCodeList::Payment, 404, "PRODUCT_UNKNOWN", 1),
            (MessageCodeList::Funds, 400, "NO_PIIS_ACTIVATION", 12),
            (MessageCodeList::Funds, 429, "ACCESS_EXCEEDED", 0),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(number(codes, status, name), expected, "{codes:?} {status} {name}");
        }
    }
}
