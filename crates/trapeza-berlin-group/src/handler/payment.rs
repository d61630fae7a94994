//! Payments: initiate, fetch, status, cancel.

use super::creation::{Creation, StartedParts, with_started};
use super::payment_path::{PaymentPath, find, find_bulk, find_message};
use crate::header;
use crate::link::Links;
use crate::wire::authorisation::PayeeVerificationOut;
use crate::wire::pain::{self, OrderStatus, PainDocument, PainReport};
use crate::wire::payment as wire;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use trapeza_app::sca::AuthorisationView;
use trapeza_app::{Initiation, StoreError, UseCaseError};
use trapeza_domain::payment::{
    BulkOrder, CancellationStatus, Payment, PaymentOrder, PaymentProduct, PaymentService, PaymentState,
    TransactionStatus,
};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::extract::{TppRequest, malformed, wants_xml};
use trapeza_http::response::{created, json, mark_replayed, xml};

pub async fn initiate(request: TppRequest) -> Result<Response, UseCaseError> {
    let creation = Creation::read(&request)?;
    let PaymentPath { service, product, is_pain } = PaymentPath::of(&request)?;
    if header::psu_address(&request)?.is_none() {
        return Err(malformed("PSU-IP-Address", "is required: the customer must be present").into());
    }
    let consent = header::consent_id(&request)?.map(str::to_owned);
    let idempotent = request.idempotent(&creation.headers, consent.as_deref().unwrap_or_default());
    let (order, message) = match is_pain {
        true => {
            let (order, message) = pain_order(&request, service, product)?;
            (order, Some(message))
        }
        false => (json_order(&request, service, product)?, None),
    };
    let initiation = Initiation { psu: creation.psu.clone(), consent, message, start: creation.start() };
    let app = &request.state.app;
    let made = match order {
        Order::Bulk(order) => {
            app.bulk_initiate_with_start(idempotent, &request.caller, order, initiation).await
        }
        Order::Single(mut order) => {
            // Clients of the standard know no product for payments within a bank.
            if app.is_own_iban(&order.creditor) {
                order.product = PaymentProduct::InternalTransfers;
            }
            app.payment_initiate_with_start(idempotent, &request.caller, *order, initiation).await
        }
    };
    let made = made.map_err(|error| if is_pain { pain::with_element_names(error) } else { error })?;
    let (payment, view) = (&made.value.object, made.value.authorisation.as_ref());
    let (path, parts) = (PaymentPath::link(&request, &payment.id.to_string()), StartedParts::of(view));
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

/// An order of either kind.
enum Order {
    Single(Box<PaymentOrder>),
    Bulk(BulkOrder),
}

fn json_order(
    request: &TppRequest,
    service: PaymentService,
    product: PaymentProduct,
) -> Result<Order, Refusal> {
    let body = header::json_body(request)?;
    match service {
        PaymentService::BulkPayments => wire::bulk_order(product, &body).map(Order::Bulk),
        PaymentService::Payments | PaymentService::PeriodicPayments => {
            wire::order(service, product, &body).map(|order| Order::Single(order.into()))
        }
    }
}

/// The order of a message pain.001, and the message.
fn pain_order(
    request: &TppRequest,
    service: PaymentService,
    product: PaymentProduct,
) -> Result<(Order, String), Refusal> {
    let body = header::xml_body(request)?;
    let (document, today) = (PainDocument::parse(body)?, request.state.app.clock().today());
    let order = match service {
        PaymentService::BulkPayments => Order::Bulk(pain::bulk_order(product, &document, today)?),
        PaymentService::Payments | PaymentService::PeriodicPayments => {
            Order::Single(pain::order(product, &document, today)?.into())
        }
    };
    Ok((order, String::from_utf8_lossy(body).into_owned()))
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
    if wants_xml(&request.parts.headers) {
        return Ok(xml(find_message(&request).await?.1));
    }
    let path = PaymentPath::of(&request)?;
    if path.service == PaymentService::BulkPayments {
        return Ok(json(StatusCode::OK, &wire::bulk_details(&find_bulk(&request, path).await?)));
    }
    Ok(json(StatusCode::OK, &wire::details(&find(&request).await?)))
}

pub async fn status(request: TppRequest) -> Result<Response, UseCaseError> {
    if wants_xml(&request.parts.headers) {
        return Ok(xml(pain_report(&request).await?));
    }
    Ok(json(StatusCode::OK, &wire::status(&find(&request).await?)))
}

/// The status as pain.002. It has the transfer of a single payment, and the rejected lines of a bulk.
async fn pain_report(request: &TppRequest) -> Result<String, UseCaseError> {
    let (payment, message) = find_message(request).await?;
    let invalid = |_| StoreError::internal("a stored message is not pain.001");
    let order = PainDocument::parse(message.as_bytes()).map_err(invalid)?;
    let (app, path) = (&request.state.app, PaymentPath::of(request)?);
    let (state, transfers) = if path.service == PaymentService::BulkPayments {
        let bulk = find_bulk(request, path).await?;
        let state = bulk.payment.state;
        let each = app.bulk_rejected_lines(bulk).await?.into_iter().filter_map(|line| {
            let place = usize::try_from(line.number).ok()?.checked_sub(1)?;
            let rejection = Some(line.rejection);
            Some((place, OrderStatus { status: TransactionStatus::Rjct, rejection }))
        });
        (state, each.collect())
    } else {
        (payment.state, vec![(0, order_status(payment.state))])
    };
    let (id, created_at) = (app.entropy().uuid(), app.now());
    let status = order_status(state);
    Ok(PainReport { id, created_at, bank_name: app.bank_name(), order: &order, status, transfers }.message())
}

fn order_status(state: PaymentState) -> OrderStatus {
    OrderStatus { status: state.status(), rejection: state.rejection() }
}

/// The status of a bulk payment with its rejected lines. Other services have no more than the status.
pub async fn extended_status(request: TppRequest) -> Result<Response, UseCaseError> {
    let path = PaymentPath::of(&request)?;
    if path.service != PaymentService::BulkPayments {
        let text = "is offered for bulk-payments only";
        return Err(Refusal::new(RefusalReason::ServiceUnknown, text).into());
    }
    let bulk = find_bulk(&request, path).await?;
    let status = bulk.payment.state.status().name();
    let rejected = request.state.app.bulk_rejected_lines(bulk).await?;
    Ok(json(StatusCode::OK, &wire::extended_status(status, rejected)))
}

pub async fn cancel(request: TppRequest) -> Result<Response, UseCaseError> {
    let id = request.path("paymentId");
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
            let (path, parts) = (PaymentPath::link(&request, id), StartedParts::of(view));
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
