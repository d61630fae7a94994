//! Every operation of the API, once: its method, path, access and refusals.
//!
//! The routes, the OpenAPI document and the table of refusals are generated from this list, so that they cannot differ.

use axum::http::Method;
use trapeza_domain::application::Role;
use trapeza_domain::authorisation::TargetKind;
use trapeza_domain::refusal::RefusalReason;
use trapeza_http::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation};

macro_rules! operation {
    ($id:literal $method:ident $path:literal, $($field:ident: $value:expr),* $(,)?) => {
        Operation {
            id: $id,
            method: Method::$method,
            path: $path,
            name: concat!(stringify!($method), " ", $path),
            $($field: $value,)*
            ..operation!()
        }
    };
    () => {
        Operation {
            id: "",
            method: Method::GET,
            path: "",
            name: "",
            family: ApiFamily::PayLater,
            message_codes: MessageCodeList::AccountInformation,
            access: Access::Open,
            success: 200,
            body_limit: BodyLimit::Default,
            refusal_overrides: &[],
            error_key: ErrorKey::Field,
            field_spelling: crate::wire::field_name::spell,
            refusals: &[],
        }
    };
}

mod account_information;
mod pay_later;
mod payment;

pub use account_information::*;
pub use pay_later::*;
pub use payment::*;

const AIS: Access = Access::Tpp(Role::AccountInformation);
const FUNDS: Access = Access::Tpp(Role::CardIssuing);

