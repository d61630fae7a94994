//! Idempotency of writes. The first statement of every write looks up the idempotency record of its request, and the
//! last one stores it. Both are in the transaction of the effect, so the effect happens at most once.

use crate::App;
use crate::keyring::KeyPurpose;
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;
use trapeza_store::{
    IdempotencyKey, IdempotencyRecord, IdempotencyReservation, StoreError, Tx, UseCaseError,
};

/// A write as its caller sent it: the idempotency key and a keyed hash of the whole request.
#[derive(Clone)]
pub struct IdempotentRequest {
    key: IdempotencyKey,
    fingerprint: [u8; 32],
    /// The field of the idempotency key, for the refusal of a different request under the same key.
    field: Field,
}

/// What identifies a request.
pub struct RequestIdentity<'a> {
    pub application: ApplicationId,
    /// Method and route template.
    pub operation: &'static str,
    /// As the caller has sent it.
    pub idempotency_key: uuid::Uuid,
    /// The field that the key was sent in.
    pub field: Field,
    /// The path as sent, because it contains ids.
    pub path: &'a str,
    pub psu: &'a str,
    pub consent: &'a str,
    pub body: &'a [u8],
}

/// The outcome of a write, and whether it is replayed from an idempotency record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotentOutcome<T> {
    pub value: T,
    pub replayed: bool,
}

impl<T> IdempotentOutcome<T> {
    pub fn fresh(value: T) -> Self {
        Self { value, replayed: false }
    }

    pub fn replayed(value: T) -> Self {
        Self { value, replayed: true }
    }

    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> IdempotentOutcome<U> {
        IdempotentOutcome { value: map(self.value), replayed: self.replayed }
    }
}

impl App {
    /// Identifies a request. The hash is keyed, because a body may contain an OTP.
    pub fn idempotent_request(&self, parts: &RequestIdentity<'_>) -> IdempotentRequest {
        let content = [
            parts.operation.as_bytes(),
            parts.path.as_bytes(),
            parts.psu.as_bytes(),
            parts.consent.as_bytes(),
            parts.body,
        ];
        IdempotentRequest {
            key: IdempotencyKey::new(parts.application, parts.operation, parts.idempotency_key),
            fingerprint: self.keyring.hash(KeyPurpose::Fingerprint, &content),
            field: parts.field,
        }
    }

    /// Identifies a request by its key together with its content: the same key with other content is a new request and no
    /// mistake of the caller.
    pub fn idempotent_request_by_content(&self, parts: &RequestIdentity<'_>) -> IdempotentRequest {
        let mut request = self.idempotent_request(parts);
        let both = [parts.idempotency_key.as_bytes().as_slice(), &request.fingerprint];
        let hash = self.keyring.hash(KeyPurpose::Fingerprint, &both);
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        let id = uuid::Uuid::from_bytes(id);
        request.key = IdempotencyKey::new(parts.application, parts.operation, id);
        request
    }
}

impl IdempotentRequest {
    pub fn application(&self) -> ApplicationId {
        self.key.application()
    }

    /// Identifies the request with its whole content.
    pub(crate) fn digest(&self) -> Vec<u8> {
        [self.key.hash(), &self.fingerprint].concat()
    }

    /// The record of the same request, if there is one. A different request under the same key is refused.
    pub(crate) fn find(&self, tx: &mut Tx<'_>) -> Result<Option<IdempotencyRecord>, UseCaseError> {
        let Some(record) = tx.idempotency_find(&self.key)? else { return Ok(None) };
        if record.fingerprint != self.fingerprint {
            let text = "this id was used for a different request; send a new one";
            return Err(Refusal::at(RefusalReason::Inconsistent, self.field, text).into());
        }
        Ok(Some(record))
    }

    /// Stores the outcome of the request.
    pub(crate) fn record(
        &self,
        tx: &mut Tx<'_>,
        outcome: &str,
        result: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        tx.idempotency_insert(&self.key, &self.fingerprint, (outcome, result), now)
    }

    /// Stores the outcome before the effect, unless there is a record already; [`IdempotencyReservation::is_new`] says which.
    /// For use cases that cannot refuse any more: it saves the lookup, and on PostgreSQL two lookups on the same
    /// index page would conflict under SERIALIZABLE.
    pub(crate) fn reserve(
        &self,
        tx: &mut Tx<'_>,
        outcome: &str,
        result: &[u8],
        now: Timestamp,
    ) -> Result<IdempotencyReservation, StoreError> {
        tx.idempotency_reserve(&self.key, &self.fingerprint, (outcome, result), now)
    }
}

/// The length of the id with which the recorded result of a creation begins.
const ID_LENGTH: usize = 16;

/// The bytes of the id of the object whose creation is recorded.
pub(crate) fn recorded_object_id(record: &IdempotencyRecord) -> &[u8] {
    record.result.get(..ID_LENGTH).unwrap_or_default()
}

/// The start of an authorisation that is recorded after the id of the object; empty without one.
pub(crate) fn recorded_authorisation_start(record: &IdempotencyRecord) -> &[u8] {
    record.result.get(ID_LENGTH..).unwrap_or_default()
}
