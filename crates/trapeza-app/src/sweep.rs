//! The sweep: stores what time has changed. Reads always use `as_of(now)`, so no rule depends on the sweep being in time;
//! it keeps the rows current and the audit log complete.

use crate::basket::DecisionContext;
use crate::{
    App, UseCaseError, audit, authorisation_expiry, basket, callback, consent, notification, payment,
    signing_basket_state,
};
use std::future::Future;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::time::Timestamp;
use trapeza_store::{
    AUTHORISATION_SWEEP_ROWS, BASKET_SWEEP_ROWS, CALLBACK_SWEEP_ROWS, CONSENT_SWEEP_ROWS,
    NOTIFICATION_SWEEP_ROWS, PAYMENT_SWEEP_ROWS, SIGNING_BASKET_SWEEP_ROWS,
};

impl App {
    /// Processes everything that is due by `now` in small background jobs, so that requests go first. Returns how many rows were due. A
    /// step that fails does not keep the others from being done; the first error is returned at the end.
    pub async fn sweep(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let mut steps = SweepSteps::default();
        steps.add("uses of credentials", self.last_used_flush().await.map(|()| 0));
        // Consents and payments first, because they end their authorisations.
        steps.add("consents", self.sweep_consents(now).await);
        steps.add("payments", self.sweep_payments(now).await);
        steps.add("signing baskets", self.sweep_signing_baskets(now).await);
        steps.add("authorisations", self.sweep_authorisations(now).await);
        steps.add("scheduled payments", self.sweep_scheduled_payments(now).await);
        steps.add("baskets", self.sweep_baskets(now).await);
        steps.add("loans", self.sweep_loans(now).await);
        // After all that releases payments, which clearing submits.
        steps.add("clearing", self.clearing_round(now).await);
        steps.add("callbacks", self.sweep_callbacks(now).await);
        steps.add("guest sessions", self.sweep_guest_sessions(now).await);
        steps.add("notifications", self.sweep_notifications(now).await);
        steps.add("callbacks of the sandbox", self.sweep_sandbox_callbacks().await);
        steps.add("staff requests", self.sweep_staff_requests(now).await);
        steps.first_error.map_or(Ok(steps.rows), Err)
    }

    async fn sweep_baskets(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        sweep_until_done(BASKET_SWEEP_ROWS, async || {
            // Usually no basket is due, and then no ids are generated.
            if !self.store.read(move |tx| Ok(tx.basket_is_expired(now)?)).await? {
                return Ok(0);
            }
            let context = |_| DecisionContext { now, ..self.decision_context(Actor::Bank) };
            let contexts: Vec<DecisionContext> = (0..BASKET_SWEEP_ROWS).map(context).collect();
            let job = self.store.write_background(move |tx| {
                let expired = tx.basket_expired(now)?;
                let found = expired.len();
                for (expired, context) in expired.into_iter().zip(&contexts) {
                    basket::expire_if_due(tx, expired, context)?;
                }
                Ok(found)
            });
            job.await
        })
        .await
    }

    /// Deletes callbacks that were delivered before the retention period. Dead and disabled ones stay for the operator.
    async fn sweep_callbacks(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let before = now.minus(self.settings.callback_retention);
        sweep_until_done(CALLBACK_SWEEP_ROWS, async || {
            if !self.store.read(move |tx| Ok(tx.callback_is_purgeable(before)?)).await? {
                return Ok(0);
            }
            let job = self.store.write_background(move |tx| {
                let deleted = tx.callback_purge(before)?;
                if let Some(oldest) = deleted.first() {
                    let event = AuditEvent::new("callback.purged", "callback", oldest);
                    audit::record(tx, now, Actor::Bank, &event.with("count", deleted.len()))?;
                }
                Ok(deleted.len())
            });
            job.await
        })
        .await
    }

    /// Deletes the callbacks that a sandbox no longer lists to developers.
    async fn sweep_sandbox_callbacks(&self) -> Result<usize, UseCaseError> {
        let Some(before) = self.sandbox_system_time().map(|now| now.minus(callback::FEED_RETENTION)) else {
            return Ok(0);
        };
        if !self.store.read(move |tx| Ok(tx.sandbox_callback_is_purgeable(before)?)).await? {
            return Ok(0);
        }
        let purged = self.store.write_background(move |tx| Ok(tx.sandbox_callback_purge(before)?)).await?;
        Ok(usize::try_from(purged).unwrap_or(usize::MAX))
    }

