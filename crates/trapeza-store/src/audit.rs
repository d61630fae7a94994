//! The audit log: events chained by a keyed hash, so that a changed or missing row is detected.
//!
//! The heads of the chains are logged and stored every minute: rows that are cut off the end of a chain are missing against
//! a logged or stored head. The first event of a bank is its creation, so that an empty log is never complete.

use crate::audit_chain::{AuditHead, AuditRow, mac, mac_key};
use crate::error::StoreError;
use crate::params;
use crate::tx::{EngineKind, Tx};
use std::collections::BTreeMap;
use trapeza_domain::time::Timestamp;

/// The action of the first event of every bank.
pub const BANK_CREATED: &str = "bank.created";

/// An event as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    pub at: Timestamp,
    pub actor: String,
    pub action: String,
    pub object: String,
    pub detail: String,
}

macro_rules! select {
    ($order:literal) => {
        concat!(
            "SELECT chain, sequence, occurred_at, actor, action, object, detail, mac FROM audit_event ORDER BY ",
            $order
        )
    };
}

macro_rules! select_records {
    ($rest:literal) => {
        concat!("SELECT occurred_at, actor, action, object, detail FROM audit_event ", $rest)
    };
}

impl Tx<'_> {
    /// Appends an event. It is stored if and only if the transaction commits.
    pub fn audit_append(&mut self, row: &AuditRow<'_>) -> Result<(), StoreError> {
        let chain = self.chain()?;
        let next = AuditHead {
            chain: chain.head.chain,
            sequence: chain.head.sequence + 1,
            mac: mac(&chain.key, &chain.head, row),
        };
        chain.head = next;
        self.execute_deferred(
            "INSERT INTO audit_event (chain, sequence, occurred_at, actor, action, object, detail, mac)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                next.chain,
                next.sequence,
                row.at,
                row.actor,
                row.action,
                row.object,
                row.detail,
                &next.mac
            ],
        )
    }

    /// The newest events of an object (`payment:…`), the newest first.
    pub fn audit_event_list(&mut self, object: &str, limit: i64) -> Result<Vec<AuditRecord>, StoreError> {
        let newest = match self.engine() {
            EngineKind::Sqlite => select_records!("WHERE object = $1 ORDER BY position DESC LIMIT $2"),
            EngineKind::Postgres => {
                select_records!("WHERE object = $1 ORDER BY occurred_at DESC, chain, sequence DESC LIMIT $2")
            }
        };
        self.query(newest, params![object, limit], |row| {
            Ok(AuditRecord {
                at: row.read()?,
                actor: row.read()?,
                action: row.read()?,
                object: row.read()?,
                detail: row.read()?,
            })
        })
    }

    /// Stores heads, unless later ones of their chains are stored.
    pub fn audit_head_set(&mut self, heads: &[AuditHead]) -> Result<(), StoreError> {
        for head in heads {
            self.execute_deferred(
                "INSERT INTO audit_head (chain, sequence, mac) VALUES ($1, $2, $3)
                 ON CONFLICT (chain) DO UPDATE SET sequence = excluded.sequence, mac = excluded.mac
                 WHERE audit_head.sequence < excluded.sequence",
                params![head.chain, head.sequence, &head.mac],
            )?;
        }
        Ok(())
    }

    fn audit_head_list(&mut self) -> Result<Vec<AuditHead>, StoreError> {
        self.query("SELECT chain, sequence, mac FROM audit_head ORDER BY chain", &[], |row| {
            Ok(AuditHead { chain: row.read()?, sequence: row.read()?, mac: row.read()? })
        })
    }

    /// Verifies every chain, and that each stored head and each of the `logged` ones exists.
    pub fn audit_verify(&mut self, key: &[u8; 32], logged: &[AuditHead]) -> Result<AuditReport, StoreError> {
        let key = mac_key(key);
        let mut report = AuditReport::default();
        let mut heads: BTreeMap<i64, AuditHead> = BTreeMap::new();
        let mut missing: Vec<(AuditHead, &str)> = logged.iter().map(|head| (*head, "logged")).collect();
        missing.extend(self.audit_head_list()?.into_iter().map(|head| (head, "stored")));
        // A bank is created with its root key.
        let mut creation_missing = self.exists("SELECT 1 FROM root_key", &[])?;
        let chain_order = match self.engine() {
            EngineKind::Sqlite => select!("position"),
            EngineKind::Postgres => select!("chain, sequence"),
        };
        self.query_each(chain_order, &[], |row| {
            let (chain, sequence): (i64, i64) = (row.read()?, row.read()?);
            let head = heads.entry(chain).or_insert(AuditHead { chain, sequence: 0, mac: [0; 32] });
            if sequence <= head.sequence {
                report.findings.push(format!("chain {chain}: row {sequence} is out of order"));
            } else if sequence > head.sequence + 1 {
                let rows = format!("{} to {}", head.sequence + 1, sequence - 1);
                report.findings.push(format!("chain {chain}: rows {rows} are missing"));
            }
            head.sequence = sequence.wrapping_sub(1);
            let event = AuditRow {
                at: row.read()?,
                actor: row.read()?,
                action: row.read()?,
                object: row.read()?,
                detail: row.read()?,
            };
            creation_missing &= event.action != BANK_CREATED;
            let stored: [u8; 32] = row.read()?;
            if mac(&key, head, &event) != stored {
                report.findings.push(format!("chain {chain}: row {sequence} or one before it was changed"));
            }
            // Continuing from the stored MAC reports each changed row once, not every row after it.
            *head = AuditHead { chain, sequence, mac: stored };
            report.rows += 1;
            missing.retain(|(expected, _)| expected != head);
            Ok(())
        })?;
        report.chains = heads.len() as u64;
        for (AuditHead { chain, sequence, .. }, place) in missing {
            report.findings.push(format!("chain {chain}: row {sequence}, {place} as its head, is missing"));
        }
        if creation_missing {
            report.findings.push("the event of the bank's creation is missing".to_owned());
        }
        Ok(report)
    }
}

/// The result of `audit verify`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    pub chains: u64,
    pub rows: u64,
    pub findings: Vec<String>,
}
