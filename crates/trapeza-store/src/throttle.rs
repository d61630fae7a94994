//! Counters against guessing credentials and against unwanted messages: consecutive failures, and events in a time window.
//! The subject is a keyed hash, so the rows do not name the customer.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::authorisation::throttle::FailureCounter;
use trapeza_domain::time::Timestamp;

/// Identifies a counter of consecutive failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaCounterKey {
    /// Keyed hash of the login.
    pub subject: [u8; 32],
    /// Where the credential is entered.
    pub channel: String,
    /// The kind of credential: an OTP or a password.
    pub kind: &'static str,
}

/// Events of one kind and subject in a time window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaEventCount {
    pub from_all: i64,
    pub from_channel: i64,
}

/// A counter that blocks a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaBlock {
    pub channel: String,
    pub kind: String,
    pub failures: i64,
    pub blocked_until: Timestamp,
}

impl Tx<'_> {
    /// The counters of a subject that block a channel at `now`.
    pub fn sca_block_list(
        &mut self,
        subject: &[u8; 32],
        now: Timestamp,
    ) -> Result<Vec<ScaBlock>, StoreError> {
        self.query(
            "SELECT channel, kind, failures, blocked_until FROM sca_counter
             WHERE subject = $1 AND blocked_until > $2 ORDER BY channel, kind",
            params![subject, now],
            |row| {
                Ok(ScaBlock {
                    channel: row.read()?,
                    kind: row.read()?,
                    failures: row.read()?,
                    blocked_until: row.read()?,
                })
            },
        )
    }

    /// A counter, locked until the transaction ends; inserted when it does not exist.
    pub fn sca_counter_lock(&mut self, key: &ScaCounterKey) -> Result<FailureCounter, StoreError> {
        let empty = FailureCounter::default();
        self.execute(
            "INSERT INTO sca_counter (subject, channel, kind, failures, last_failure_at, blocked_until)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            params![&key.subject, &key.channel, key.kind, empty.count, empty.last_at, empty.blocked_until],
        )?;
        self.query_one(
            "SELECT failures, last_failure_at, blocked_until FROM sca_counter
             WHERE subject = $1 AND channel = $2 AND kind = $3 FOR UPDATE",
            params![&key.subject, &key.channel, key.kind],
            |row| Ok(FailureCounter { count: row.read()?, last_at: row.read()?, blocked_until: row.read()? }),
        )
    }

    pub fn sca_counter_update(
        &mut self,
        key: &ScaCounterKey,
        row: &FailureCounter,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE sca_counter SET failures = $4, last_failure_at = $5, blocked_until = $6
             WHERE subject = $1 AND channel = $2 AND kind = $3",
            params![&key.subject, &key.channel, key.kind, row.count, row.last_at, row.blocked_until],
        )?;
        Ok(())
    }

    /// The request whose attempt was counted last and has no stored outcome.
    pub fn sca_counter_request(&mut self, key: &ScaCounterKey) -> Result<Option<Vec<u8>>, StoreError> {
        self.query_one(
            "SELECT counted_request FROM sca_counter WHERE subject = $1 AND channel = $2 AND kind = $3",
            params![&key.subject, &key.channel, key.kind],
            |row| row.read(),
        )
    }

    pub fn sca_counter_request_set(
        &mut self,
        key: &ScaCounterKey,
        request: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE sca_counter SET counted_request = $4 WHERE subject = $1 AND channel = $2 AND kind = $3",
            params![&key.subject, &key.channel, key.kind, request],
        )?;
        Ok(())
    }

    pub fn sca_counter_delete(&mut self, key: &ScaCounterKey) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM sca_counter WHERE subject = $1 AND channel = $2 AND kind = $3",
            params![&key.subject, &key.channel, key.kind],
        )?;
        Ok(())
    }

    /// The number of events of a kind after `since`: from one channel, and from all.
    pub fn sca_event_count(
        &mut self,
        subject: &[u8; 32],
        kind: &str,
        channel: &str,
        since: Timestamp,
    ) -> Result<ScaEventCount, StoreError> {
        self.query_one(
            "SELECT COUNT(*), COUNT(CASE WHEN channel = $3 THEN 1 END) FROM sca_event
             WHERE subject = $1 AND kind = $2 AND occurred_at > $4",
            params![subject, kind, channel, since],
            |row| Ok(ScaEventCount { from_all: row.read()?, from_channel: row.read()? }),
        )
    }

    /// Inserts an event, and deletes those of the subject and kind before `purge_before`.
    pub fn sca_event_insert(
        &mut self,
        subject: &[u8; 32],
        kind: &str,
        channel: &str,
        now: Timestamp,
        purge_before: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM sca_event WHERE subject = $1 AND kind = $2 AND occurred_at < $3",
            params![subject, kind, purge_before],
        )?;
        self.execute(
            "INSERT INTO sca_event (subject, kind, channel, occurred_at) VALUES ($1, $2, $3, $4)",
            params![subject, kind, channel, now],
        )?;
        Ok(())
    }

    /// Deletes all counters and events of a subject. Returns the number of counters that blocked a channel at `now`.
    pub fn sca_throttle_delete(&mut self, subject: &[u8; 32], now: Timestamp) -> Result<i64, StoreError> {
        let blocked = self.query_one(
            "SELECT COUNT(*) FROM sca_counter WHERE subject = $1 AND blocked_until > $2",
            params![subject, now],
            |row| row.read(),
        )?;
        self.execute("DELETE FROM sca_counter WHERE subject = $1", params![subject])?;
        self.execute("DELETE FROM sca_event WHERE subject = $1", params![subject])?;
        Ok(blocked)
    }
}
