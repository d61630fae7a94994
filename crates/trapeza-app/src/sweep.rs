//! Time passing: what is overdue becomes what it is. Nothing depends on the sweep being in time, since everybody looks
//! at things as of now; it keeps the rows true and the log complete.

use crate::basket::DecisionContext;
use crate::{App, UseCaseError, audit, basket, consent, payment, sca};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::time::Timestamp;
use trapeza_store::{
    AUTHORISATION_SWEEP_ROWS, BASKET_SWEEP_ROWS, CALLBACK_SWEEP_ROWS, CONSENT_SWEEP_ROWS, PAYMENT_SWEEP_ROWS,
};

impl App {
    /// Does what is due by `now`, in small jobs that let requests go first. Answers how many things were found.
    pub async fn sweep(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        self.last_used_flush().await?;
        // Consents and payments first: with them go their authorisations.
        let targets = self.sweep_consents(now).await? + self.sweep_payments(now).await?;
        let authorisations = self.sweep_authorisations(now).await?;
        let later = self.sweep_baskets(now).await? + self.sweep_loans(now).await?;
        // Last, so that what time has ended or set free is so already.
        let cleared = self.clearing_round(now).await?;
        Ok(targets + authorisations + later + cleared + self.sweep_callbacks(now).await?)
    }

    async fn sweep_baskets(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let mut all = 0;
        loop {
            // Mostly nothing is due, and then no ids are drawn.
            if !self.store.read(move |tx| Ok(tx.basket_is_expired(now)?)).await? {
                return Ok(all);
            }
            let draw = |_| DecisionContext { now, ..self.decision_context(Actor::Bank) };
            let occasions: Vec<DecisionContext> = (0..BASKET_SWEEP_ROWS).map(draw).collect();
            let job = self.store.write_background(move |tx| {
                let overdue = tx.basket_expired(now)?;
                let found = overdue.len();
                for (overdue, context) in overdue.into_iter().zip(&occasions) {
                    basket::settle(tx, overdue, context)?;
                }
                Ok(found)
            });
            let found = job.await?;
            all += found;
            if i64::try_from(found).is_ok_and(|found| found < BASKET_SWEEP_ROWS) {
                return Ok(all);
            }
        }
    }

    /// What was delivered long ago is forgotten; what is dead or turned off stays for the operator.
    async fn sweep_callbacks(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let before = now.minus(self.callback_retention);
        let mut all = 0;
        while self.store.read(move |tx| Ok(tx.callback_is_purgeable(before)?)).await? {
            let job = self.store.write_background(move |tx| {
                let forgotten = tx.callback_purge(before)?;
                if let Some(oldest) = forgotten.first() {
                    let event = AuditEvent::new("callback.purged", "callback", oldest);
                    audit::record(tx, now, Actor::Bank, &event.with("count", forgotten.len()))?;
                }
                Ok(forgotten.len())
            });
            let found = job.await?;
            all += found;
            if i64::try_from(found).is_ok_and(|found| found < CALLBACK_SWEEP_ROWS) {
                return Ok(all);
            }
        }
        Ok(all)
    }

    async fn sweep_payments(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let mut all = 0;
        loop {
            let job = self.store.write_background(move |tx| {
                let overdue = tx.payment_expired(now)?;
                let found = overdue.len();
                for overdue in overdue {
                    let before = overdue.state;
                    let after = payment::settle(tx, overdue, now)?;
                    // As with consents: what is not due after all is reckoned again.
                    if after.state == before {
                        tx.payment_update(&after)?;
                    }
                }
                Ok(found)
            });
            let found = job.await?;
            all += found;
            if i64::try_from(found).is_ok_and(|found| found < PAYMENT_SWEEP_ROWS) {
                return Ok(all);
            }
        }
    }

    async fn sweep_authorisations(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let mut all = 0;
        loop {
            let job = self.store.write_background(move |tx| {
                let overdue = tx.authorisation_expired(now)?;
                let found = overdue.len();
                for record in overdue {
                    sca::ending::settle(tx, record, now)?;
                }
                Ok(found)
            });
            let found = job.await?;
            all += found;
            if i64::try_from(found).is_ok_and(|found| found < AUTHORISATION_SWEEP_ROWS) {
                return Ok(all);
            }
        }
    }

    async fn sweep_consents(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let mut all = 0;
        loop {
            let job = self.store.write_background(move |tx| {
                let overdue = tx.consent_expired(now)?;
                let found = overdue.len();
                for overdue in overdue {
                    let before = overdue.state;
                    let after = consent::settle(tx, overdue, now)?;
                    // A rule that has become milder since the row was written: reckon again when it is due, or the
                    // sweep would find it for ever.
                    if after.state == before {
                        tx.consent_update(&after)?;
                    }
                }
                Ok(found)
            });
            let found = job.await?;
            all += found;
            // A full job may have left some behind.
            if i64::try_from(found).is_ok_and(|found| found < CONSENT_SWEEP_ROWS) {
                return Ok(all);
            }
        }
    }
}
