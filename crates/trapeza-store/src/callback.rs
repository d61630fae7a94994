//! The outbox of callbacks to merchants. A courier asks lane by lane, an application each, so that nobody waits behind
//! another's; it and the operator are the only ones who look across all of them. What a try means is decided elsewhere.

use crate::application::MerchantUrls;
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::{Param, Row};
use std::collections::HashMap;
use std::sync::LazyLock;
use trapeza_domain::callback::{Callback, CallbackKind, CallbackState, CallbackStatus};
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::time::Timestamp;

/// The tries of a callback that are remembered.
pub const ATTEMPTS_RETAINED: i64 = 20;

/// The most things that one statement names, and callbacks that one job of the sweep forgets.
const NAMED_AT_ONCE: usize = 100;
pub const CALLBACK_SWEEP_ROWS: i64 = 100;

/// A callback with what is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackRecord {
    pub callback: Callback,
    pub public_basket: String,
    pub body: String,
    /// The mark of whoever has claimed it; the claim may be over.
    pub claim: Option<[u8; 16]>,
}

/// One courier's word that it is trying some callbacks now, in the machine's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallbackClaim {
    pub mark: [u8; 16],
    pub now: Timestamp,
    pub until: Timestamp,
}

/// One try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptRecord {
    /// The first is 1.
    pub number: i64,
    pub tried_at: Timestamp,
    pub duration_ms: i64,
    /// What the receiver answered, if it did.
    pub status: Option<i64>,
    pub error: Option<String>,
}

/// The columns of a callback, in the order that `record` reads them.
macro_rules! columns {
    () => {
        "id, application, kind, state, created_at, tries, failed, due_at, settled_at, public_basket, body, claim"
    };
}

/// Where an application is called, and what is signed with: the newest secret first, each sealed.
#[derive(Clone, Debug, Default)]
pub struct CallbackTarget {
    pub urls: MerchantUrls,
    pub sealed: Vec<Vec<u8>>,
}

/// By id, so that two couriers never wait for each other in a circle.
static LOCK_SEVERAL: LazyLock<String> = LazyLock::new(|| {
    format!(
        concat!("SELECT ", columns!(), " FROM callback WHERE id IN ({}) ORDER BY id FOR UPDATE"),
        places()
    )
});

static WAYS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT a.id, a.success_callback_url, a.fail_callback_url, s.sealed
         FROM application a LEFT JOIN application_webhook_secret s ON s.application = a.id
         WHERE a.id IN ({}) ORDER BY s.created_at DESC",
        places()
    )
});

/// A statement has a fixed number of places on both engines; those left over name the last thing again.
fn places() -> String {
    let places: Vec<String> = (1..=NAMED_AT_ONCE).map(|place| format!("${place}")).collect();
    places.join(", ")
}

fn filled<'a>(ids: impl Iterator<Item = &'a [u8; 16]> + Clone) -> Vec<Param<'a>> {
    let Some(last) = ids.clone().last() else { return Vec::new() };
    ids.chain(std::iter::repeat(last)).take(NAMED_AT_ONCE).map(Param::from).collect()
}

