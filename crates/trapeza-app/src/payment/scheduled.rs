//! Scheduled payments and standing orders: executed on their day by the sweep of whichever process finds them first. The transaction that
//! moves the money also ends the wait, under a lock of the payment, so a payment is executed once. In the same way the transaction that
//! creates an execution of a standing order counts it.

use super::ExecutionSettings;
use super::bulk_execution::execute_bulk;
use super::execution::{execute_scheduled, repeat_standing_order};
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::PaymentId;
use trapeza_domain::payment::{MAX_BULK_LINES, PaymentTiming, RejectionReason};
use trapeza_domain::time::Timestamp;
use trapeza_store::Tx;

impl App {
    pub(crate) async fn sweep_scheduled_payments(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let mut all = 0;
        // Until nothing is due: an execution of a standing order is due when it was created, and so may the next one be.
        loop {
            let found = match self.execute_due_payments(now, None).await {
                Err(UseCaseError::Failed(StoreError::Internal(_))) => self.execute_singly(now).await?,
                found => found?,
            };
            if found == 0 {
                return Ok(all);
            }
            all += found;
        }
    }

    /// After a failure: each due payment in its own transaction, so that one that cannot be processed does not stop the others and the
    /// rest of the sweep. It is reported and stays due.
    async fn execute_singly(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let due = self.store.read(move |tx| Ok(tx.payment_execution_list(now)?)).await?;
        let mut executed = 0;
        for id in due {
            match self.execute_due_payments(now, Some(id)).await {
                Ok(found) => executed += found,
                Err(UseCaseError::Failed(error @ StoreError::Internal(_))) => {
                    tracing::error!(payment = %id, %error, "sweep: a scheduled payment was not executed, it is tried again");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(executed)
    }

    /// Executes what is due in one transaction: up to a number of payments, or one of them.
    async fn execute_due_payments(
        &self,
        now: Timestamp,
        only: Option<PaymentId>,
    ) -> Result<usize, UseCaseError> {
        // Usually no payment is due, and then nothing is written.
        if !self.store.read(move |tx| Ok(tx.payment_execution_is_due(now)?)).await? {
            return Ok(0);
        }
        // Enough for the largest bulk. The payments for which there are not enough stay due.
        let ids: Vec<PaymentId> = (0..MAX_BULK_LINES).map(|_| self.payment_id()).collect();
        let (zone, routing) = (self.clock.zone().clone(), self.settings.payments.routing.clone());
        let (collection, sandbox) = (self.settings.payments.collection, self.settings.sandbox);
        let today = zone.day(now);
        let job = self.store.write_background(move |tx| {
            let settings = ExecutionSettings { routing: &routing, collection, sandbox, zone: &zone };
            let due = tx.payment_execution_due(now, only)?;
            let (mut ids, mut done) = (ids.as_slice(), 0);
            for payment in due {
                let lines = payment.instruction.bulk.map_or(1, |bulk| bulk.count as usize);
                let Some((own, others)) = ids.split_at_checked(lines) else { break };
                (ids, done) = (others, done + 1);
                match payment.instruction.timing {
                    _ if payment.instruction.bulk.is_some() => {
                        execute_bulk(tx, payment, own, &settings, (now, today))?;
                    }
                    PaymentTiming::Standing(_) => {
                        repeat_standing_order(tx, payment, own[0], &settings, now)?;
                    }
                    PaymentTiming::Immediate | PaymentTiming::OnDate(_) => {
                        execute_scheduled(tx, payment, &settings, (now, today))?;
                    }
                }
            }
            Ok(done)
        });
        job.await
    }
}

/// Rejects the scheduled payments and standing orders of a customer whose accounts are closed.
pub(crate) fn reject_upcoming(
    tx: &mut Tx<'_>,
    login: &str,
    actor: Actor,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    for upcoming in tx.payment_upcoming_list(login)? {
        let payment = super::lock_current(tx, upcoming.application, upcoming.id, now)?;
        let (payment, event) = payment.reject(RejectionReason::Closed, now)?;
        tx.payment_update(&payment)?;
        audit::record(tx, now, actor, &event)?;
    }
    Ok(())
}
