//! The outbox of callbacks to merchants and third parties. Workers claim callbacks per application, so that one application's queue does not
//! delay another's.

mod attempt;

pub use attempt::{ATTEMPTS_RETAINED, AttemptRecord};

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::{Param, RowReader};
use std::collections::HashMap;
use std::sync::LazyLock;
use trapeza_domain::application::MerchantUrls;
use trapeza_domain::callback::{Callback, CallbackState, CallbackStatus, CallbackTopic};
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// How many callbacks one job of the sweep purges.
pub const CALLBACK_SWEEP_ROWS: i64 = 100;

/// How many ids an `IN` list has. Both engines prepare a statement with a fixed number of parameters.
const IN_LIST_SIZE: usize = 100;

/// A callback with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackRecord {
    pub callback: Callback,
    /// The basket, payment or consent that it reports.
    pub object_id: String,
    /// Where a notification of a third party goes.
    pub notification: Option<NotificationAddress>,
    /// The basket's own URL; without it a callback to a merchant goes to that of the application.
    pub address: Option<String>,
    pub body: String,
    /// The token of the last claim, which may have expired.
    pub claim_token: Option<Uuid>,
    /// The trace of the request that caused it.
    pub traceparent: Option<String>,
}

/// The address of a notification, and its number among those of the object: they are sent in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationAddress {
    pub uri: String,
    pub sequence: i64,
}

/// A worker's claim on callbacks, by the system clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallbackClaim {
    pub token: Uuid,
    pub now: Timestamp,
    pub until: Timestamp,
}

/// Where the callbacks of an application are sent, and its encrypted signing secrets, newest first.
#[derive(Clone, Debug, Default)]
pub struct CallbackTarget {
    pub urls: MerchantUrls,
    pub secrets: Vec<Vec<u8>>,
}

/// The columns that [`record`] reads.
macro_rules! columns {
    () => {
        "id, application, kind, status, failed_attempts, next_attempt_at, ended_at, created_at, attempts,
         object_id, address, sequence, body, claim_token, traceparent"
    };
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT ", columns!(), " FROM callback ", $rest)
    };
}

/// In the order of their ids, so that two workers do not deadlock.
static LOCK_MANY: LazyLock<String> =
    LazyLock::new(|| format!(select!("WHERE id IN ({}) ORDER BY id FOR UPDATE"), placeholders()));

static TARGETS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT a.id, a.success_callback_url, a.fail_callback_url, s.ciphertext
         FROM application a LEFT JOIN application_webhook_secret s ON s.application = a.id
         WHERE a.id IN ({}) ORDER BY s.created_at DESC",
        placeholders()
    )
});

fn placeholders() -> String {
    let placeholders: Vec<String> = (1..=IN_LIST_SIZE).map(|number| format!("${number}")).collect();
    placeholders.join(", ")
}

/// The parameters of an `IN` list: the last id is repeated until the list is full.
fn in_list<'a>(ids: impl Iterator<Item = Param<'a>> + Clone) -> Vec<Param<'a>> {
    let Some(last) = ids.clone().last() else { return Vec::new() };
    ids.chain(std::iter::repeat(last)).take(IN_LIST_SIZE).collect()
}

