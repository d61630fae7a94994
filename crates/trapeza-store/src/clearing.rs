//! Clearing batches, and the clearing messages that were processed.

mod incoming;
mod instant;
mod problem;
mod returned;
mod stored_transfer;
mod transaction;

pub use incoming::{IncomingDecision, IncomingRecord};
pub use instant::InstantSubmission;
pub use problem::{ClearingProblem, OpenClearingProblem};
pub use returned::ReturnRecord;
pub use transaction::ClearingTransaction;

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::clearing::{BatchKind, BatchState};
use trapeza_domain::id::BatchId;
use trapeza_domain::time::{Date, Timestamp};
use uuid::Uuid;

/// Payments or returns that leave in one clearing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchRecord {
    pub id: BatchId,
    pub kind: BatchKind,
    pub state: BatchState,
    pub created_at: Timestamp,
    pub settlement_date: Date,
    /// The spool in which its file was prepared.
    pub spool_id: Option<Uuid>,
    /// The claim under which its file is prepared, or was.
    pub claim: Option<Uuid>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, status, created_at, settlement_date, spool_id, claim FROM clearing_batch ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn batch_insert(&mut self, batch: &BatchRecord) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO clearing_batch (id, kind, status, created_at, settlement_date, spool_id)
             VALUES ($1, $2, $3, $4, $5, $6)",
            params![
                batch.id,
                batch.kind.name(),
                batch.state.name(),
                batch.created_at,
                batch.settlement_date,
                batch.spool_id
            ],
        )?;
        Ok(())
    }

    pub fn batch_find(&mut self, id: BatchId) -> Result<Option<BatchRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id], batch)
    }

    /// Claims the oldest batch that is neither written nor claimed, until a time. A batch whose file was prepared in
    /// another spool can only be completed there, and keeps the claim under which it was prepared.
    pub fn batch_claim(
        &mut self,
        spool_id: Uuid,
        claim: Uuid,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<BatchRecord>, StoreError> {
        let found = self.query_opt(
            select!(
                "WHERE status <> 'written' AND (claimed_until IS NULL OR claimed_until <= $1)
                    AND (spool_id IS NULL OR spool_id = $2)
                 ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED"
            ),
            params![now, spool_id],
            batch,
        )?;
        let Some(mut batch) = found else { return Ok(None) };
        if batch.state == BatchState::Claimed {
            batch.claim = Some(claim);
        }
        self.execute(
            "UPDATE clearing_batch SET claimed_until = $2, claim = $3 WHERE id = $1",
            params![batch.id, until, batch.claim],
        )?;
        Ok(Some(batch))
    }

    /// Whether there is a batch to claim.
    pub fn batch_is_pending(&mut self, spool_id: Uuid, now: Timestamp) -> Result<bool, StoreError> {
        self.exists(
            "SELECT 1 FROM clearing_batch
             WHERE status <> 'written' AND (claimed_until IS NULL OR claimed_until <= $1)
                AND (spool_id IS NULL OR spool_id = $2) LIMIT 1",
            params![now, spool_id],
        )
    }

    /// Moves a batch from one state to the next; false when it is in another state, or has another claim. Repeated, it has the same result:
    /// the answer to the first call may have been lost.
    pub fn batch_advance(
        &mut self,
        id: BatchId,
        (from, to): (BatchState, BatchState),
        spool_id: Uuid,
        claim: Uuid,
    ) -> Result<bool, StoreError> {
        let updated = self.execute(
            "UPDATE clearing_batch SET status = $3, spool_id = $4 WHERE id = $1 AND status IN ($2, $3) AND claim = $5",
            params![id, from.name(), to.name(), spool_id, claim],
        )?;
        Ok(updated == 1)
    }

    /// Batches whose file is not written yet, oldest first.
    pub fn batch_list_unsent(&mut self, limit: i64) -> Result<Vec<BatchRecord>, StoreError> {
        self.query(
            select!("WHERE status <> 'written' ORDER BY created_at, id LIMIT $1"),
            params![limit],
            batch,
        )
    }

    /// Stores the digest of a message, unless there is one for its id. Returns the stored digest, and whether that message was processed
    /// completely.
    pub fn clearing_message_claim(
        &mut self,
        kind: &str,
        message_id: &str,
        digest: &[u8; 32],
    ) -> Result<([u8; 32], bool), StoreError> {
        self.execute(
            "INSERT INTO clearing_message (kind, message_id, digest) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            params![kind, message_id, digest],
        )?;
        self.query_one(
            "SELECT digest, processed_at IS NOT NULL FROM clearing_message WHERE kind = $1 AND message_id = $2",
            params![kind, message_id],
            |row| Ok((row.read()?, row.read()?)),
        )
    }

    /// Records that a message was processed completely; false when another process has recorded it.
    pub fn clearing_message_processed(
        &mut self,
        kind: &str,
        message_id: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let updated = self.execute(
            "UPDATE clearing_message SET processed_at = $3
             WHERE kind = $1 AND message_id = $2 AND processed_at IS NULL",
            params![kind, message_id, now],
        )?;
        Ok(updated == 1)
    }
}

fn batch(row: &mut RowReader<'_>) -> Result<BatchRecord, StoreError> {
    Ok(BatchRecord {
        id: row.read()?,
        kind: row.parse(BatchKind::parse)?,
        state: row.parse(BatchState::parse)?,
        created_at: row.read()?,
        settlement_date: row.read()?,
        spool_id: row.read()?,
        claim: row.read()?,
    })
}
