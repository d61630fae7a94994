//! Cancellation of a payment: immediate before its authorisation, with the customer's authorisation afterwards, and
//! impossible after its submission.

use super::{PathPayment, lock_current, parse};
use crate::authentication::Tpp;
use crate::authorisation_expiry;
use crate::idempotency::{IdempotentOutcome, IdempotentRequest};
use crate::{App, UseCaseError, audit, signing_basket_state};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::payment::{CancellationStatus, Payment, PaymentProduct, PaymentState};
use trapeza_domain::time::Timestamp;
use trapeza_store::{IdempotencyRecord, StoreError, Tx};

/// The response to a cancellation request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancellationResult {
    pub status: CancellationStatus,
    /// The customer who must authorise, as the third party named them.
    pub psu: String,
}

impl App {
    pub async fn payment_cancel(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        product: PaymentProduct,
        id: &str,
    ) -> Result<IdempotentOutcome<CancellationResult>, UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        // An id that cannot be parsed still goes through the idempotency check: the key may belong to another
        // request.
        let id = parse(id);
        self.store
            .write(move |tx| {
                let before = request.find(tx)?;
                let id = id.clone()?;
                let payment = lock_current(tx, application, id, now)?;
                PathPayment { product, is_bulk: false }.check(&payment)?;
                if let Some(before) = before {
                    return Ok(IdempotentOutcome::replayed(recorded_cancellation(&payment, &before)?));
                }
                let result = request_cancellation(tx, payment, now)?;
                request.record(tx, result.status.name(), id.as_bytes(), now)?;
                Ok(IdempotentOutcome::fresh(result))
            })
            .await
    }
}

/// Cancels a payment that waits for its authorisation, or requests the cancellation of one that is authorised.
pub(crate) fn request_cancellation(
    tx: &mut Tx<'_>,
    payment: Payment,
    now: Timestamp,
) -> Result<CancellationResult, UseCaseError> {
    let (payment, event) = payment.request_cancellation(now)?;
    tx.payment_update(&payment)?;
    audit::record(tx, now, Actor::Application(payment.application), &event)?;
    let status = match payment.state {
        PaymentState::Cancelled => {
            let target = Target::Payment(payment.id);
            authorisation_expiry::fail_open(tx, payment.application, target, now)?;
            signing_basket_state::member_left(tx, payment.application, payment.signing_basket, now)?;
            CancellationStatus::Cancelled
        }
        _ => CancellationStatus::Received,
    };
    Ok(CancellationResult { status, psu: payment.psu })
}

/// What the first request was answered.
pub(crate) fn recorded_cancellation(
    payment: &Payment,
    record: &IdempotencyRecord,
) -> Result<CancellationResult, StoreError> {
    let status = CancellationStatus::parse(&record.outcome)
        .ok_or_else(|| StoreError::internal("an idempotency record holds no cancellation status"))?;
    Ok(CancellationResult { status, psu: payment.psu.clone() })
}
