//! Payments: initiate, fetch, status, cancel.

use super::creation::{Creation, StartedParts, with_started};
use crate::header;
use crate::link::{self, Links};
use crate::wire::authorisation::PayeeVerificationOut;
use crate::wire::payment as wire;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use trapeza_app::UseCaseError;
use trapeza_app::payment::BulkPayment;
use trapeza_app::sca::AuthorisationView;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::payment::{CancellationStatus, Payment, PaymentProduct, PaymentService};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::extract::{TppRequest, malformed};
use trapeza_http::response::{created, json, mark_replayed};

pub async fn initiate(request: TppRequest) -> Result<Response, UseCaseError> {
    let creation = Creation::read(&request)?;
    let (service, product) = addressed(&request)?;
    if header::psu_address(&request)?.is_none() {
        return Err(malformed("PSU-IP-Address", "is required: the customer must be present").into());
    }
    let consent = header::consent_id(&request)?.map(str::to_owned);
    let body = header::json_body(&request)?;
    let idempotent = request.idempotent(&creation.headers, consent.as_deref().unwrap_or_default());
    let (app, psu, start) = (&request.state.app, creation.psu.clone(), creation.start());
    let made = match service {
        PaymentService::BulkPayments => {
            let order = wire::bulk_order(product, &body)?;
            app.bulk_initiate_with_start(idempotent, &request.caller, psu, consent, order, start).await?
        }
        PaymentService::Payments | PaymentService::PeriodicPayments => {
            let mut order = wire::order(service, product, &body)?;
            // Clients of the standard know no product for payments within a bank.
            if app.is_own_iban(&order.creditor) {
                order.product = PaymentProduct::InternalTransfers;
            }
            app.payment_initiate_with_start(idempotent, &request.caller, psu, consent, order, start).await?
        }
    };
    let (payment, view) = (&made.value.object, made.value.authorisation.as_ref());
    let (path, parts) = (path(&request, service, product, &payment.id.to_string()), StartedParts::of(view));
    let verified = verified_payment(&request, view, payment).await?;
    let fee = payment.instruction.fee;
    let body = wire::Initiated {
        transaction_status: payment.state.status().name(),
        payment_id: payment.id.uuid(),
        transaction_fees: fee.is_positive().then(|| fee.into()),
        transaction_fee_indicator: fee.is_positive(),
        sca_methods: parts.sca_methods,
        chosen_sca_method: parts.chosen_sca_method,
        challenge_data: parts.challenge_data,
        links: creation.links(&request, &path, "authorisations", view),
        psu_message: parts.psu_message,
        payee_verification: verified.as_ref().and_then(PayeeVerificationOut::of).map(|only| [only]),
    };
    Ok(mark_replayed(creation.answer(created(&path, &body), view), &made))
}

/// The payment with its verified payee, where the start of its authorisation warns of the payee.
pub async fn verified_payment(
    request: &TppRequest,
    view: Option<&AuthorisationView>,
    payment: &Payment,
) -> Result<Option<Payment>, UseCaseError> {
    let (product, id) = (payment.instruction.product, payment.id.to_string());
    match view.and_then(|view| view.payee_verification) {
        Some(_) => Ok(Some(request.state.app.payment_find(&request.caller, product, &id).await?)),
        None => Ok(None),
    }
}

pub async fn get(request: TppRequest) -> Result<Response, UseCaseError> {
    if let (PaymentService::BulkPayments, product) = addressed(&request)? {
        return Ok(json(StatusCode::OK, &wire::bulk_details(&find_bulk(&request, product).await?)));
    }
    Ok(json(StatusCode::OK, &wire::details(&find(&request).await?)))
}

pub async fn status(request: TppRequest) -> Result<Response, UseCaseError> {
    Ok(json(StatusCode::OK, &wire::status(&find(&request).await?)))
}

/// The status of a bulk payment with its rejected lines. Other services have no more than the status.
pub async fn extended_status(request: TppRequest) -> Result<Response, UseCaseError> {
    let (PaymentService::BulkPayments, product) = addressed(&request)? else {
        let text = "is offered for bulk-payments only";
        return Err(Refusal::new(RefusalReason::ServiceUnknown, text).into());
    };
    let bulk = find_bulk(&request, product).await?;
    let status = bulk.payment.state.status().name();
    let rejected = request.state.app.bulk_rejected_lines(bulk).await?;
    Ok(json(StatusCode::OK, &wire::extended_status(status, rejected)))
}