impl Tx<'_> {
    pub fn callback_insert(&mut self, record: &CallbackRecord) -> Result<(), StoreError> {
        let CallbackRecord { callback, object_id, notification, body, traceparent, .. } = record;
        let (uri, sequence) =
            notification.as_ref().map(|address| (address.uri.as_str(), address.sequence)).unzip();
        let address = uri.or(record.address.as_deref());
        let columns = StateColumns::new(callback.state);
        self.execute_deferred(
            "INSERT INTO callback (id, application, kind, status, created_at, attempts, failed_attempts,
                next_attempt_at, ended_at, object_id, address, sequence, body, traceparent)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            params![
                callback.id,
                callback.application,
                callback.topic.name(),
                callback.state.status().name(),
                callback.created_at,
                callback.attempts,
                columns.failed_attempts,
                columns.next_attempt_at,
                columns.ended_at,
                object_id,
                address,
                sequence,
                Param::Json(body),
                traceparent.as_deref()
            ],
        )
    }

    /// The applications with a callback that is due and not claimed. The recursion steps through the index from one
    /// application to the next, however many callbacks each has.
    pub fn callback_due_applications(
        &mut self,
        now: Timestamp,
        system_now: Timestamp,
    ) -> Result<Vec<ApplicationId>, StoreError> {
        self.query(
            "WITH RECURSIVE waiting (application) AS (
                SELECT (SELECT first.application FROM callback first WHERE first.next_attempt_at IS NOT NULL
                        ORDER BY first.application LIMIT 1)
                UNION ALL
                SELECT (SELECT next.application FROM callback next
                        WHERE next.next_attempt_at IS NOT NULL AND next.application > waiting.application
                        ORDER BY next.application LIMIT 1)
                FROM waiting WHERE waiting.application IS NOT NULL
             )
             SELECT waiting.application FROM waiting
             WHERE waiting.application IS NOT NULL AND EXISTS (
                SELECT 1 FROM callback due
                WHERE due.application = waiting.application AND due.next_attempt_at <= $1
                AND (due.claimed_until IS NULL OR due.claimed_until <= $2))",
            params![now, system_now],
            |row| row.read(),
        )
    }

    /// Claims the due callbacks of an application, the one that is due longest first. A notification waits until those of the same
    /// object before it were delivered or given up.
    pub fn callback_claim(
        &mut self,
        application: ApplicationId,
        now: Timestamp,
        claim: &CallbackClaim,
        limit: i64,
    ) -> Result<Vec<CallbackRecord>, StoreError> {
        let mut claimed = self.query(
            concat!(
                "WITH due AS MATERIALIZED (
                    SELECT id AS due_id FROM callback
                    WHERE application = $1 AND next_attempt_at <= $2
                        AND (claimed_until IS NULL OR claimed_until <= $3)
                        AND (sequence IS NULL OR NOT EXISTS (
                            SELECT 1 FROM callback earlier
                            WHERE earlier.object_id = callback.object_id AND earlier.sequence < callback.sequence
                                AND earlier.next_attempt_at IS NOT NULL))
                    ORDER BY next_attempt_at LIMIT $4 FOR UPDATE SKIP LOCKED
                 )
                 UPDATE callback SET claim_token = $5, claimed_until = $6 WHERE id IN (SELECT due_id FROM due)
                 RETURNING ",
                columns!()
            ),
            params![application, now, claim.now, limit, claim.token, claim.until],
            record,
        )?;
        claimed.sort_by_key(|record| {
            (StateColumns::new(record.callback.state).next_attempt_at, record.callback.created_at)
        });
        Ok(claimed)
    }

    /// The current endpoints and signing secrets of applications.
    pub fn callback_targets(
        &mut self,
        applications: &[ApplicationId],
    ) -> Result<HashMap<ApplicationId, CallbackTarget>, StoreError> {
        let mut targets: HashMap<ApplicationId, CallbackTarget> = HashMap::new();
        for chunk in applications.chunks(IN_LIST_SIZE) {
            let ids = in_list(chunk.iter().map(|id| Param::from(*id)));
            self.query_each(TARGETS.as_str(), &ids, |row| {
                let target = targets.entry(row.read()?).or_default();
                target.urls.success_callback = row.read()?;
                target.urls.fail_callback = row.read()?;
                target.secrets.extend(row.read::<Option<Vec<u8>>>()?);
                Ok(())
            })?;
        }
        Ok(targets)
    }

    /// A callback, locked until the transaction ends.
    pub fn callback_lock(
        &mut self,
        application: ApplicationId,
        id: CallbackId,
    ) -> Result<Option<CallbackRecord>, StoreError> {
        self.query_opt(
            select!("WHERE id = $1 AND application = $2 FOR UPDATE"),
            params![id, application],
            record,
        )
    }

    /// Several callbacks, locked until the transaction ends; those of another application than given are left out. One round
    /// trip per callback would be most of a worker's time.
    pub fn callback_lock_many(
        &mut self,
        wanted: &[(ApplicationId, CallbackId)],
    ) -> Result<Vec<CallbackRecord>, StoreError> {
        let mut found = Vec::with_capacity(wanted.len());
        for chunk in wanted.chunks(IN_LIST_SIZE) {
            let ids = in_list(chunk.iter().map(|(_, id)| Param::from(*id)));
            let records = self.query(LOCK_MANY.as_str(), &ids, record)?;
            let wanted =
                |record: &CallbackRecord| chunk.contains(&(record.callback.application, record.callback.id));
            found.extend(records.into_iter().filter(wanted));
        }
        Ok(found)
    }

    /// Updates the state and ends the claim.
    pub fn callback_update(&mut self, callback: &Callback) -> Result<(), StoreError> {
        let columns = StateColumns::new(callback.state);
        self.execute_deferred(
            "UPDATE callback SET status = $3, attempts = $4, failed_attempts = $5, next_attempt_at = $6,
                ended_at = $7, claim_token = NULL, claimed_until = NULL
             WHERE id = $1 AND application = $2",
            params![
                callback.id,
                callback.application,
                callback.state.status().name(),
                callback.attempts,
                columns.failed_attempts,
                columns.next_attempt_at,
                columns.ended_at
            ],
        )
    }

    /// A callback of any application, for the operator.
    pub fn callback_find(&mut self, id: CallbackId) -> Result<Option<CallbackRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id], record)
    }

    /// The newest callbacks with a status, for the operator.
    pub fn callback_list(
        &mut self,
        status: CallbackStatus,
        limit: i64,
    ) -> Result<Vec<CallbackRecord>, StoreError> {
        self.query(
            select!("WHERE status = $1 ORDER BY created_at DESC, id LIMIT $2"),
            params![status.name(), limit],
            record,
        )
    }

    /// The newest callbacks of an application with a status, among the newest of the bank: an index by application would slow every
    /// basket.
    pub fn callback_list_by_application(
        &mut self,
        application: ApplicationId,
        status: CallbackStatus,
        limit: i64,
    ) -> Result<Vec<CallbackRecord>, StoreError> {
        self.query(
            concat!(
                "SELECT ",
                columns!(),
                " FROM (SELECT * FROM callback WHERE status = $1 ORDER BY created_at DESC LIMIT 10000) newest
                 WHERE application = $2 ORDER BY created_at DESC, id LIMIT $3"
            ),
            params![status.name(), application, limit],
            record,
        )
    }

    /// Whether any callback was delivered before a time, so that it can be purged.
    pub fn callback_is_purgeable(&mut self, before: Timestamp) -> Result<bool, StoreError> {
        self.exists(
            "SELECT 1 FROM callback WHERE status = 'delivered' AND created_at < $1 AND ended_at < $1 LIMIT 1",
            params![before],
        )
    }

    /// Deletes callbacks that were delivered before a time, with their attempts, oldest first, and returns their ids.
    pub fn callback_purge(&mut self, before: Timestamp) -> Result<Vec<CallbackId>, StoreError> {
        let ids: Vec<CallbackId> = self.query(
            "SELECT id FROM callback WHERE status = 'delivered' AND created_at < $1 AND ended_at < $1
             ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED",
            params![before, CALLBACK_SWEEP_ROWS],
            |row| row.read(),
        )?;
        for id in &ids {
            self.execute_deferred("DELETE FROM callback_attempt WHERE callback = $1", params![*id])?;
            self.execute_deferred("DELETE FROM callback WHERE id = $1", params![*id])?;
        }
        Ok(ids)
    }

    /// The number of callbacks with each status.
    pub fn callback_count(&mut self) -> Result<Vec<(CallbackStatus, i64)>, StoreError> {
        self.query("SELECT status, COUNT(*) FROM callback GROUP BY status ORDER BY status", &[], |row| {
            Ok((row.parse(CallbackStatus::parse)?, row.read()?))
        })
    }
}

