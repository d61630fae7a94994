//! Calls made twice. The first use case step of every write asks here whether its call was made before; the last one
//! writes down that it was. Both stand in the transaction of the effect, so that there is at most one, for ever.

use crate::App;
use crate::keyring::KeyPurpose;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;
use trapeza_store::{IdempotencyKey, IdempotencyRecord, Reservation, StoreError, Tx, UseCaseError};

/// A write as its caller sent it: which one, and a keyed hash of everything it says.
#[derive(Clone)]
pub struct IdempotentRequest {
    key: IdempotencyKey,
    fingerprint: [u8; 32],
    /// The name of the idempotency key, for the refusal of a call that is not the same.
    field: &'static str,
}

/// What a call is made of.
pub struct RequestIdentity<'a> {
    pub application: ApplicationId,
    /// Method and route template.
    pub operation: &'static str,
    /// The caller's own id of the call: `x-Request-ID`, or `requestId` of a basket.
    pub request: uuid::Uuid,
    pub field: &'static str,
    /// The path as sent: an id in it belongs to what is asked.
    pub path: &'a str,
    pub psu: &'a str,
    pub consent: &'a str,
    pub body: &'a [u8],
}

/// An answer, and whether it was given before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayable<T> {
    pub value: T,
    pub replayed: bool,
}

impl<T> Replayable<T> {
    pub fn fresh(value: T) -> Self {
        Self { value, replayed: false }
    }

    pub fn replayed(value: T) -> Self {
        Self { value, replayed: true }
    }
}

impl App {
    /// Names a call. The fingerprint is keyed since a body may hold a code.
    pub fn idempotent_request(&self, parts: &RequestIdentity<'_>) -> IdempotentRequest {
        let said = [
            parts.operation.as_bytes(),
            parts.path.as_bytes(),
            parts.psu.as_bytes(),
            parts.consent.as_bytes(),
            parts.body,
        ];
        IdempotentRequest {
            key: IdempotencyKey::new(parts.application, parts.operation, parts.request),
            fingerprint: self.keyring.hash(KeyPurpose::Fingerprint, &said),
            field: parts.field,
        }
    }
}

impl IdempotentRequest {
    pub fn application(&self) -> ApplicationId {
        self.key.application()
    }

    /// What the same call did before, if it did. Another call under the same id is refused.
    pub(crate) fn find(&self, tx: &mut Tx<'_>) -> Result<Option<IdempotencyRecord>, UseCaseError> {
        let Some(record) = tx.idempotency_find(&self.key)? else { return Ok(None) };
        if record.fingerprint != self.fingerprint {
            let text = "this id was used for another call before; send a new one";
            return Err(Refusal::at(RefusalReason::Inconsistent, self.field, text).into());
        }
        Ok(Some(record))
    }

    /// Remembers what the call did.
    pub(crate) fn record(
        &self,
        tx: &mut Tx<'_>,
        outcome: &str,
        result: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        tx.idempotency_insert(&self.key, &self.fingerprint, (outcome, result), now)
    }

    /// Remembers what the call is about to do, unless the same id is remembered already; [`Reservation::is_new`] tells. For a
    /// use case that can no longer refuse: it saves looking for what is nearly never there, and on PostgreSQL two calls
    /// that looked at the same page of the index would be taken for two that read each other's writes.
    pub(crate) fn reserve(
        &self,
        tx: &mut Tx<'_>,
        outcome: &str,
        result: &[u8],
        now: Timestamp,
    ) -> Result<Reservation, StoreError> {
        tx.idempotency_reserve(&self.key, &self.fingerprint, (outcome, result), now)
    }
}
