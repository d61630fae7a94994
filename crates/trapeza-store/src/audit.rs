//! The audit log: what was done, by whom, chained by a keyed hash so that a changed or missing row shows.
//!
//! There is one chain a writer, since a single chain would make every transaction wait for the one before it. The key
//! is kept outside the database: who can edit rows cannot recompute a chain. Heads are logged each minute: who cuts a
//! chain's end off is found out by the log.

use crate::error::StoreError;
use crate::options::StoreOptions;
use crate::tx::Tx;
use crate::{Param, params};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use trapeza_domain::time::Instant;

/// One line of the log.
#[derive(Clone, Copy, Debug)]
pub struct AuditRow<'a> {
    pub at: Instant,
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
    head: AuditHead,
    key: [u8; 32],
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
pub(crate) struct Heads(Arc<Mutex<BTreeMap<i64, AuditHead>>>);

impl Heads {
    pub(crate) fn set(&self, chain: &Chain) {
        if chain.head.sequence > 0 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(chain.head.chain, chain.head);
        }
    }

    pub(crate) fn all(&self) -> Vec<AuditHead> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
    }
}

/// The hash of a row, over the hash before it. Each text is preceded by its length, so that no two rows read alike.
fn mac(key: &[u8; 32], before: &AuditHead, row: &AuditRow<'_>) -> [u8; 32] {
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

impl Tx<'_> {
    /// Notes what this transaction does. It is kept if and only if the transaction is.
    pub fn audit_append(&mut self, row: &AuditRow<'_>) -> Result<(), StoreError> {
        let chain = self.chain()?;
        let next = AuditHead {
            chain: chain.head.chain,
            sequence: chain.head.sequence + 1,
            mac: mac(&chain.key, &chain.head, row),
        };
        chain.head = next;
        self.execute_later(
            "INSERT INTO audit (chain, sequence, at, actor, action, object, detail, mac)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                next.chain,
                next.sequence,
                row.at.0,
                row.actor,
                row.action,
                row.object,
                row.detail,
                &next.mac
            ],
        )?;
        Ok(())
    }

    /// Walks every chain and answers how many rows are whole, and what is wrong where.
    pub fn audit_verify(&mut self, key: &[u8; 32], known: &[AuditHead]) -> Result<AuditReport, StoreError> {
        let mut report = AuditReport::default();
        let mut head = AuditHead { chain: 0, sequence: 0, mac: [0; 32] };
        let mut known: Vec<AuditHead> = known.to_vec();
        self.query_each(
            "SELECT chain, sequence, at, actor, action, object, detail, mac FROM audit ORDER BY chain, sequence",
            &[] as &[Param<'_>],
            |row| {
                let (chain, sequence) = (row.int(0)?, row.int(1)?);
                if chain != head.chain {
                    report.chains += 1;
                    head = AuditHead { chain, sequence: 0, mac: [0; 32] };
                }
                if sequence != head.sequence + 1 {
                    let missing = format!("{} to {}", head.sequence + 1, sequence - 1);
                    report.findings.push(format!("chain {chain}: rows {missing} are missing"));
                    head.sequence = sequence - 1;
                }
                let (actor, action) = (row.text(3)?, row.text(4)?);
                let (object, detail) = (row.text(5)?, row.text(6)?);
                let at = Instant(row.int(2)?);
                let line =
                    AuditRow { at, actor: &actor, action: &action, object: &object, detail: &detail };
                let stored: [u8; 32] = row.array(7)?;
                if mac(key, &head, &line) != stored {
                    report.findings.push(format!("chain {chain}: row {sequence} was changed, or one before it"));
                }
                // Going on from the stored hash names each bad row once, not everything after it.
                head = AuditHead { chain, sequence, mac: stored };
                report.rows += 1;
                known.retain(|expected| *expected != head);
                Ok(())
            },
        )?;
        for expected in known {
            let AuditHead { chain, sequence, .. } = expected;
            report.findings.push(format!("chain {chain}: row {sequence}, logged as its head, is not there"));
        }
        Ok(report)
    }
}

/// What `audit verify` found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    pub chains: u64,
    pub rows: u64,
    pub findings: Vec<String>,
}