/// The columns that depend on the state.
struct StateColumns {
    failed_attempts: i64,
    next_attempt_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
}

impl StateColumns {
    fn new(state: CallbackState) -> Self {
        match state {
            CallbackState::Waiting { failed, due } => Self {
                failed_attempts: i64::try_from(failed).unwrap_or(i64::MAX),
                next_attempt_at: Some(due),
                ended_at: None,
            },
            CallbackState::Delivered { at } | CallbackState::Dead { at } | CallbackState::Disabled { at } => {
                Self { failed_attempts: 0, next_attempt_at: None, ended_at: Some(at) }
            }
        }
    }
}

fn record(row: &mut RowReader<'_>) -> Result<CallbackRecord, StoreError> {
    let callback = Callback {
        id: row.read()?,
        application: row.read()?,
        topic: row.parse(CallbackTopic::parse)?,
        state: state(row)?,
        created_at: row.read()?,
        attempts: row.read()?,
    };
    let object_id = row.read()?;
    let (address, sequence): (Option<String>, Option<i64>) = (row.read()?, row.read()?);
    let (notification, address) = match (address, sequence) {
        (Some(uri), Some(sequence)) => (Some(NotificationAddress { uri, sequence }), None),
        (address, _) => (None, address),
    };
    Ok(CallbackRecord {
        callback,
        object_id,
        notification,
        address,
        body: row.read()?,
        claim_token: row.read()?,
        traceparent: row.read()?,
    })
}

fn state(row: &mut RowReader<'_>) -> Result<CallbackState, StoreError> {
    let status = row.parse(CallbackStatus::parse)?;
    let failed = row.read()?;
    let (due, ended): (Option<Timestamp>, Option<Timestamp>) = (row.read()?, row.read()?);
    let at = || {
        due.or(ended).ok_or_else(|| StoreError::internal("a callback has neither a next attempt nor an end"))
    };
    Ok(match status {
        CallbackStatus::Waiting => CallbackState::Waiting { failed, due: at()? },
        CallbackStatus::Delivered => CallbackState::Delivered { at: at()? },
        CallbackStatus::Dead => CallbackState::Dead { at: at()? },
        CallbackStatus::Disabled => CallbackState::Disabled { at: at()? },
    })
}
