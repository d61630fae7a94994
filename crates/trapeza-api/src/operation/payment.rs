//! Payments and their authorisations.

use axum::http::Method;
use trapeza_domain::application::Role;
use trapeza_domain::refusal::RefusalReason;
use trapeza_http::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation};

const PAYMENT: Access = Access::Tpp(Role::PaymentInitiation);
/// Refusals of a path that identifies a payment.
const NAMED: &[RefusalReason] = &[
    RefusalReason::ServiceUnknown,
    RefusalReason::ProductUnknown,
    RefusalReason::ProductInvalid,
    RefusalReason::ResourceUnknown,
];
/// The same, and those of starting an authorisation.
const STARTED: &[RefusalReason] = &[
    RefusalReason::ServiceUnknown,
    RefusalReason::ProductUnknown,
    RefusalReason::ProductInvalid,
    RefusalReason::ResourceUnknown,
    RefusalReason::Inconsistent,
    RefusalReason::StatusInvalid,
    RefusalReason::AccessExceeded,
];

pub static PAYMENT_INITIATE: Operation = operation! {
    "initiatePayment" POST "/v1/{payment-service}/{payment-product}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::PaymentInitiation, access: PAYMENT,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::Inconsistent, RefusalReason::ConsentUnknown, RefusalReason::ConsentInvalid, RefusalReason::ConsentExpired],
};
pub static PAYMENT_FETCH: Operation = operation! {
    "fetchPayment" GET "/v1/{payment-service}/{payment-product}/{paymentId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: NAMED,
};
pub static PAYMENT_STATUS: Operation = operation! {
    "fetchPaymentStatus" GET "/v1/{payment-service}/{payment-product}/{paymentId}/status",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: NAMED,
};
pub static PAYMENT_CANCEL: Operation = operation! {
    "cancelPayment" DELETE "/v1/{payment-service}/{payment-product}/{paymentId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::PaymentCancellation, access: PAYMENT,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::ProductInvalid, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::CancellationInvalid],
};
pub static PAYMENT_AUTHORISATION_START: Operation = operation! {
    "startPaymentAuthorisation" POST "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: STARTED,
};
pub static PAYMENT_AUTHORISATION_LIST: Operation = operation! {
    "listPaymentAuthorisations" GET "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: NAMED,
};
pub static PAYMENT_AUTHORISATION_FETCH: Operation = operation! {
    "fetchPaymentAuthorisation" GET "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: NAMED,
};
pub static PAYMENT_AUTHORISATION_UPDATE: Operation = operation! {
    "updatePaymentAuthorisation" PUT "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::ProductInvalid, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid, RefusalReason::StepOutOfOrder, RefusalReason::ScaMethodUnknown, RefusalReason::CredentialsInvalid, RefusalReason::AccessExceeded],
};
pub static CANCELLATION_AUTHORISATION_START: Operation = operation! {
    "startCancellationAuthorisation" POST "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: STARTED,
};
pub static CANCELLATION_AUTHORISATION_LIST: Operation = operation! {
    "listCancellationAuthorisations" GET "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: NAMED,
};
pub static CANCELLATION_AUTHORISATION_FETCH: Operation = operation! {
    "fetchCancellationAuthorisation" GET "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: NAMED,
};
pub static CANCELLATION_AUTHORISATION_UPDATE: Operation = operation! {
    "updateCancellationAuthorisation" PUT "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::ProductInvalid, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid, RefusalReason::StepOutOfOrder, RefusalReason::ScaMethodUnknown, RefusalReason::CredentialsInvalid, RefusalReason::CancellationInvalid, RefusalReason::AccessExceeded],
};
