//! Refusals of the Berlin Group's dialect: one table from the refusals of the domain to its statuses and codes.
//!
//! A code leaves the dialect only with a status and a service for which the standard lists it; the test of the table visits every
//! refusal. Where the standard defines no body, there is none.

use crate::error_context::ErrorContext;
use crate::operation::MessageCodeList;
use crate::response::json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::{FieldError, Refusal, RefusalReason};

/// The longest text of a message.
pub const MAX_TEXT_CHARS: usize = 500;

/// The messages of an error.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Error")]
pub struct ErrorMessages {
    /// One message for each field that is wrong.
    tpp_messages: Vec<TppMessage>,
}

/// A message to the third party.
#[derive(Serialize, JsonSchema)]
pub struct TppMessage {
    #[schemars(extend("enum" = ["ERROR", "WARNING"]))]
    pub category: &'static str,
    /// The code of the standard.
    pub code: &'static str,
    /// The field or header: `access.accounts[0].iban`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What to change.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 500))]
    pub text: String,
}

/// The response to a refused request.
pub fn refusal_response(context: &ErrorContext, refusal: &Refusal) -> Response {
    match status_and_code(context.message_codes, refusal) {
        (status, Some(code)) => json(status, &messages(context, code, &refusal.errors)),
        (status, None) => status.into_response(),
    }
}

/// The messages of a refusal, one for each of its errors.
pub fn messages(context: &ErrorContext, code: &'static str, errors: &[FieldError]) -> ErrorMessages {
    let message = |error: &FieldError| TppMessage {
        category: "ERROR",
        code,
        path: (context.field_spelling)(&error.path),
        text: error.text.chars().take(MAX_TEXT_CHARS).collect(),
    };
    ErrorMessages { tpp_messages: errors.iter().map(message).collect() }
}

/// Which of the standard's three lists of codes an operation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Service {
    AccountInformation,
    Payment,
    Funds,
    SigningBasket,
}

impl From<MessageCodeList> for Service {
    fn from(list: MessageCodeList) -> Self {
        match list {
            MessageCodeList::AccountInformation | MessageCodeList::AccountBalances => {
                Self::AccountInformation
            }
            MessageCodeList::Payment
            | MessageCodeList::PaymentInitiation
            | MessageCodeList::PaymentCancellation => Self::Payment,
            MessageCodeList::Funds => Self::Funds,
            MessageCodeList::SigningBasket => Self::SigningBasket,
        }
    }
}