impl Tx<'_> {
    pub fn callback_insert(&mut self, record: &CallbackRecord) -> Result<(), StoreError> {
        let CallbackRecord { callback, public_basket, body, .. } = record;
        let (failed, due, settled) = times(callback.state);
        self.execute_later(
            "INSERT INTO callback (id, application, kind, state, created_at, tries, failed, due_at, settled_at,
                public_basket, body)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            params![
                callback.id.as_bytes(),
                callback.application.as_bytes(),
                callback.kind.name(),
                callback.state.status().name(),
                callback.created_at.0,
                callback.attempts,
                failed,
                due,
                settled,
                public_basket,
                body
            ],
        )
    }

    /// The applications for which something is due that nobody tries now. It steps from one application to the next
    /// along the index, however many callbacks each has.
    pub fn callback_due_applications(
        &mut self,
        now: Timestamp,
        machine: Timestamp,
    ) -> Result<Vec<ApplicationId>, StoreError> {
        self.query(
            "WITH RECURSIVE lane (application) AS (
                SELECT (SELECT first.application FROM callback first WHERE first.due_at IS NOT NULL
                        ORDER BY first.application LIMIT 1)
                UNION ALL
                SELECT (SELECT next.application FROM callback next
                        WHERE next.due_at IS NOT NULL AND next.application > lane.application
                        ORDER BY next.application LIMIT 1)
                FROM lane WHERE lane.application IS NOT NULL
             )
             SELECT lane.application FROM lane
             WHERE lane.application IS NOT NULL AND EXISTS (
                SELECT 1 FROM callback due WHERE due.application = lane.application AND due.due_at <= $1
                AND (due.claimed_until IS NULL OR due.claimed_until <= $2))",
            params![now.0, machine.0],
            |row| row.id(0, ApplicationId::new),
        )
    }

    /// Takes what is due of one application for oneself, what waits longest first.
    pub fn callback_claim(
        &mut self,
        application: ApplicationId,
        now: Timestamp,
        claim: &CallbackClaim,
        limit: i64,
    ) -> Result<Vec<CallbackRecord>, StoreError> {
        let mut claimed = self.query(
            concat!(
                "WITH taken AS MATERIALIZED (
                    SELECT id AS taken_id FROM callback
                    WHERE application = $1 AND due_at <= $2 AND (claimed_until IS NULL OR claimed_until <= $3)
                    ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED
                 )
                 UPDATE callback SET claim = $5, claimed_until = $6 WHERE id IN (SELECT taken_id FROM taken)
                 RETURNING ",
                columns!()
            ),
            params![application.as_bytes(), now.0, claim.now.0, limit, &claim.mark, claim.until.0],
            record,
        )?;
        claimed.sort_by_key(|record| (times(record.callback.state).1, record.callback.created_at));
        Ok(claimed)
    }

    /// How each of some applications is called, as it is now.
    pub fn callback_targets(
        &mut self,
        applications: &[ApplicationId],
    ) -> Result<HashMap<ApplicationId, CallbackTarget>, StoreError> {
        let mut ways: HashMap<ApplicationId, CallbackTarget> = HashMap::new();
        for part in applications.chunks(NAMED_AT_ONCE) {
            let ids = filled(part.iter().map(ApplicationId::as_bytes));
            self.query_each(WAYS.as_str(), &ids, |row| {
                let way = ways.entry(row.id(0, ApplicationId::new)?).or_default();
                way.urls.success_callback = row.opt_text(1)?;
                way.urls.fail_callback = row.opt_text(2)?;
                way.sealed.extend(row.opt_bytes(3)?);
                Ok(())
            })?;
        }
        Ok(ways)
    }

    /// A callback, and nobody else changes it before this transaction ends.
    pub fn callback_lock(
        &mut self,
        application: ApplicationId,
        id: CallbackId,
    ) -> Result<Option<CallbackRecord>, StoreError> {
        self.query_opt(
            concat!("SELECT ", columns!(), " FROM callback WHERE id = $1 AND application = $2 FOR UPDATE"),
            params![id.as_bytes(), application.as_bytes()],
            record,
        )
    }

    /// Several callbacks, each with the application it has to be of, and nobody else changes them before this
    /// transaction ends. For the courier, to whom a round trip for each would be most of the work.
    pub fn callback_lock_many(
        &mut self,
        wanted: &[(ApplicationId, CallbackId)],
    ) -> Result<Vec<CallbackRecord>, StoreError> {
        let mut found = Vec::with_capacity(wanted.len());
        for part in wanted.chunks(NAMED_AT_ONCE) {
            let ids = filled(part.iter().map(|(_, id)| id.as_bytes()));
            let records = self.query(LOCK_SEVERAL.as_str(), &ids, record)?;
            found.extend(
                records
                    .into_iter()
                    .filter(|record| part.contains(&(record.callback.application, record.callback.id))),
            );
        }
        Ok(found)
    }

    /// Writes the state; whoever had claimed it is done with it.
    pub fn callback_update(&mut self, callback: &Callback) -> Result<(), StoreError> {
        let (failed, due, settled) = times(callback.state);
        self.execute_later(
            "UPDATE callback SET state = $3, tries = $4, failed = $5, due_at = $6, settled_at = $7, claim = NULL,
                claimed_until = NULL
             WHERE id = $1 AND application = $2",
            params![
                callback.id.as_bytes(),
                callback.application.as_bytes(),
                callback.state.status().name(),
                callback.attempts,
                failed,
                due,
                settled
            ],
        )
    }

    /// Remembers a try, and forgets the oldest where there are many.
    pub fn callback_attempt_insert(
        &mut self,
        id: CallbackId,
        attempt: &AttemptRecord,
    ) -> Result<(), StoreError> {
        self.execute_later(
            "INSERT INTO callback_attempt (callback, number, tried_at, duration_ms, status, error)
             VALUES ($1, $2, $3, $4, $5, $6)",
            params![
                id.as_bytes(),
                attempt.number,
                attempt.tried_at.0,
                attempt.duration_ms,
                attempt.status,
                attempt.error.as_deref()
            ],
        )?;
        if attempt.number > ATTEMPTS_RETAINED {
            self.execute_later(
                "DELETE FROM callback_attempt WHERE callback = $1 AND number <= $2",
                params![id.as_bytes(), attempt.number - ATTEMPTS_RETAINED],
            )?;
        }
        Ok(())
    }

    /// The remembered tries, oldest first.
    pub fn callback_attempt_list(&mut self, id: CallbackId) -> Result<Vec<AttemptRecord>, StoreError> {
        self.query(
            "SELECT number, tried_at, duration_ms, status, error FROM callback_attempt
             WHERE callback = $1 ORDER BY number",
            params![id.as_bytes()],
            |row| {
                Ok(AttemptRecord {
                    number: row.int(0)?,
                    tried_at: Timestamp(row.int(1)?),
                    duration_ms: row.int(2)?,
                    status: row.opt_int(3)?,
                    error: row.opt_text(4)?,
                })
            },
        )
    }

    /// For the operator, who sees everybody's.
    pub fn callback_find(&mut self, id: CallbackId) -> Result<Option<CallbackRecord>, StoreError> {
        self.query_opt(
            concat!("SELECT ", columns!(), " FROM callback WHERE id = $1"),
            params![id.as_bytes()],
            record,
        )
    }

    /// The newest callbacks in a state, for the operator.
    pub fn callback_list(
        &mut self,
        owed: CallbackStatus,
        limit: i64,
    ) -> Result<Vec<CallbackRecord>, StoreError> {
        self.query(
            concat!(
                "SELECT ",
                columns!(),
                " FROM callback WHERE state = $1 ORDER BY created_at DESC, id LIMIT $2"
            ),
            params![owed.name(), limit],
            record,
        )
    }

    /// Whether there is one that was delivered before that time, and so need not be kept.
    pub fn callback_is_purgeable(&mut self, before: Timestamp) -> Result<bool, StoreError> {
        let found = self.query_opt(
            "SELECT 1 FROM callback WHERE state = 'delivered' AND created_at < $1 AND settled_at < $1 LIMIT 1",
            params![before.0],
            |_| Ok(()),
        )?;
        Ok(found.is_some())
    }

    /// Forgets some that were delivered before that time, with their tries, oldest first. Answers which.
    pub fn callback_purge(&mut self, before: Timestamp) -> Result<Vec<CallbackId>, StoreError> {
        let stale = self.query(
            "SELECT id FROM callback WHERE state = 'delivered' AND created_at < $1 AND settled_at < $1
             ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED",
            params![before.0, CALLBACK_SWEEP_ROWS],
            |row| row.id(0, CallbackId::new),
        )?;
        for id in &stale {
            self.execute_later("DELETE FROM callback_attempt WHERE callback = $1", params![id.as_bytes()])?;
            self.execute_later("DELETE FROM callback WHERE id = $1", params![id.as_bytes()])?;
        }
        Ok(stale)
    }

    /// How many callbacks are in each state.
    pub fn callback_count(&mut self) -> Result<Vec<(CallbackStatus, i64)>, StoreError> {
        self.query("SELECT state, COUNT(*) FROM callback GROUP BY state ORDER BY state", params![], |row| {
            Ok((row.named(0, CallbackStatus::parse)?, row.int(1)?))
        })
    }
}

