//! What operators see of callbacks, and the replay of dead ones.

use super::{AttemptRecord, CallbackRecord};
use crate::sweep::sweep_until_done;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::callback::{Callback, CallbackStatus};
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;
use trapeza_store::{StoreError, Tx};

/// How many callbacks one job replays.
pub const REPLAY_BATCH: i64 = 100;

/// A callback with its last attempts, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackDetail {
    pub record: CallbackRecord,
    pub attempts: Vec<AttemptRecord>,
}

impl App {
    /// The newest callbacks with a status.
    pub async fn callback_list(
        &self,
        status: CallbackStatus,
        limit: i64,
    ) -> Result<Vec<CallbackRecord>, UseCaseError> {
        self.store.read(move |tx| Ok(tx.callback_list(status, limit)?)).await
    }

    /// The number of callbacks by status.
    pub async fn callback_count(&self) -> Result<Vec<(CallbackStatus, i64)>, UseCaseError> {
        self.store.read(|tx| Ok(tx.callback_count()?)).await
    }

    pub async fn callback_detail(&self, id: CallbackId) -> Result<CallbackDetail, UseCaseError> {
        self.store
            .read(move |tx| {
                let record = tx.callback_find(id)?.ok_or_else(not_found)?;
                Ok(CallbackDetail { record, attempts: tx.callback_attempt_list(id)? })
            })
            .await
    }

    /// Replays one callback, starting from its first attempt.
    pub async fn callback_replay(&self, id: CallbackId) -> Result<Callback, UseCaseError> {
        let by = (audit::current_actor(), self.now());
        self.store.write(move |tx| replay_one(tx, id, by)).await
    }

    /// Replays every dead callback. Returns how many there were.
    pub async fn callback_replay_dead(&self) -> Result<usize, UseCaseError> {
        let (now, actor) = (self.now(), audit::current_actor());
        sweep_until_done(REPLAY_BATCH, async || {
            let job = self.store.write_background(move |tx| {
                let dead = tx.callback_list(CallbackStatus::Dead, REPLAY_BATCH)?;
                for record in &dead {
                    replay(tx, record.callback.application, record.callback.id, (actor, now))?;
                }
                Ok(dead.len())
            });
            job.await
        })
        .await
    }
}

/// Replays one callback, for this actor.
pub(crate) fn replay_one(
    tx: &mut Tx<'_>,
    id: CallbackId,
    by: (Actor, Timestamp),
) -> Result<Callback, UseCaseError> {
    let application = tx.callback_find(id)?.ok_or_else(not_found)?.callback.application;
    replay(tx, application, id, by)?.ok_or_else(|| not_found().into())
}

fn replay(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    id: CallbackId,
    (actor, now): (Actor, Timestamp),
) -> Result<Option<Callback>, UseCaseError> {
    let Some(record) = tx.callback_lock(application, id)? else { return Ok(None) };
    let (callback, event) = record.callback.replay(now)?;
    tx.callback_update(&callback)?;
    let event = event.ok_or_else(|| StoreError::internal("a replay is always written down"))?;
    audit::record(tx, now, actor, &event)?;
    Ok(Some(callback))
}

fn not_found() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "unknown callback")
}
