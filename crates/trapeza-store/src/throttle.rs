//! What counts against guessing and pestering: failures in a row, and marks in a window of time. What the numbers lead
//! to is decided elsewhere; whose they are cannot be read from a subject.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::authorisation::throttle::FailureCounter;
use trapeza_domain::time::Timestamp;

/// Whose failures: a keyed hash of the customer's name, in one channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaCounterKey {
    pub subject: [u8; 32],
    /// A third party's application, or our own pages.
    pub channel: String,
    /// What was wrong: a code or a password.
    pub kind: &'static str,
}

impl Tx<'_> {
    /// The row of a counter, locked, made if there was none.
    pub fn sca_counter_lock(&mut self, key: &ScaCounterKey) -> Result<FailureCounter, StoreError> {
        let empty = FailureCounter::default();
        self.execute(
            "INSERT INTO sca_counter (subject, channel, kind, count, last_at, blocked_until)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            params![
                &key.subject,
                &key.channel,
                key.kind,
                empty.count,
                empty.last_at.0,
                empty.blocked_until.0
            ],
        )?;
        self.query_one(
            "SELECT count, last_at, blocked_until FROM sca_counter
             WHERE subject = $1 AND channel = $2 AND kind = $3 FOR UPDATE",
            params![&key.subject, &key.channel, key.kind],
            |row| {
                Ok(FailureCounter {
                    count: row.int(0)?,
                    last_at: Timestamp(row.int(1)?),
                    blocked_until: Timestamp(row.int(2)?),
                })
            },
        )
    }

    pub fn sca_counter_update(
        &mut self,
        key: &ScaCounterKey,
        row: &FailureCounter,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE sca_counter SET count = $4, last_at = $5, blocked_until = $6
             WHERE subject = $1 AND channel = $2 AND kind = $3",
            params![&key.subject, &key.channel, key.kind, row.count, row.last_at.0, row.blocked_until.0],
        )?;
        Ok(())
    }

    /// How many marks of a kind a subject has since then, that instant excluded.
    pub fn sca_event_count(
        &mut self,
        subject: &[u8; 32],
        kind: &str,
        since: Timestamp,
    ) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM sca_tally WHERE subject = $1 AND kind = $2 AND at > $3",
            params![subject, kind, since.0],
            |row| row.int(0),
        )
    }

    /// One more mark. Those of this subject that no window reaches any more are forgotten on the way.
    pub fn sca_event_insert(
        &mut self,
        subject: &[u8; 32],
        kind: &str,
        now: Timestamp,
        forget: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM sca_tally WHERE subject = $1 AND kind = $2 AND at < $3",
            params![subject, kind, forget.0],
        )?;
        self.execute(
            "INSERT INTO sca_tally (subject, kind, at) VALUES ($1, $2, $3)",
            params![subject, kind, now.0],
        )?;
        Ok(())
    }
}
