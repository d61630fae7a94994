//! Calls that were made before. The record of a call is written in the transaction of its effect and kept for ever, so
//! that a call made twice has one effect, whenever the second comes.

use crate::error::StoreError;
use crate::idempotency_key::IdempotencyKey;
use crate::params;
use crate::tx::{Later, Tx};
use trapeza_domain::time::Timestamp;

/// What is known of a call that had an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// Keyed hash of everything that makes the call what it is.
    pub fingerprint: [u8; 32],
    /// How it ended, in the words of the use case.
    pub outcome: String,
    /// What it made or changed.
    pub object: Vec<u8>,
}

macro_rules! insert {
    () => {
        "INSERT INTO replay (application, operation, request, fingerprint, outcome, object, at, call)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
    };
}

impl Tx<'_> {
    pub fn idempotency_find(
        &mut self,
        key: &IdempotencyKey,
    ) -> Result<Option<IdempotencyRecord>, StoreError> {
        self.query_opt(
            "SELECT fingerprint, outcome, object FROM replay
             WHERE call = $1 AND application = $2 AND operation = $3 AND request = $4",
            params![&key.call, key.application.as_bytes(), key.operation, &key.request],
            |row| {
                Ok(IdempotencyRecord {
                    fingerprint: row.array(0)?,
                    outcome: row.text(1)?,
                    object: row.bytes(2)?,
                })
            },
        )
    }

    /// Writes a call down unless it is there already. Whether it was written is told by [`Tx::changed`], so that the
    /// next statement can travel with it.
    pub fn idempotency_reserve(
        &mut self,
        key: &IdempotencyKey,
        fingerprint: &[u8; 32],
        effect: (&str, &[u8]),
        now: Timestamp,
    ) -> Result<Later, StoreError> {
        let sql = concat!(insert!(), " ON CONFLICT (call) DO NOTHING");
        self.idempotency_write(sql, key, fingerprint, effect, now)
    }

    /// The same for a call that was found to be new: the unique index is the last to know.
    pub fn idempotency_insert(
        &mut self,
        key: &IdempotencyKey,
        fingerprint: &[u8; 32],
        effect: (&str, &[u8]),
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.idempotency_write(insert!(), key, fingerprint, effect, now).map(|_| ())
    }

    fn idempotency_write(
        &mut self,
        sql: &'static str,
        key: &IdempotencyKey,
        fingerprint: &[u8; 32],
        (outcome, object): (&str, &[u8]),
        now: Timestamp,
    ) -> Result<Later, StoreError> {
        self.execute_ahead(
            sql,
            params![
                key.application.as_bytes(),
                key.operation,
                &key.request,
                fingerprint,
                outcome,
                object,
                now.0,
                &key.call
            ],
        )
    }
}
