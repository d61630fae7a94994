//! A writer's own audit chain: how a row's hash covers all rows before it, and where each chain stands.
//!
//! There is one chain a writer, since a single chain would make every transaction wait for the one before it. The key
//! is kept outside the database: who can edit rows cannot recompute a chain.

use crate::options::StoreOptions;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use trapeza_domain::time::Timestamp;

/// One line of the log.
#[derive(Clone, Copy, Debug)]
pub struct AuditRow<'a> {
    pub at: Timestamp,
    pub actor: &'a str,
    pub action: &'a str,
    pub object: &'a str,
    pub detail: &'a str,
}

/// Where a chain stands: the number of its last row and the hash that covers all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditHead {
    pub chain: i64,
    pub sequence: i64,
    pub mac: [u8; 32],
}

/// A writer's own chain, moved forward only by commits.
#[derive(Clone)]
pub(crate) struct Chain {
    pub(crate) head: AuditHead,
    pub(crate) key: [u8; 32],
    seed: [u8; 32],
}

impl Chain {
    pub(crate) fn open(options: &StoreOptions, number: usize) -> Self {
        let seed =
            Sha256::new().chain_update(options.writer).chain_update(number.to_be_bytes()).finalize().into();
        Self {
            head: AuditHead { chain: chain_number(&seed), sequence: 0, mac: [0; 32] },
            key: options.audit_key,
            seed,
        }
    }

    /// A fresh chain of the same writer.
    pub(crate) fn successor(&self) -> Self {
        let seed: [u8; 32] = Sha256::digest(self.seed).into();
        Self {
            head: AuditHead { chain: chain_number(&seed), sequence: 0, mac: [0; 32] },
            key: self.key,
            seed,
        }
    }
}

fn chain_number(seed: &[u8; 32]) -> i64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&seed[..8]);
    i64::from_be_bytes(bytes) & i64::MAX
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

/// The hash of a row, over the hash before it. Each text is preceded by its length, so that no two rows read alike.
pub(crate) fn mac(key: &[u8; 32], before: &AuditHead, row: &AuditRow<'_>) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(&before.mac);
    mac.update(&before.chain.to_be_bytes());
    mac.update(&(before.sequence + 1).to_be_bytes());
    mac.update(&row.at.0.to_be_bytes());
    for text in [row.actor, row.action, row.object, row.detail] {
        mac.update(&(text.len() as u64).to_be_bytes());
        mac.update(text.as_bytes());
    }
    mac.finalize().into_bytes().into()
}
