//! The delivery attempts of a callback.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::CallbackId;
use trapeza_domain::time::Timestamp;

/// How many attempts of a callback are retained.
pub const ATTEMPTS_RETAINED: i64 = 20;

/// One delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptRecord {
    /// Counted from 1.
    pub number: i64,
    pub attempted_at: Timestamp,
    pub duration_ms: i64,
    /// The receiver's HTTP status, if it answered.
    pub http_status: Option<i64>,
    pub error: Option<String>,
    /// What was sent as `webhook-timestamp` and `webhook-signature`, if a request was sent.
    pub signed: Option<(i64, String)>,
}

impl Tx<'_> {
    /// Inserts an attempt, and deletes the oldest when there are more than are retained.
    pub fn callback_attempt_insert(
        &mut self,
        id: CallbackId,
        attempt: &AttemptRecord,
    ) -> Result<(), StoreError> {
        self.execute_deferred(
            "INSERT INTO callback_attempt (callback, number, attempted_at, duration_ms, http_status, error,
                sent_timestamp, sent_signature)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                id,
                attempt.number,
                attempt.attempted_at,
                attempt.duration_ms,
                attempt.http_status,
                attempt.error.as_deref(),
                attempt.signed.as_ref().map(|(seconds, _)| *seconds),
                attempt.signed.as_ref().map(|(_, signature)| signature.as_str())
            ],
        )?;
        if attempt.number > ATTEMPTS_RETAINED {
            self.execute_deferred(
                "DELETE FROM callback_attempt WHERE callback = $1 AND number <= $2",
                params![id, attempt.number - ATTEMPTS_RETAINED],
            )?;
        }
        Ok(())
    }

    /// The retained attempts, oldest first.
    pub fn callback_attempt_list(&mut self, id: CallbackId) -> Result<Vec<AttemptRecord>, StoreError> {
        self.query(
            "SELECT number, attempted_at, duration_ms, http_status, error, sent_timestamp, sent_signature
             FROM callback_attempt WHERE callback = $1 ORDER BY number",
            params![id],
            |row| {
                Ok(AttemptRecord {
                    number: row.read()?,
                    attempted_at: row.read()?,
                    duration_ms: row.read()?,
                    http_status: row.read()?,
                    error: row.read()?,
                    signed: Option::zip(row.read()?, row.read()?),
                })
            },
        )
    }
}