async fn find_bulk(request: &TppRequest, product: PaymentProduct) -> Result<BulkPayment, UseCaseError> {
    request.state.app.bulk_payment_find(&request.caller, product, request.path("paymentId")).await
}

/// The payment of the path, which must be one of its service and product. A SEPA credit transfer within the bank, instant or not, is
/// stored as an internal transfer.
pub async fn find(request: &TppRequest) -> Result<Payment, UseCaseError> {
    let ((service, product), id) = (addressed(request)?, request.path("paymentId"));
    if service == PaymentService::BulkPayments {
        return Ok(find_bulk(request, product).await?.payment);
    }
    let app = &request.state.app;
    let payment = match app.payment_find(&request.caller, product, id).await {
        Err(UseCaseError::Refused(refusal))
            if refusal.reason == RefusalReason::ProductInvalid && product.is_sepa() =>
        {
            app.payment_find(&request.caller, PaymentProduct::InternalTransfers, id).await?
        }
        found => found?,
    };
    if payment.instruction.service() == service {
        return Ok(payment);
    }
    Err(Refusal::at(RefusalReason::ResourceUnknown, Field::PaymentId, "unknown payment").into())
}

pub async fn cancel(request: TppRequest) -> Result<Response, UseCaseError> {
    let ((service, product), id) = (addressed(&request)?, request.path("paymentId"));
    let stored = find(&request).await?.instruction.product;
    let creation = Creation::read(&request)?;
    let idempotent = request.idempotent(&creation.headers, "");
    let (app, start) = (&request.state.app, creation.start());
    let called = app.payment_cancel_with_start(idempotent, &request.caller, stored, id, start).await?;
    let view = called.value.authorisation.as_ref();
    let response = match called.value.object.status {
        CancellationStatus::Cancelled => StatusCode::NO_CONTENT.into_response(),
        CancellationStatus::Received => {
            let payment = find(&request).await?;
            let (path, parts) = (path(&request, service, product, id), StartedParts::of(view));
            let links = match view {
                Some(_) => creation.links(&request, &path, "cancellation-authorisations", view),
                None => Links::of_object(&path)
                    .and("startAuthorisation", format!("{path}/cancellation-authorisations")),
            };
            let body = wire::Cancelled {
                transaction_status: payment.state.status().name(),
                sca_methods: parts.sca_methods,
                chosen_sca_method: parts.chosen_sca_method,
                challenge_data: parts.challenge_data,
                links,
            };
            json(StatusCode::ACCEPTED, &body)
        }
    };
    Ok(mark_replayed(with_started(response, view), &called))
}

/// The link to a payment.
fn path(request: &TppRequest, service: PaymentService, product: PaymentProduct, id: &str) -> String {
    format!("{}/v1/{}/{}/{id}", link::base(&request.state), service.name(), product.name())
}

/// The service and the product in the path.
pub fn addressed(request: &TppRequest) -> Result<(PaymentService, PaymentProduct), Refusal> {
    let service = PaymentService::parse(request.path("payment-service")).ok_or_else(|| {
        let text = "is not offered; use payments, periodic-payments or bulk-payments";
        Refusal::at(RefusalReason::ServiceUnknown, FieldPath::spelled("payment-service"), text)
    })?;
    let is_offered = |product: &PaymentProduct| match product {
        PaymentProduct::InternalTransfers | PaymentProduct::SepaCreditTransfers => true,
        PaymentProduct::InstantSepaCreditTransfers => {
            service == PaymentService::Payments && request.state.app.offers_instant_payments()
        }
    };
    let product = PaymentProduct::parse(request.path("payment-product")).filter(is_offered);
    let product = product.ok_or_else(|| {
        let text = "unknown product; use sepa-credit-transfers or internal-transfers";
        Refusal::at(RefusalReason::ProductUnknown, Field::PaymentProduct, text)
    })?;
    Ok((service, product))
}
