//! The operations on payments: the part of the list whose paths begin with a payment service.

use super::{Area, BodyLimit, Codes, EMPTY, Operation, Right};
use crate::docs::{payment, payment_authorisation};
use axum::http::Method;
use trapeza_domain::application::Role;
use trapeza_domain::refusal::RefusalReason;

const PAYMENT: Right = Right::Tpp(Role::PaymentInitiation);
/// What may be wrong with how a payment is named in a path.
const NAMED: &[RefusalReason] = &[
    RefusalReason::ServiceUnknown,
    RefusalReason::ProductUnknown,
    RefusalReason::ProductInvalid,
    RefusalReason::ResourceUnknown,
];
/// The same, and with starting an authorisation of it.
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
    tag: "Payments", summary: "Order a payment, which then waits for the customer",
    area: Area::OpenBanking, codes: Codes::PaymentInitiation, right: PAYMENT,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::Inconsistent, RefusalReason::ConsentUnknown, RefusalReason::ConsentInvalid, RefusalReason::ConsentExpired],
    doc: &payment::INITIATE,
};
pub static PAYMENT_FETCH: Operation = operation! {
    "fetchPayment" GET "/v1/{payment-service}/{payment-product}/{paymentId}",
    tag: "Payments", summary: "What a payment says, and where it stands",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: NAMED,
    doc: &payment::FETCH,
};
pub static PAYMENT_STATUS: Operation = operation! {
    "fetchPaymentStatus" GET "/v1/{payment-service}/{payment-product}/{paymentId}/status",
    tag: "Payments", summary: "Where a payment stands",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: NAMED,
    doc: &payment::STATUS,
};
pub static PAYMENT_CANCEL: Operation = operation! {
    "cancelPayment" DELETE "/v1/{payment-service}/{payment-product}/{paymentId}",
    tag: "Payments", summary: "Call a payment back",
    area: Area::OpenBanking, codes: Codes::PaymentCancellation, right: PAYMENT,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::ProductInvalid, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::CancellationInvalid],
    doc: &payment::CANCEL,
};
pub static PAYMENT_AUTHORISATION_START: Operation = operation! {
    "startPaymentAuthorisation" POST "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations",
    tag: "Payments", summary: "Start the customer's strong authentication",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: STARTED,
    doc: &payment_authorisation::PAYMENT_START,
};
pub static PAYMENT_AUTHORISATION_LIST: Operation = operation! {
    "listPaymentAuthorisations" GET "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations",
    tag: "Payments", summary: "The authorisations that were started",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: NAMED,
    doc: &payment_authorisation::PAYMENT_LIST,
};
pub static PAYMENT_AUTHORISATION_FETCH: Operation = operation! {
    "fetchPaymentAuthorisation" GET "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}",
    tag: "Payments", summary: "Where an authorisation stands",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: NAMED,
    doc: &payment_authorisation::PAYMENT_FETCH,
};
pub static PAYMENT_AUTHORISATION_UPDATE: Operation = operation! {
    "updatePaymentAuthorisation" PUT "/v1/{payment-service}/{payment-product}/{paymentId}/authorisations/{authorisationId}",
    tag: "Payments", summary: "Take the customer's next step: password, method, code",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::ProductInvalid, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid, RefusalReason::StepOutOfOrder, RefusalReason::ScaMethodUnknown, RefusalReason::CredentialsInvalid, RefusalReason::AccessExceeded],
    doc: &payment_authorisation::PAYMENT_UPDATE,
};
pub static CANCELLATION_AUTHORISATION_START: Operation = operation! {
    "startCancellationAuthorisation" POST "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations",
    tag: "Payments", summary: "Start the customer's strong authentication of a cancellation",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: STARTED,
    doc: &payment_authorisation::CANCELLATION_START,
};
pub static CANCELLATION_AUTHORISATION_LIST: Operation = operation! {
    "listCancellationAuthorisations" GET "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations",
    tag: "Payments", summary: "The authorisations of a cancellation that were started",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: NAMED,
    doc: &payment_authorisation::CANCELLATION_LIST,
};
pub static CANCELLATION_AUTHORISATION_FETCH: Operation = operation! {
    "fetchCancellationAuthorisation" GET "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}",
    tag: "Payments", summary: "Where an authorisation of a cancellation stands",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: NAMED,
    doc: &payment_authorisation::CANCELLATION_FETCH,
};
pub static CANCELLATION_AUTHORISATION_UPDATE: Operation = operation! {
    "updateCancellationAuthorisation" PUT "/v1/{payment-service}/{payment-product}/{paymentId}/cancellation-authorisations/{authorisationId}",
    tag: "Payments", summary: "Take the customer's next step: password, method, code",
    area: Area::OpenBanking, codes: Codes::Payment, right: PAYMENT,
    refusals: &[RefusalReason::ServiceUnknown, RefusalReason::ProductUnknown, RefusalReason::ProductInvalid, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid, RefusalReason::StepOutOfOrder, RefusalReason::ScaMethodUnknown, RefusalReason::CredentialsInvalid, RefusalReason::CancellationInvalid, RefusalReason::AccessExceeded],
    doc: &payment_authorisation::CANCELLATION_UPDATE,
};