/// Failed tries of this round, when it is due, when it ended.
fn times(state: CallbackState) -> (i64, Option<i64>, Option<i64>) {
    match state {
        CallbackState::Waiting { failed, due } => {
            (i64::try_from(failed).unwrap_or(i64::MAX), Some(due.0), None)
        }
        CallbackState::Delivered { at } | CallbackState::Dead { at } | CallbackState::Disabled { at } => {
            (0, None, Some(at.0))
        }
    }
}

fn record(row: &Row<'_>) -> Result<CallbackRecord, StoreError> {
    let ended = || row.int(8).map(Timestamp);
    let state = match row.named(3, CallbackStatus::parse)? {
        CallbackStatus::Waiting => CallbackState::Waiting {
            failed: usize::try_from(row.int(6)?).map_err(StoreError::internal)?,
            due: Timestamp(row.int(7)?),
        },
        CallbackStatus::Delivered => CallbackState::Delivered { at: ended()? },
        CallbackStatus::Dead => CallbackState::Dead { at: ended()? },
        CallbackStatus::Disabled => CallbackState::Disabled { at: ended()? },
    };
    Ok(CallbackRecord {
        callback: Callback {
            id: row.id(0, CallbackId::new)?,
            application: row.id(1, ApplicationId::new)?,
            kind: row.named(2, CallbackKind::parse)?,
            state,
            created_at: Timestamp(row.int(4)?),
            attempts: row.int(5)?,
        },
        public_basket: row.text(9)?,
        body: row.text(10)?,
        claim: match row.opt_bytes(11)? {
            Some(_) => Some(row.array(11)?),
            None => None,
        },
    })
}
