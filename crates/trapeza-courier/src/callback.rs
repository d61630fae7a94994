//! Delivery of callbacks to merchants. Callbacks are claimed per application, so that a slow
//! receiver does not delay others, sent concurrently, and recorded in batches.
//!
//! Three kinds of tasks: one polls for due callbacks and claims them, one per callback sends it, one records the results
//! and frees the delivery slots.

mod connect;
mod delivery_slots;
mod send;

pub use connect::{Resolver, system_resolver};

use crate::http_client::Roots;
use delivery_slots::DeliverySlots;
use send::Sender;
use std::sync::Arc;
use std::time::Duration;
use tokio::pin;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use trapeza_app::callback::{AttemptResult, DeliveryAttempt};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::TimeDelta;

/// Poll interval when nothing was due.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Poll interval while callbacks are due, so that one claim takes several.
const CLAIM_DELAY: Duration = Duration::from_millis(3);
/// Callbacks per store job, so that other jobs are not delayed.
const BATCH: usize = 100;
/// How long recording is retried while the store is busy; afterwards the lease expires and the attempt is repeated.
const RECORD_RETRY_TIMEOUT: Duration = Duration::from_secs(10);

/// Settings of the courier.
pub struct CallbackSettings {
    pub egress_policy: EgressPolicy,
    /// CA certificates for merchants' servers.
    pub roots: Roots,
    /// Timeout from name resolution to the end of the response.
    pub limit: Duration,
    pub names: Resolver,
}

impl CallbackSettings {
    pub fn new(egress_policy: EgressPolicy, roots: Roots) -> Self {
        Self { egress_policy, roots, limit: Duration::from_secs(15), names: system_resolver() }
    }
}

pub struct CallbackCourier {
    sender: Arc<Sender>,
    lease: TimeDelta,
}

/// An attempt that has ended, whose delivery slot is free again.
struct FinishedAttempt {
    application: ApplicationId,
    slow: bool,
}

impl CallbackCourier {
    pub fn parse(settings: CallbackSettings) -> Result<Self, &'static str> {
        // Twice the timeout of an attempt: the rest is for recording it.
        let lease = i64::try_from(2 * settings.limit.as_micros()).map_err(|_| "is too long")?;
        Ok(Self { sender: Arc::new(Sender::parse(settings)?), lease: TimeDelta(lease) })
    }

    /// Sends due callbacks until it is asked to stop; then finishes attempts in progress and returns when they are recorded.
    pub async fn run(&self, app: Arc<App>, stop: impl Future<Output = ()>) {
        let (finished_sender, mut finished_attempts) = unbounded_channel();
        let (results, recorder) = unbounded_channel();
        let recorder = tokio::spawn(record(app.clone(), recorder, finished_sender));
        let mut slots = DeliverySlots::new();
        let (mut next, mut more) = (Instant::now(), false);
        pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                () = sleep_until(next), if slots.has_free_slots() => {
                    more = self.round(&app, &mut slots, &results).await;
                    next = Instant::now() + POLL_INTERVAL;
                }
                Some(finished) = finished_attempts.recv() => {
                    slots.release(&finished);
                    // Waiting callbacks are collected for a moment, so that one claim takes several.
                    if more {
                        next = next.min(Instant::now() + CLAIM_DELAY);
                    }
                }
            }
        }
        drop(results);
        // The recorder ends when the last attempt has dropped its end of the channel.
        if recorder.await.is_err() {
            tracing::error!("callbacks: the recorder failed, unrecorded attempts are repeated");
        }
    }

    /// Claims due callbacks and starts sending them. Returns whether there may be more.
    async fn round(
        &self,
        app: &Arc<App>,
        slots: &mut DeliverySlots,
        results: &UnboundedSender<AttemptResult>,
    ) -> bool {
        match self.claim(app, slots, results).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "callbacks: claim failed, retrying");
                false
            }
        }
    }

    async fn claim(
        &self,
        app: &Arc<App>,
        slots: &mut DeliverySlots,
        results: &UnboundedSender<AttemptResult>,
    ) -> Result<bool, UseCaseError> {
        let due = app.callback_due_applications().await?;
        let found = !due.is_empty();
        let mut claims = JoinSet::new();
        for free_slots in slots.allocate(due, BATCH) {
            let (app, lease) = (app.clone(), self.lease);
            claims.spawn(async move { app.callback_claim(free_slots, lease).await });
        }
        let mut outcome = Ok(found);
        for claimed in claims.join_all().await {
            match claimed {
                Ok(attempts) => {
                    for one in attempts {
                        slots.acquire(one.application);
                        self.spawn(app, one, results.clone());
                    }
                }
                // Callbacks claimed by other processes are sent by them.
                Err(error) => outcome = Err(error),
            }
        }
        outcome
    }

    fn spawn(&self, app: &Arc<App>, one: DeliveryAttempt, results: UnboundedSender<AttemptResult>) {
        let (sender, seconds) = (self.sender.clone(), app.clock().system_now().0 / 1_000_000);
        tokio::spawn(async move {
            // Fails only when the recorder is gone; then the lease expires.
            let _ = results.send(sender.send(&one, seconds).await);
        });
    }
}

/// Records results in batches. The batches run one after another: concurrent ones would conflict on the same index pages
/// of PostgreSQL and be repeated.
async fn record(
    app: Arc<App>,
    mut receiver: UnboundedReceiver<AttemptResult>,
    finished_sender: UnboundedSender<FinishedAttempt>,
) {
    let mut batch = Vec::with_capacity(BATCH);
    while receiver.recv_many(&mut batch, BATCH).await > 0 {
        let results = Arc::new(std::mem::replace(&mut batch, Vec::with_capacity(BATCH)));
        record_batch(&app, &results).await;
        for one in results.iter() {
            let finished = FinishedAttempt { application: one.application(), slow: one.slow };
            // No more callbacks are claimed during shutdown.
            let _ = finished_sender.send(finished);
        }
    }
}

async fn record_batch(app: &App, results: &Arc<Vec<AttemptResult>>) {
    let deadline = Instant::now() + RECORD_RETRY_TIMEOUT;
    while let Err(error) = app.callback_record_attempts(results.clone()).await {
        if Instant::now() > deadline {
            tracing::warn!(%error, attempts = results.len(), "callbacks: results could not be recorded, the attempts are repeated");
            return;
        }
        sleep(POLL_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise another process would send it while this one still does.
    #[test]
    fn claim_outlives_an_attempt_and_its_recording() {
        for seconds in [15, 20] {
            let limit = Duration::from_secs(seconds);
            let settings =
                CallbackSettings { limit, ..CallbackSettings::new(EgressPolicy::Public, Roots::default()) };
            let courier = CallbackCourier::parse(settings).ok().unwrap();
            assert_eq!(courier.lease, TimeDelta::seconds(2 * i64::try_from(seconds).unwrap()));
            let recorded = i64::try_from((limit + RECORD_RETRY_TIMEOUT).as_micros()).unwrap();
            assert!(TimeDelta(recorded) < courier.lease);
        }
        let settings = CallbackSettings::new(EgressPolicy::Public, Roots::default());
        assert_eq!(settings.limit, Duration::from_secs(15));
    }
}
