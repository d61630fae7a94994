//! What names a call, and what it is found by.

use sha2::{Digest, Sha256};
use trapeza_domain::id::ApplicationId;

/// What names a call: whose, which operation, which id its caller gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub(crate) application: ApplicationId,
    pub(crate) operation: &'static str,
    pub(crate) request: [u8; 16],
    pub(crate) call: IdempotencyKeyHash,
}

/// What a call is found by: so long that no two of a million million calls have the same, and that nobody can make one
/// that has another's. Whoever makes two of their own alike gets an error for the second.
pub(crate) type IdempotencyKeyHash = [u8; 12];

impl IdempotencyKey {
    /// `operation` is the method and the route template.
    pub fn new(application: ApplicationId, operation: &'static str, request: [u8; 16]) -> Self {
        let call = idempotency_key_hash(application.as_bytes(), operation.as_bytes(), &request);
        Self { application, operation, request, call }
    }

    pub fn application(&self) -> ApplicationId {
        self.application
    }
}

/// Application and request have a fixed length, so that no two calls are the same bytes.
pub(crate) fn idempotency_key_hash(
    application: &[u8],
    operation: &[u8],
    request: &[u8],
) -> IdempotencyKeyHash {
    let hash =
        Sha256::new().chain_update(application).chain_update(request).chain_update(operation).finalize();
    let mut call = IdempotencyKeyHash::default();
    call.copy_from_slice(&hash[..12]);
    call
}
