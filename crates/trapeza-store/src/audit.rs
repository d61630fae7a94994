//! The audit log: what was done, by whom, chained by a keyed hash so that a changed or missing row shows.
//!
//! ChainHeads are logged each minute: who cuts a chain's end off is found out by the log.

use crate::audit_chain::{AuditHead, AuditRow, mac};
use crate::error::StoreError;
use crate::tx::{EngineKind, Tx};
use crate::{Param, params};
use std::collections::BTreeMap;
use trapeza_domain::time::Timestamp;

macro_rules! select {
    () => {
        "SELECT chain, sequence, at, actor, action, object, detail, mac FROM audit"
    };
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
        let mut heads: BTreeMap<i64, AuditHead> = BTreeMap::new();
        let mut known: Vec<AuditHead> = known.to_vec();
        let in_order = match self.engine() {
            EngineKind::Sqlite => concat!(select!(), " ORDER BY place"),
            EngineKind::Postgres => concat!(select!(), " ORDER BY chain, sequence"),
        };
        self.query_each(in_order, &[] as &[Param<'_>], |row| {
            let (chain, sequence) = (row.int(0)?, row.int(1)?);
            let head = heads.entry(chain).or_insert(AuditHead { chain, sequence: 0, mac: [0; 32] });
            if sequence <= head.sequence {
                report.findings.push(format!("chain {chain}: row {sequence} is not in its place"));
            } else if sequence > head.sequence + 1 {
                let missing = format!("{} to {}", head.sequence + 1, sequence - 1);
                report.findings.push(format!("chain {chain}: rows {missing} are missing"));
            }
            head.sequence = sequence.wrapping_sub(1);
            let (actor, action) = (row.text(3)?, row.text(4)?);
            let (object, detail) = (row.text(5)?, row.text(6)?);
            let at = Timestamp(row.int(2)?);
            let line = AuditRow { at, actor: &actor, action: &action, object: &object, detail: &detail };
            let stored: [u8; 32] = row.array(7)?;
            if mac(key, head, &line) != stored {
                report.findings.push(format!("chain {chain}: row {sequence} was changed, or one before it"));
            }
            // Going on from the stored hash names each bad row once, not everything after it.
            *head = AuditHead { chain, sequence, mac: stored };
            report.rows += 1;
            known.retain(|expected| expected != head);
            Ok(())
        })?;
        report.chains = heads.len() as u64;
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