    /// Deletes notifications after their retention period, whatever became of them: none can be sent any more.
    async fn sweep_notifications(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let before = now.minus(notification::RETENTION);
        sweep_until_done(NOTIFICATION_SWEEP_ROWS, async || {
            if !self.store.read(move |tx| Ok(tx.notification_is_purgeable(before)?)).await? {
                return Ok(0);
            }
            let purged = self.store.write_background(move |tx| Ok(tx.notification_purge(before)?)).await?;
            Ok(usize::try_from(purged).unwrap_or(usize::MAX))
        })
        .await
    }

    /// Deletes the sessions of borrowers without an account here that have expired.
    async fn sweep_guest_sessions(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        if !self.store.read(move |tx| Ok(tx.guest_session_is_expired(now)?)).await? {
            return Ok(0);
        }
        let purged = self.store.write_background(move |tx| Ok(tx.guest_session_purge(now)?)).await?;
        Ok(usize::try_from(purged).unwrap_or(usize::MAX))
    }

    async fn sweep_payments(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        sweep_until_done(PAYMENT_SWEEP_ROWS, async || {
            let job = self.store.write_background(move |tx| {
                let expired = tx.payment_expired(now)?;
                let found = expired.len();
                for expired in expired {
                    let before = expired.state;
                    let after = payment::expire_if_due(tx, expired, now)?;
                    // As with consents: the deadline is recomputed, or the sweep would find the row for ever.
                    if after.state == before {
                        tx.payment_update(&after)?;
                    }
                }
                Ok(found)
            });
            job.await
        })
        .await
    }

    async fn sweep_signing_baskets(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        sweep_until_done(SIGNING_BASKET_SWEEP_ROWS, async || {
            let job = self.store.write_background(move |tx| {
                let expired = tx.signing_basket_expired(now)?;
                let found = expired.len();
                for basket in expired {
                    signing_basket_state::expire_if_due(tx, basket, now)?;
                }
                Ok(found)
            });
            job.await
        })
        .await
    }

    async fn sweep_authorisations(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        sweep_until_done(AUTHORISATION_SWEEP_ROWS, async || {
            let job = self.store.write_background(move |tx| {
                let expired = tx.authorisation_expired(now)?;
                let found = expired.len();
                for record in expired {
                    authorisation_expiry::expire_if_due(tx, record, now)?;
                }
                Ok(found)
            });
            job.await
        })
        .await
    }

    async fn sweep_consents(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        sweep_until_done(CONSENT_SWEEP_ROWS, async || {
            let job = self.store.write_background(move |tx| {
                let expired = tx.consent_expired(now)?;
                let found = expired.len();
                for expired in expired {
                    let before = expired.state;
                    let after = consent::expire_if_due(tx, expired, now)?;
                    // A rule may have become milder since the row was written: its deadline is recomputed, or the
                    // sweep would find it for ever.
                    if after.state == before {
                        tx.consent_update(&after)?;
                    }
                }
                Ok(found)
            });
            job.await
        })
        .await
    }
}

/// What the steps of a sweep have done.
#[derive(Default)]
struct SweepSteps {
    rows: usize,
    first_error: Option<UseCaseError>,
}

impl SweepSteps {
    fn add(&mut self, step: &'static str, result: Result<usize, UseCaseError>) {
        match result {
            Ok(rows) => self.rows += rows,
            Err(error) => {
                if !error.is_overload() {
                    tracing::warn!(step, %error, "sweep: step failed, the others go on");
                }
                self.first_error.get_or_insert(error);
            }
        }
    }
}

/// Repeats a job that processes up to `batch` rows until it finds fewer. Returns how many rows there were in all.
pub(crate) async fn sweep_until_done<F>(batch: i64, job: impl Fn() -> F) -> Result<usize, UseCaseError>
where
    F: Future<Output = Result<usize, UseCaseError>>,
{
    let mut all = 0;
    loop {
        let found = job().await?;
        all += found;
        if i64::try_from(found).is_ok_and(|found| found < batch) {
            return Ok(all);
        }
    }
}
