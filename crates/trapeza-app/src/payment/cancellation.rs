//! Cancellation of a payment: immediate before its authorisation, with the customer's authorisation afterwards, and
//! impossible after its submission.

use super::{PayeeCheck, check_product, lock_current, parse};
use crate::authentication::Tpp;
use crate::authorisation_expiry;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::sca::{Created, StartOption};
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
        let cancelled =
            self.payment_cancel_with_start(request, tpp, product, id, StartOption::default()).await?;
        Ok(cancelled.map(|created| created.object))
    }

    /// Cancels a payment or, where the customer must authorise that, requests the cancellation and, for an implicit start, starts its
    /// authorisation in the same transaction.
    pub async fn payment_cancel_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        product: PaymentProduct,
        id: &str,
        start: StartOption,
    ) -> Result<Replayable<Created<CancellationResult>>, UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        let start = self.target_start(tpp, start);
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
                    let authorisation = start.replayed(tx, Target::Cancellation(id), &before)?;
                    let object = CancellationResult { status, psu };
                    return Ok(Replayable::replayed(Created { object, authorisation }));
                }
                let (payment, event) = payment.request_cancellation(now)?;
                tx.payment_update(&payment)?;
                audit::record(tx, now, Actor::Application(application), &event)?;
                let (status, result, authorisation) = match payment.state {
                    PaymentState::Cancelled => {
                        authorisation_expiry::fail_open(tx, application, Target::Payment(id), now)?;
                        (CancellationStatus::Cancelled, id.as_bytes().to_vec(), None)
                    }
                    _ => {
                        let target = Target::Cancellation(id);
                        let (result, authorisation) = start.run(tx, target, PayeeCheck::default())?;
                        (CancellationStatus::Received, result, authorisation)
                    }
                };
                request.record(tx, status.name(), &result, now)?;
                let object = CancellationResult { status, psu };
                Ok(Replayable::fresh(Created { object, authorisation }))
            })
            .await
    }
}
