//! Authorisations: the same four operations for each target, built from its noun, path and refusals.

use super::{AIS, FUNDS, PAYMENT};
use axum::http::Method;
use trapeza_domain::authorisation::TargetKind;
use trapeza_domain::refusal::RefusalReason;
use trapeza_http::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation};

/// The operations on the authorisations of one kind of target.
pub struct AuthorisationOperations {
    pub target: TargetKind,
    pub start: Operation,
    pub list: Operation,
    pub get: Operation,
    pub update: Operation,
}

/// `unknown` are the refusals of a path that identifies no target, `missing` that of an unknown authorisation where they do
/// not include it, and `refused` those of a step that only this target has.
macro_rules! authorisations {
    (
        $target:ident $noun:literal $path:literal,
        access: $access:expr,
        message_codes: $codes:expr,
        unknown: [$($unknown:ident),*],
        missing: [$($missing:ident),*],
        refused: [$($refused:ident),*] $(,)?
    ) => {
        AuthorisationOperations {
            target: TargetKind::$target,
            start: Operation {
                id: concat!("start", $noun, "Authorisation"),
                method: Method::POST,
                path: $path,
                name: concat!("POST ", $path),
                refusals: &[
                    $(RefusalReason::$unknown,)*
                    RefusalReason::Inconsistent,
                    RefusalReason::StatusInvalid,
                    RefusalReason::StepOutOfOrder,
                    RefusalReason::ScaMethodUnknown,
                    RefusalReason::CredentialsInvalid,
                    $(RefusalReason::$refused,)*
                    RefusalReason::AccessExceeded,
                ],
                ..authorisations!($access, $codes)
            },
            list: Operation {
                id: concat!("list", $noun, "Authorisations"),
                path: $path,
                name: concat!("GET ", $path),
                refusals: &[$(RefusalReason::$unknown,)*],
                ..authorisations!($access, $codes)
            },
            get: Operation {
                id: concat!("get", $noun, "Authorisation"),
                path: concat!($path, "/{authorisationId}"),
                name: concat!("GET ", $path, "/{authorisationId}"),
                refusals: &[$(RefusalReason::$unknown,)* $(RefusalReason::$missing,)*],
                ..authorisations!($access, $codes)
            },
            update: Operation {
                id: concat!("update", $noun, "Authorisation"),
                method: Method::PUT,
                path: concat!($path, "/{authorisationId}"),
                name: concat!("PUT ", $path, "/{authorisationId}"),
                refusals: &[
                    $(RefusalReason::$unknown,)*
                    $(RefusalReason::$missing,)*
                    RefusalReason::Inconsistent,
                    RefusalReason::StatusInvalid,
                    RefusalReason::StepOutOfOrder,
                    RefusalReason::ScaMethodUnknown,
                    RefusalReason::CredentialsInvalid,
                    $(RefusalReason::$refused,)*
                    RefusalReason::AccessExceeded,
                ],
                ..authorisations!($access, $codes)
            },
        }
    };
    ($access:expr, $codes:expr) => {
        Operation { family: ApiFamily::OpenBanking, access: $access, message_codes: $codes, ..operation!() }
    };
}

pub static CONSENT_AUTHORISATION: AuthorisationOperations = authorisations! {
    Consent "Consent" "/v1/consents/{consentId}/authorisations",
    access: AIS,
    message_codes: MessageCodeList::AccountInformation,
    unknown: [ConsentUnknown],
    missing: [ResourceUnknown],
    refused: [],
};
pub static FUNDS_AUTHORISATION: AuthorisationOperations = authorisations! {
    FundsConsent "FundsConsent" "/v2/consents/confirmation-of-funds/{consentId}/authorisations",
    access: FUNDS,
    message_codes: MessageCodeList::AccountInformation,
    unknown: [ConsentUnknown],
    missing: [ResourceUnknown],
    refused: [],
};
pub static PAYMENT_AUTHORISATION: AuthorisationOperations = authorisations! {
    Payment "Payment" "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations",
    access: PAYMENT,
    message_codes: MessageCodeList::Payment,
    unknown: [ServiceUnknown, ProductUnknown, ProductInvalid, ResourceUnknown],
    missing: [],
    refused: [],
};
pub static CANCELLATION_AUTHORISATION: AuthorisationOperations = authorisations! {
    Cancellation "Cancellation" "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations",
    access: PAYMENT,
    message_codes: MessageCodeList::Payment,
    unknown: [ServiceUnknown, ProductUnknown, ProductInvalid, ResourceUnknown],
    missing: [],
    refused: [CancellationInvalid],
};

/// All operations on authorisations, by target.
pub static AUTHORISATIONS: &[&AuthorisationOperations] =
    &[&CONSENT_AUTHORISATION, &FUNDS_AUTHORISATION, &PAYMENT_AUTHORISATION, &CANCELLATION_AUTHORISATION];
