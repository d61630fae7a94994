//! The audit log: events chained by a keyed hash, so that a changed or missing row is detected.
//!
//! The heads of the chains are logged every minute: rows that are cut off the end of a chain are missing against a logged
//! head.

use crate::audit_chain::{AuditHead, AuditRow, mac};
use crate::error::StoreError;
use crate::params;
use crate::tx::{EngineKind, Tx};
use std::collections::BTreeMap;

macro_rules! select {
    ($order:literal) => {
        concat!(
            "SELECT chain, sequence, occurred_at, actor, action, object, detail, mac FROM audit_event ORDER BY ",
            $order
        )
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

    /// Verifies every chain, and that each of the `logged` heads exists.
    pub fn audit_verify(&mut self, key: &[u8; 32], logged: &[AuditHead]) -> Result<AuditReport, StoreError> {
        let mut report = AuditReport::default();
        let mut heads: BTreeMap<i64, AuditHead> = BTreeMap::new();
        let mut missing: Vec<AuditHead> = logged.to_vec();
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
            let stored: [u8; 32] = row.read()?;
            if mac(key, head, &event) != stored {
                report.findings.push(format!("chain {chain}: row {sequence} or one before it was changed"));
            }
            // Continuing from the stored MAC reports each changed row once, not every row after it.
            *head = AuditHead { chain, sequence, mac: stored };
            report.rows += 1;
            missing.retain(|expected| expected != head);
            Ok(())
        })?;
        report.chains = heads.len() as u64;
        for AuditHead { chain, sequence, .. } in missing {
            report.findings.push(format!("chain {chain}: row {sequence}, logged as its head, is missing"));
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
