//! Callbacks to merchants, signed by Standard Webhooks: claimed lane by lane, an application each, so that one slow
//! merchant never holds another back; sent side by side; recorded in batches.
//!
//! Three kinds of task: the round looks for what is due and claims it, a task for each callback sends it, the recorder
//! writes down what came of them and gives their places back to the round.

mod connect;
mod delivery_slots;
mod send;
mod sign;

pub use connect::{Resolver, system_resolver};
pub use sign::signature;

use crate::json_client::Roots;
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

/// How often the courier looks when nothing was due the last time.
const LOOK: Duration = Duration::from_millis(250);
/// How long it waits while there is something, so that a claim takes many at once.
const PAUSE: Duration = Duration::from_millis(3);
/// Callbacks in one job of the store: others wait for the writer too.
const BATCH: usize = 100;
/// How long recording is tried again while the store is busy; then the lease ends, and another try is made.
const RECORDING: Duration = Duration::from_secs(10);

/// How callbacks are sent.
pub struct CallbackSettings {
    pub reach: EgressPolicy,
    /// The authorities that merchants' servers are believed by.
    pub roots: Roots,
    /// From the look-up of the name to the end of the answer.
    pub limit: Duration,
    pub names: Resolver,
}

impl CallbackSettings {
    pub fn new(reach: EgressPolicy, roots: Roots) -> Self {
        Self { reach, roots, limit: Duration::from_secs(15), names: system_resolver() }
    }
}

pub struct CallbackCourier {
    sender: Arc<Sender>,
    lease: TimeDelta,
}

/// A place that is free again, and how it went.
struct Freed {
    application: ApplicationId,
    slow: bool,
}

impl CallbackCourier {
    pub fn parse(settings: CallbackSettings) -> Result<Self, &'static str> {
        // Twice the time that a try may take: what is left is for recording it.
        let lease = i64::try_from(2 * settings.limit.as_micros()).map_err(|_| "waits too long")?;
        Ok(Self { sender: Arc::new(Sender::parse(settings)?), lease: TimeDelta(lease) })
    }

    /// Sends what is due until it is told to stop; then it ends what is under way and returns when that is recorded.
    pub async fn run(&self, app: Arc<App>, stop: impl Future<Output = ()>) {
        let (freed, mut places) = unbounded_channel();
        let (tried, recorder) = unbounded_channel();
        let recorder = tokio::spawn(record(app.clone(), recorder, freed));
        let mut lanes = DeliverySlots::new();
        let (mut next, mut more) = (Instant::now(), false);
        pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                () = sleep_until(next), if lanes.has_room() => {
                    more = self.round(&app, &mut lanes, &tried).await;
                    next = Instant::now() + LOOK;
                }
                Some(place) = places.recv() => {
                    lanes.give_back(&place);
                    // What waits for a place waits no longer than it takes a few to gather.
                    if more {
                        next = next.min(Instant::now() + PAUSE);
                    }
                }
            }
        }
        drop(tried);
        // The recorder ends when the last try under way has let go of its end of the channel.
        if recorder.await.is_err() {
            tracing::error!("the recorder of callbacks ended badly; what it had not written is tried again");
        }
    }

    /// Claims what is due and sends it on its way. Answers whether there was anything, so that there may be more.
    async fn round(
        &self,
        app: &Arc<App>,
        lanes: &mut DeliverySlots,
        tried: &UnboundedSender<AttemptResult>,
    ) -> bool {
        match self.claim(app, lanes, tried).await {
            Ok(found) => found,
            Err(stop) => {
                tracing::warn!(%stop, "callbacks could not be claimed; it will be tried again");
                false
            }
        }
    }

    async fn claim(
        &self,
        app: &Arc<App>,
        lanes: &mut DeliverySlots,
        tried: &UnboundedSender<AttemptResult>,
    ) -> Result<bool, UseCaseError> {
        let due = app.callback_due_applications().await?;
        let found = !due.is_empty();
        let mut claims = JoinSet::new();
        for rooms in lanes.rooms(due, BATCH) {
            let (app, lease) = (app.clone(), self.lease);
            claims.spawn(async move { app.callback_claim(rooms, lease).await });
        }
        let mut outcome = Ok(found);
        for claimed in claims.join_all().await {
            match claimed {
                Ok(tries) => {
                    for one in tries {
                        lanes.take(one.application);
                        self.spawn(app, one, tried.clone());
                    }
                }
                // What others have claimed is sent all the same.
                Err(stop) => outcome = Err(stop),
            }
        }
        outcome
    }

    fn spawn(&self, app: &Arc<App>, one: DeliveryAttempt, tried: UnboundedSender<AttemptResult>) {
        let (sender, seconds) = (self.sender.clone(), app.clock().system_now().0 / 1_000_000);
        tokio::spawn(async move {
            // Fails only when the recorder is gone, and then the lease ends.
            let _ = tried.send(sender.send(&one, seconds).await);
        });
    }
}

/// Writes down what came of tries, as many at a time as there are. One job after another: side by side they would clash on
/// PostgreSQL, where each of them writes to the same pages of the indices, and be done again.
async fn record(app: Arc<App>, mut tries: UnboundedReceiver<AttemptResult>, freed: UnboundedSender<Freed>) {
    let mut batch = Vec::with_capacity(BATCH);
    while tries.recv_many(&mut batch, BATCH).await > 0 {
        let tried = Arc::new(std::mem::replace(&mut batch, Vec::with_capacity(BATCH)));
        record_batch(&app, &tried).await;
        for one in tried.iter() {
            let place = Freed { application: one.application(), slow: one.slow };
            // Nobody claims any more when the courier is stopping.
            let _ = freed.send(place);
        }
    }
}

async fn record_batch(app: &App, tried: &Arc<Vec<AttemptResult>>) {
    let given_up = Instant::now() + RECORDING;
    while let Err(stop) = app.callback_record_attempts(tried.clone()).await {
        if Instant::now() > given_up {
            tracing::warn!(%stop, tries = tried.len(), "tries of callbacks could not be recorded; they are made again");
            return;
        }
        sleep(LOOK).await;
    }
}
