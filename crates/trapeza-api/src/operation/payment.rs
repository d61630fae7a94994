//! Payments.

use super::PAYMENT;
use axum::http::Method;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::statistics::Service;
use trapeza_http::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation};

/// Refusals of a path that identifies a payment.
const NAMED: &[RefusalReason] = &[
    RefusalReason::ServiceUnknown,
    RefusalReason::ProductUnknown,
    RefusalReason::ProductInvalid,
    RefusalReason::ResourceUnknown,
];
pub static PAYMENT_INITIATE: Operation = operation! {
    "initiatePayment" POST "/v1/{payment-service}/{payment-product}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::PaymentInitiation, access: PAYMENT, service: Service::PaymentInitiation,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::Unsupported, RefusalReason::Inconsistent, RefusalReason::ConsentUnknown, RefusalReason::ConsentInvalid, RefusalReason::ConsentExpired],
};
pub static PAYMENT_GET: Operation = operation! {
    "getPayment" GET "/v1/{payment-service}/{payment-product}/{paymentId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT, service: Service::PaymentInitiation,
    refusals: NAMED,
};
pub static PAYMENT_STATUS: Operation = operation! {
    "getPaymentStatus" GET "/v1/{payment-service}/{payment-product}/{paymentId}/status",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::Payment, access: PAYMENT, service: Service::PaymentInitiation,
    refusals: NAMED,
};
pub static PAYMENT_CANCEL: Operation = operation! {
    "cancelPayment" DELETE "/v1/{payment-service}/{payment-product}/{paymentId}",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::PaymentCancellation, access: PAYMENT,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::ProductInvalid, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::CancellationInvalid],
};
