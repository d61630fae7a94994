//! Scheduled payments and standing orders: executed on their day by the sweep of whichever process finds them first. The transaction that
//! moves the money also ends the wait, under a lock of the payment, so a payment is executed once. In the same way the transaction that
//! creates an execution of a standing order counts it.

use super::ExecutionSettings;
use super::execution::{execute_scheduled, repeat_standing_order};
use crate::{App, UseCaseError};
use trapeza_domain::id::PaymentId;
use trapeza_domain::payment::PaymentTiming;
use trapeza_domain::time::Timestamp;
use trapeza_store::PAYMENT_EXECUTION_ROWS;

impl App {
    pub(crate) async fn sweep_scheduled_payments(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let mut all = 0;
        // Until nothing is due: an execution of a standing order is due when it was created, and so may the next one be.
        loop {
            let found = self.execute_due_payments(now).await?;
            if found == 0 {
                return Ok(all);
            }
            all += found;
        }
    }

    async fn execute_due_payments(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        // Usually no payment is due, and then nothing is written.
        if !self.store.read(move |tx| Ok(tx.payment_execution_is_due(now)?)).await? {
            return Ok(0);
        }
        let ids: Vec<PaymentId> = (0..PAYMENT_EXECUTION_ROWS).map(|_| self.payment_id()).collect();
        let (zone, routing) = (self.clock.zone().clone(), self.settings.payments.routing.clone());
        let (collection, sandbox) = (self.settings.payments.collection, self.settings.sandbox);
        let today = zone.day(now);
        let job = self.store.write_background(move |tx| {
            let settings = ExecutionSettings { routing: &routing, collection, sandbox, zone: &zone };
            let due = tx.payment_execution_due(now)?;
            let found = due.len();
            for (payment, id) in due.into_iter().zip(&ids) {
                match payment.instruction.timing {
                    PaymentTiming::Standing(_) => repeat_standing_order(tx, payment, *id, &settings, now)?,
                    PaymentTiming::Immediate | PaymentTiming::OnDate(_) => {
                        execute_scheduled(tx, payment, &settings, (now, today))?;
                    }
                }
            }
            Ok(found)
        });
        job.await
    }
}