pub static CONSENT_CREATE: Operation = operation! { "createConsent" POST "/v1/consents",
    family: ApiFamily::OpenBanking, access: AIS, success: 201, refusals: &[RefusalReason::Inconsistent],
};
pub static CONSENT_FETCH: Operation = operation! { "fetchConsent" GET "/v1/consents/{consentId}",
    family: ApiFamily::OpenBanking, access: AIS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static CONSENT_STATUS: Operation = operation! { "fetchConsentStatus" GET "/v1/consents/{consentId}/status",
    family: ApiFamily::OpenBanking, access: AIS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static CONSENT_DELETE: Operation = operation! { "deleteConsent" DELETE "/v1/consents/{consentId}",
    family: ApiFamily::OpenBanking, access: AIS, success: 204, refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent],
};
pub static CONSENT_AUTHORISATION_LIST: Operation = operation! {
    "listConsentAuthorisations" GET "/v1/consents/{consentId}/authorisations",
    family: ApiFamily::OpenBanking, access: AIS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static CONSENT_AUTHORISATION_START: Operation = operation! {
    "startConsentAuthorisation" POST "/v1/consents/{consentId}/authorisations",
    family: ApiFamily::OpenBanking, access: AIS,
    refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid, RefusalReason::AccessExceeded],
};
pub static CONSENT_AUTHORISATION_FETCH: Operation = operation! {
    "fetchConsentAuthorisation" GET "/v1/consents/{consentId}/authorisations/{authorisationId}",
    family: ApiFamily::OpenBanking, access: AIS, refusals: &[RefusalReason::ConsentUnknown, RefusalReason::ResourceUnknown],
};
pub static CONSENT_AUTHORISATION_UPDATE: Operation = operation! {
    "updateConsentAuthorisation" PUT "/v1/consents/{consentId}/authorisations/{authorisationId}",
    family: ApiFamily::OpenBanking, access: AIS,
    refusals: &[
        RefusalReason::ConsentUnknown, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid,
        RefusalReason::StepOutOfOrder, RefusalReason::ScaMethodUnknown, RefusalReason::CredentialsInvalid, RefusalReason::AccessExceeded,
    ],
};
pub static FUNDS_CONSENT_CREATE: Operation = operation! {
    "createFundsConsent" POST "/v2/consents/confirmation-of-funds",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Funds, access: FUNDS, success: 201, refusals: &[RefusalReason::Inconsistent],
};
pub static FUNDS_CONSENT_FETCH: Operation = operation! {
    "fetchFundsConsent" GET "/v2/consents/confirmation-of-funds/{consentId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Funds, access: FUNDS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static FUNDS_CONSENT_DELETE: Operation = operation! {
    "deleteFundsConsent" DELETE "/v2/consents/confirmation-of-funds/{consentId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Funds, access: FUNDS, success: 204,
    refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent],
};
pub static FUNDS_CONSENT_STATUS: Operation = operation! {
    "fetchFundsConsentStatus" GET "/v2/consents/confirmation-of-funds/{consentId}/status",
    family: ApiFamily::OpenBanking, access: FUNDS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static FUNDS_AUTHORISATION_LIST: Operation = operation! {
    "listFundsConsentAuthorisations" GET "/v2/consents/confirmation-of-funds/{consentId}/authorisations",
    family: ApiFamily::OpenBanking, access: FUNDS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static FUNDS_AUTHORISATION_START: Operation = operation! {
    "startFundsConsentAuthorisation" POST "/v2/consents/confirmation-of-funds/{consentId}/authorisations",
    family: ApiFamily::OpenBanking, access: FUNDS,
    refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid, RefusalReason::AccessExceeded],
};
pub static FUNDS_AUTHORISATION_FETCH: Operation = operation! {
    "fetchFundsConsentAuthorisation" GET "/v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}",
    family: ApiFamily::OpenBanking, access: FUNDS, refusals: &[RefusalReason::ConsentUnknown, RefusalReason::ResourceUnknown],
};
pub static FUNDS_AUTHORISATION_UPDATE: Operation = operation! {
    "updateFundsConsentAuthorisation" PUT "/v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}",
    family: ApiFamily::OpenBanking, access: FUNDS,
    refusals: &[
        RefusalReason::ConsentUnknown, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid,
        RefusalReason::StepOutOfOrder, RefusalReason::ScaMethodUnknown, RefusalReason::CredentialsInvalid, RefusalReason::AccessExceeded,
    ],
};
pub static FUNDS_CONFIRMATION: Operation = operation! { "confirmFunds" POST "/v1/funds-confirmations",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Funds, access: FUNDS, refusals: &[
        RefusalReason::Inconsistent, RefusalReason::ConsentUnknown, RefusalReason::ConsentInvalid, RefusalReason::CardInvalid,
        RefusalReason::FundsNotActivated, RefusalReason::AccessExceeded,
    ],
};
pub static SANDBOX_CLOCK: Operation = operation! { "fetchClock" GET "/sandbox/clock",
};
pub static SANDBOX_CLOCK_ADVANCE: Operation = operation! { "advanceClock" POST "/sandbox/clock",
    refusals: &[RefusalReason::Malformed],
};
pub static SANDBOX_MESSAGES: Operation = operation! { "fetchMessages" GET "/sandbox/messages",
};
pub static SANDBOX_APPLICATION: Operation = operation! {
    "changeApplication" PATCH "/sandbox/applications/{applicationId}",
    access: Access::Application, refusals: &[RefusalReason::ClientUnknown, RefusalReason::ResourceUnknown],
};
pub static LIVEZ: Operation = operation! { "livez" GET "/livez",
};
pub static READYZ: Operation = operation! { "readyz" GET "/readyz",
};
pub static METRICS: Operation = operation! { "metrics" GET "/metrics",
};
pub static OPENAPI: Operation = operation! { "openapi" GET "/openapi.json",
};
pub static DOCS: Operation = operation! { "docs" GET "/docs",
};

/// All operations, in the order of the documentation.
pub static OPERATIONS: &[&Operation] = &[
    &CONSENT_CREATE,
    &CONSENT_FETCH,
    &CONSENT_STATUS,
    &CONSENT_DELETE,
    &CONSENT_AUTHORISATION_START,
    &CONSENT_AUTHORISATION_LIST,
    &CONSENT_AUTHORISATION_FETCH,
    &CONSENT_AUTHORISATION_UPDATE,
    &FUNDS_CONSENT_CREATE,
    &FUNDS_CONSENT_FETCH,
    &FUNDS_CONSENT_DELETE,
    &FUNDS_CONSENT_STATUS,
    &FUNDS_AUTHORISATION_START,
    &FUNDS_AUTHORISATION_LIST,
    &FUNDS_AUTHORISATION_FETCH,
    &FUNDS_AUTHORISATION_UPDATE,
    &FUNDS_CONFIRMATION,
    &PAYMENT_INITIATE,
    &PAYMENT_FETCH,
    &PAYMENT_STATUS,
    &PAYMENT_CANCEL,
    &PAYMENT_AUTHORISATION_START,
    &PAYMENT_AUTHORISATION_LIST,
    &PAYMENT_AUTHORISATION_FETCH,
    &PAYMENT_AUTHORISATION_UPDATE,
    &CANCELLATION_AUTHORISATION_START,
    &CANCELLATION_AUTHORISATION_LIST,
    &CANCELLATION_AUTHORISATION_FETCH,
    &CANCELLATION_AUTHORISATION_UPDATE,
    &ACCOUNT_LIST,
    &ACCOUNT_DETAILS,
    &ACCOUNT_BALANCES,
    &TRANSACTION_LIST,
    &TRANSACTION_DETAILS,
    &CARD_LIST,
    &CARD_DETAILS,
    &CARD_BALANCES,
    &CARD_TRANSACTIONS,
    &BASKET_CREATE,
    &BASKET_FIND,
    &LOAN_SIMULATE,
    &LOAN_FETCH,
    &LOAN_REFUND,
    &BASKET_VOID,
    &CONFIGURATION,
    &SANDBOX_CLOCK,
    &SANDBOX_CLOCK_ADVANCE,
    &SANDBOX_MESSAGES,
    &SANDBOX_APPLICATION,
    &LIVEZ,
    &READYZ,
    &METRICS,
    &OPENAPI,
    &DOCS,
];

/// Whether an operation exists in the sandbox only.
pub fn is_sandbox_only(operation: &Operation) -> bool {
    operation.path.starts_with("/sandbox/")
}

/// The operations on authorisations by their target: start, list, fetch, update.
pub static AUTHORISATIONS: &[(TargetKind, [&Operation; 4])] = &[
    (
        TargetKind::Consent,
        [
            &CONSENT_AUTHORISATION_START,
            &CONSENT_AUTHORISATION_LIST,
            &CONSENT_AUTHORISATION_FETCH,
            &CONSENT_AUTHORISATION_UPDATE,
        ],
    ),
    (
        TargetKind::FundsConsent,
        [
            &FUNDS_AUTHORISATION_START,
            &FUNDS_AUTHORISATION_LIST,
            &FUNDS_AUTHORISATION_FETCH,
            &FUNDS_AUTHORISATION_UPDATE,
        ],
    ),
    (
        TargetKind::Payment,
        [
            &PAYMENT_AUTHORISATION_START,
            &PAYMENT_AUTHORISATION_LIST,
            &PAYMENT_AUTHORISATION_FETCH,
            &PAYMENT_AUTHORISATION_UPDATE,
        ],
    ),
    (
        TargetKind::Cancellation,
        [
            &CANCELLATION_AUTHORISATION_START,
            &CANCELLATION_AUTHORISATION_LIST,
            &CANCELLATION_AUTHORISATION_FETCH,
            &CANCELLATION_AUTHORISATION_UPDATE,
        ],
    ),
];
