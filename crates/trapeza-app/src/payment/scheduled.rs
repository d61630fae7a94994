//! Scheduled payments: executed on their day by the sweep of whichever process finds them first. The transaction that moves the money
//! also ends the wait, under a lock of the payment, so a payment is executed once.

use super::ExecutionSettings;
use super::execution::execute_scheduled;
use crate::sweep::sweep_until_done;
use crate::{App, UseCaseError};
use trapeza_domain::time::Timestamp;
use trapeza_store::PAYMENT_EXECUTION_ROWS;

impl App {
    pub(crate) async fn sweep_scheduled_payments(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        sweep_until_done(PAYMENT_EXECUTION_ROWS, async || {
            // Usually no payment is due, and then nothing is written.
            if !self.store.read(move |tx| Ok(tx.payment_execution_is_due(now)?)).await? {
                return Ok(0);
            }
            let (zone, routing) = (self.clock.zone().clone(), self.settings.payments.routing.clone());
            let (collection, sandbox) = (self.settings.payments.collection, self.settings.sandbox);
            let today = zone.day(now);
            let job = self.store.write_background(move |tx| {
                let settings = ExecutionSettings { routing: &routing, collection, sandbox, zone: &zone };
                let due = tx.payment_execution_due(now)?;
                let found = due.len();
                for payment in due {
                    execute_scheduled(tx, payment, &settings, (now, today))?;
                }
                Ok(found)
            });
            job.await
        })
        .await
    }
}
