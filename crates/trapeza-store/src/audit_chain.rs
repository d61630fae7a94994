//! A writer's audit chain: the MAC of each row covers all rows before it.
//!
//! Each writer has its own chain: with a single chain every transaction would wait for the one before it. The key is stored
//! outside the database, so someone who can edit rows cannot recompute a chain.

use crate::options::StoreOptions;
use ring::hmac;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use trapeza_domain::time::Timestamp;

/// An audit event as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct AuditRow<'a> {
    pub at: Timestamp,
    pub actor: &'a str,
    pub action: &'a str,
    pub object: &'a str,
    pub detail: &'a str,
}

/// The last row of a chain: its number, and the MAC that covers the whole chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditHead {
    pub chain: i64,
    pub sequence: i64,
    pub mac: [u8; 32],
}

/// A writer's chain. It moves forward only with commits.
#[derive(Clone)]
pub(crate) struct Chain {
    pub(crate) head: AuditHead,
    pub(crate) key: hmac::Key,
    seed: [u8; 32],
}

impl Chain {
    pub(crate) fn new(options: &StoreOptions, writer: usize) -> Self {
        let seed =
            Sha256::new().chain_update(options.chain_seed).chain_update(writer.to_be_bytes()).finalize();
        Self::empty(seed.into(), mac_key(&options.audit_key))
    }

    /// Another chain of the same writer.
    pub(crate) fn next_chain(&self) -> Self {
        Self::empty(Sha256::digest(self.seed).into(), self.key.clone())
    }

    fn empty(seed: [u8; 32], key: hmac::Key) -> Self {
        let mut number = [0; 8];
        number.copy_from_slice(&seed[..8]);
        let chain = i64::from_be_bytes(number) & i64::MAX;
        Self { head: AuditHead { chain, sequence: 0, mac: [0; 32] }, key, seed }
    }
}

/// The committed heads of this process's chains.
#[derive(Clone, Default)]
pub(crate) struct ChainHeads(Arc<Mutex<BTreeMap<i64, AuditHead>>>);

impl ChainHeads {
    pub(crate) fn set(&self, head: AuditHead) {
        if head.sequence > 0 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(head.chain, head);
        }
    }

    pub(crate) fn all(&self) -> Vec<AuditHead> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
    }
}

/// The key of the audit log and of the MACs of transfers, prepared once: that takes as long as a MAC.
pub(crate) fn mac_key(key: &[u8; 32]) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, key)
}

/// The MAC of a row, over the MAC of the row before it. Each text is preceded by its length, so that different rows are
/// different bytes.
pub(crate) fn mac(key: &hmac::Key, before: &AuditHead, row: &AuditRow<'_>) -> [u8; 32] {
    let mut mac = hmac::Context::with_key(key);
    mac.update(&before.mac);
    mac.update(&before.chain.to_be_bytes());
    mac.update(&(before.sequence + 1).to_be_bytes());
    mac.update(&row.at.0.to_be_bytes());
    for text in [row.actor, row.action, row.object, row.detail] {
        mac.update(&(text.len() as u64).to_be_bytes());
        mac.update(text.as_bytes());
    }
    let mut bytes = [0; 32];
    bytes.copy_from_slice(mac.sign().as_ref());
    bytes
}