/// The status and the code of a refusal; no code where the standard defines no body.
pub fn status_and_code(codes: MessageCodeList, refusal: &Refusal) -> (StatusCode, Option<&'static str>) {
    use RefusalReason::*;
    let service = Service::from(codes);
    let is_member = service == Service::SigningBasket && names_a_member(refusal);
    let (status, code) = match refusal.reason {
        KeyUnknown | ClientUnknown | CertificateInvalid => (401, "CERTIFICATE_INVALID"),
        CertificateMissing => (401, "CERTIFICATE_MISSING"),
        CertificateExpired => (401, "CERTIFICATE_EXPIRED"),
        CertificateBlocked => (401, "CERTIFICATE_BLOCKED"),
        CertificateRevoked => (401, "CERTIFICATE_REVOKE"),
        RoleMissing => (401, "ROLE_INVALID"),
        SignatureMissing => (401, "SIGNATURE_MISSING"),
        SignatureInvalid => (401, "SIGNATURE_INVALID"),
        RateExceeded | AccessExceeded => (429, "ACCESS_EXCEEDED"),
        ApplicationUnknown | Malformed => (400, "FORMAT_ERROR"),
        TooLarge => (413, "FORMAT_ERROR"),
        NotAcceptable => (406, "REQUESTED_FORMATS_INVALID"),
        MediaTypeUnsupported => (415, ""),
        Inconsistent if is_member => (400, "REFERENCE_MIX_INVALID"),
        Inconsistent => (400, "PARAMETER_NOT_CONSISTENT"),
        Unsupported => (400, "PARAMETER_NOT_SUPPORTED"),
        ExecutionDateInvalid if service == Service::Payment => (400, "EXECUTION_DATE_INVALID"),
        PeriodInvalid | ExecutionDateInvalid => (400, "PERIOD_INVALID"),
        PathUnknown => (404, "RESOURCE_UNKNOWN"),
        ResourceUnknown => match refusal.errors.first().and_then(|error| error.path.outermost()) {
            Some(Field::AccountId | Field::CardId | Field::TransactionId) => (404, "RESOURCE_UNKNOWN"),
            _ if is_member => (400, "RESOURCE_UNKNOWN"),
            _ => (403, "RESOURCE_UNKNOWN"),
        },
        MethodNotAllowed | ServiceUnknown => (405, "SERVICE_INVALID"),
        ProductUnknown if service == Service::Payment => (404, "PRODUCT_UNKNOWN"),
        ProductInvalid if service == Service::Payment => (403, "PRODUCT_INVALID"),
        ProductUnknown => (404, "RESOURCE_UNKNOWN"),
        ProductInvalid => (403, "RESOURCE_UNKNOWN"),
        StatusInvalid if is_member => (409, "REFERENCE_STATUS_INVALID"),
        StatusInvalid => (409, "STATUS_INVALID"),
        StepOutOfOrder => (400, "SERVICE_INVALID"),
        ScaMethodUnknown => (400, "SCA_METHOD_UNKNOWN"),
        CredentialsInvalid => (401, "PSU_CREDENTIALS_INVALID"),
        CancellationInvalid if service == Service::Payment => (405, "CANCELLATION_INVALID"),
        CancellationInvalid => (405, "SERVICE_INVALID"),
        // A consent in the path is a resource that is not there; one in a header is a wrong value.
        ConsentUnknown => match refusal.errors.first().and_then(|error| error.path.outermost()) {
            Some(Field::UsedConsent | Field::UsedFundsConsent) => (400, "CONSENT_UNKNOWN"),
            _ => (403, "CONSENT_UNKNOWN"),
        },
        ConsentInvalid | ConsentLacksRight => (401, "CONSENT_INVALID"),
        ConsentExpired => (401, "CONSENT_EXPIRED"),
        CardInvalid if service == Service::Funds => (400, "CARD_INVALID"),
        FundsNotActivated if service == Service::Funds => (400, "NO_PIIS_ACTIVATION"),
        CardInvalid | FundsNotActivated => (400, "FORMAT_ERROR"),
    };
    let has_body = match status {
        415 => false,
        406 | 429 => service == Service::AccountInformation,
        _ => true,
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    (status, has_body.then_some(code))
}

/// Whether a refusal is about a member of a signing basket.
fn names_a_member(refusal: &Refusal) -> bool {
    let field = refusal.errors.first().and_then(|error| error.path.outermost());
    matches!(field, Some(Field::PaymentIds | Field::ConsentIds))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of the standard by status and service.
    fn listed(service: Service, status: u16) -> Vec<&'static str> {
        let own = |payment: &[&'static str], funds: &[&'static str], account: &[&'static str]| match service {
            Service::Payment => payment.to_vec(),
            Service::Funds => funds.to_vec(),
            Service::AccountInformation => account.to_vec(),
            Service::SigningBasket => Vec::new(),
        };
        let basket = |codes: &[&'static str]| match service {
            Service::SigningBasket => codes.to_vec(),
            _ => Vec::new(),
        };
        match status {
            400 => [
                &[
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
                ][..],
                &own(
                    &["PAYMENT_FAILED", "EXECUTION_DATE_INVALID"],
                    &["CARD_INVALID", "NO_PIIS_ACTIVATION"],
                    &["SESSIONS_NOT_SUPPORTED"],
                ),
                &basket(&["REFERENCE_MIX_INVALID"]),
            ]
            .concat(),
            401 => vec![
                "CERTIFICATE_INVALID",
                "ROLE_INVALID",
                "CERTIFICATE_EXPIRED",
                "CERTIFICATE_BLOCKED",
                "CERTIFICATE_REVOKE",
                "CERTIFICATE_MISSING",
                "SIGNATURE_INVALID",
                "SIGNATURE_MISSING",
                "PSU_CREDENTIALS_INVALID",
                "CONSENT_INVALID",
                "CONSENT_EXPIRED",
            ],
            403 => [
                &["CONSENT_UNKNOWN", "SERVICE_BLOCKED", "RESOURCE_UNKNOWN", "RESOURCE_EXPIRED"][..],
                &own(&["PRODUCT_INVALID"], &[], &[]),
            ]
            .concat(),
            404 => [&["RESOURCE_UNKNOWN"][..], &own(&["PRODUCT_UNKNOWN"], &[], &[])].concat(),
            405 => [&["SERVICE_INVALID"][..], &own(&["CANCELLATION_INVALID"], &[], &[])].concat(),
            406 => own(&[], &[], &["REQUESTED_FORMATS_INVALID"]),
            409 => [&["STATUS_INVALID"][..], &basket(&["REFERENCE_STATUS_INVALID"])].concat(),
            413 => vec!["FORMAT_ERROR"],
            429 => own(&[], &[], &["ACCESS_EXCEEDED"]),
            _ => Vec::new(),
        }
    }

    #[test]
    fn every_refusal_has_a_code_that_the_standard_lists() {
        let lists = [
            MessageCodeList::AccountInformation,
            MessageCodeList::AccountBalances,
            MessageCodeList::Payment,
            MessageCodeList::PaymentInitiation,
            MessageCodeList::PaymentCancellation,
            MessageCodeList::Funds,
            MessageCodeList::SigningBasket,
        ];
        let fields =
            [Field::ConsentId, Field::UsedConsent, Field::AccountId, Field::PaymentId, Field::PaymentIds];
        for reason in RefusalReason::ALL {
            for (list, field) in lists.iter().flat_map(|list| fields.map(|field| (*list, field))) {
                let (status, code) = status_and_code(list, &Refusal::at(reason, field, "text"));
                let codes = listed(list.into(), status.as_u16());
                match code {
                    Some(code) => assert!(codes.contains(&code), "{reason:?} {list:?}: {status} {code}"),
                    None => assert!(codes.is_empty(), "{reason:?} {list:?}: {status} has codes"),
                }
            }
        }
    }
}
