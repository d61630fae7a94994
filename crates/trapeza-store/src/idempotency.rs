//! Idempotency records. The record of a write is inserted in the transaction of its effect and stored for ever, so a
//! repeated request has one effect, whenever it is repeated.

use crate::error::StoreError;
use crate::params;
use crate::tx::{DeferredCount, Tx};
use ring::digest::{self, SHA256};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// Identifies a write: the application, the operation and the caller's request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    application: ApplicationId,
    operation: &'static str,
    request_id: Uuid,
    hash: KeyHash,
}

/// Long enough that two keys do not collide by chance, and that a caller cannot construct a collision with another
/// caller's key. Colliding keys of one caller give an error for the second request.
type KeyHash = [u8; 12];

impl IdempotencyKey {
    /// `operation` is the method and the route template.
    pub fn new(application: ApplicationId, operation: &'static str, request_id: Uuid) -> Self {
        // Application and request id have a fixed length, so that different keys are different bytes.
        let mut digest = digest::Context::new(&SHA256);
        for part in [application.as_bytes().as_slice(), request_id.as_bytes(), operation.as_bytes()] {
            digest.update(part);
        }
        let mut hash = KeyHash::default();
        hash.copy_from_slice(&digest.finish().as_ref()[..12]);
        Self { application, operation, request_id, hash }
    }

    pub fn application(&self) -> ApplicationId {
        self.application
    }

    pub fn hash(&self) -> &[u8] {
        &self.hash
    }
}

/// The stored outcome of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// Keyed hash of the whole request.
    pub fingerprint: [u8; 32],
    /// The outcome, named by the use case.
    pub outcome: String,
    /// What the write created or changed, encoded by the use case.
    pub result: Vec<u8>,
}

/// An idempotency record that is being inserted unless the key exists.
#[must_use]
pub struct IdempotencyReservation(DeferredCount);

impl IdempotencyReservation {
    /// Whether the record was inserted: false when the key existed. Asked after the first statements of the effect, so that
    /// PostgreSQL gets them in one round trip; when it is false the caller must return without committing.
    pub fn is_new(self, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
        Ok(tx.rows_affected(self.0)? == 1)
    }
}

macro_rules! insert {
    () => {
        "INSERT INTO idempotency_record (key_hash, application, operation, request_id, fingerprint, outcome, result,
            created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
    };
}

impl Tx<'_> {
    pub fn idempotency_find(
        &mut self,
        key: &IdempotencyKey,
    ) -> Result<Option<IdempotencyRecord>, StoreError> {
        self.query_opt(
            "SELECT fingerprint, outcome, result FROM idempotency_record
             WHERE key_hash = $1 AND application = $2 AND operation = $3 AND request_id = $4",
            params![&key.hash, key.application, key.operation, key.request_id],
            |row| {
                Ok(IdempotencyRecord { fingerprint: row.read()?, outcome: row.read()?, result: row.read()? })
            },
        )
    }

    /// Inserts a record with this outcome and result unless its key exists.
    pub fn idempotency_reserve(
        &mut self,
        key: &IdempotencyKey,
        fingerprint: &[u8; 32],
        outcome: (&str, &[u8]),
        now: Timestamp,
    ) -> Result<IdempotencyReservation, StoreError> {
        let sql = concat!(insert!(), " ON CONFLICT (key_hash) DO NOTHING");
        self.idempotency_write(sql, key, fingerprint, outcome, now).map(IdempotencyReservation)
    }

    /// Inserts the record of a key that was not found before. A concurrent insert of the same key fails at the unique
    /// index.
    pub fn idempotency_insert(
        &mut self,
        key: &IdempotencyKey,
        fingerprint: &[u8; 32],
        outcome: (&str, &[u8]),
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.idempotency_write(insert!(), key, fingerprint, outcome, now).map(|_| ())
    }

    fn idempotency_write(
        &mut self,
        sql: &'static str,
        key: &IdempotencyKey,
        fingerprint: &[u8; 32],
        (outcome, result): (&str, &[u8]),
        now: Timestamp,
    ) -> Result<DeferredCount, StoreError> {
        self.execute_deferred_counted(
            sql,
            params![
                &key.hash,
                key.application,
                key.operation,
                key.request_id,
                fingerprint,
                outcome,
                result,
                now
            ],
        )
    }
}
