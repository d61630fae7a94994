//! Consents, funds consents and confirmations of funds.

use super::{AIS, FUNDS};
use axum::http::Method;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::statistics::Service;
use trapeza_http::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation};

pub static CONSENT_CREATE: Operation = operation! { "createConsent" POST "/v1/consents",
    family: ApiFamily::OpenBanking, access: AIS, success: 201, refusals: &[RefusalReason::Inconsistent],
};
pub static CONSENT_GET: Operation = operation! { "getConsent" GET "/v1/consents/{consentId}",
    family: ApiFamily::OpenBanking, access: AIS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static CONSENT_STATUS: Operation = operation! { "getConsentStatus" GET "/v1/consents/{consentId}/status",
    family: ApiFamily::OpenBanking, access: AIS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static CONSENT_DELETE: Operation = operation! { "deleteConsent" DELETE "/v1/consents/{consentId}",
    family: ApiFamily::OpenBanking, access: AIS, success: 204, refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent],
};
pub static FUNDS_CONSENT_CREATE: Operation = operation! {
    "createFundsConsent" POST "/v2/consents/confirmation-of-funds",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Funds, access: FUNDS, success: 201, refusals: &[RefusalReason::Inconsistent],
};
pub static FUNDS_CONSENT_GET: Operation = operation! {
    "getFundsConsent" GET "/v2/consents/confirmation-of-funds/{consentId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Funds, access: FUNDS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static FUNDS_CONSENT_DELETE: Operation = operation! {
    "deleteFundsConsent" DELETE "/v2/consents/confirmation-of-funds/{consentId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Funds, access: FUNDS, success: 204,
    refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent],
};
pub static FUNDS_CONSENT_STATUS: Operation = operation! {
    "getFundsConsentStatus" GET "/v2/consents/confirmation-of-funds/{consentId}/status",
    family: ApiFamily::OpenBanking, access: FUNDS, refusals: &[RefusalReason::ConsentUnknown],
};
pub static FUNDS_CONFIRMATION: Operation = operation! { "confirmFunds" POST "/v1/funds-confirmations",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Funds, access: FUNDS, service: Service::FundsConfirmation, refusals: &[
        RefusalReason::Inconsistent, RefusalReason::ConsentUnknown, RefusalReason::ConsentInvalid, RefusalReason::CardInvalid,
        RefusalReason::FundsNotActivated, RefusalReason::AccessExceeded,
    ],
};
