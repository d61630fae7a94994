//! Cancellation of a payment: immediate before its authorisation, with the customer's authorisation afterwards, and
//! impossible after its submission.

use super::{check_product, lock_current, parse};
use crate::authentication::Tpp;
use crate::authorisation_expiry;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::payment::{CancellationStatus, PaymentProduct, PaymentState};
use trapeza_store::StoreError;

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
    ) -> Result<Replayable<CancellationResult>, UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        // An id that cannot be parsed still goes through the idempotency check: the key may belong to another
        // request.
        let id = parse(id);
        self.store
            .write(move |tx| {
                let before = request.find(tx)?;
                let id = id.clone()?;
                let payment = lock_current(tx, application, id, now)?;
                check_product(&payment, product)?;
                let psu = payment.psu.clone();
                if let Some(before) = before {
                    let status = CancellationStatus::parse(&before.outcome).ok_or_else(|| {
                        StoreError::internal("an idempotency record holds no cancellation status")
                    })?;
                    return Ok(Replayable::replayed(CancellationResult { status, psu }));
                }
                let (payment, event) = payment.request_cancellation(now)?;
                tx.payment_update(&payment)?;
                audit::record(tx, now, Actor::Application(application), &event)?;
                let status = match payment.state {
                    PaymentState::Cancelled => {
                        authorisation_expiry::fail_open(tx, application, Target::Payment(id), now)?;
                        CancellationStatus::Cancelled
                    }
                    _ => CancellationStatus::Received,
                };
                request.record(tx, status.name(), id.as_bytes(), now)?;
                Ok(Replayable::fresh(CancellationResult { status, psu }))
            })
            .await
    }
}
