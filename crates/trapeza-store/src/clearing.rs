//! Batches to clearing, what is in them, and what came from there. What an answer means is decided elsewhere.

mod incoming;
mod transaction;

pub use incoming::IncomingRecord;
pub use transaction::ClearingTransaction;

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::clearing::{BatchKind, BatchState};
use trapeza_domain::id::BatchId;
use trapeza_domain::time::{Date, Timestamp};

/// A lot that goes out as one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchRecord {
    pub id: BatchId,
    pub kind: BatchKind,
    pub state: BatchState,
    pub created_at: Timestamp,
    pub settlement_day: Date,
    /// Where its message was prepared.
    pub place: Option<[u8; 16]>,
}

impl Tx<'_> {
    pub fn batch_insert(&mut self, batch: &BatchRecord) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO clearing_batch (id, kind, state, created_at, settlement_day, claimed_until, place)
             VALUES ($1, $2, $3, $4, $5, 0, $6)",
            params![
                batch.id.as_bytes(),
                batch.kind.name(),
                batch.state.name(),
                batch.created_at.0,
                batch.settlement_day.0,
                batch.place.as_ref()
            ],
        )?;
        Ok(())
    }

    /// Takes one batch that nobody writes just now, oldest first, for oneself until then. One that was prepared at
    /// another place can only be ended there.
    pub fn batch_claim(
        &mut self,
        place: &[u8; 16],
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<BatchRecord>, StoreError> {
        let found = self.query_opt(
            "SELECT id, kind, state, created_at, settlement_day, place FROM clearing_batch
             WHERE state <> 'written' AND claimed_until <= $1 AND (place IS NULL OR place = $2)
             ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED",
            params![now.0, place],
            batch,
        )?;
        if let Some(batch) = &found {
            self.execute(
                "UPDATE clearing_batch SET claimed_until = $2 WHERE id = $1",
                params![batch.id.as_bytes(), until.0],
            )?;
        }
        Ok(found)
    }

    /// Whether there is a batch to be claimed, asked without claiming it.
    pub fn batch_is_pending(&mut self, place: &[u8; 16], now: Timestamp) -> Result<bool, StoreError> {
        let found = self.query_opt(
            "SELECT 1 FROM clearing_batch
             WHERE state <> 'written' AND claimed_until <= $1 AND (place IS NULL OR place = $2) LIMIT 1",
            params![now.0, place],
            |_| Ok(()),
        )?;
        Ok(found.is_some())
    }

    /// Notes a step of a batch on its way out; false when it has gone that far already.
    pub fn batch_advance(
        &mut self,
        id: BatchId,
        from: BatchState,
        to: BatchState,
        place: &[u8; 16],
    ) -> Result<bool, StoreError> {
        let moved = self.execute(
            "UPDATE clearing_batch SET state = $3, place = $4 WHERE id = $1 AND state = $2",
            params![id.as_bytes(), from.name(), to.name(), place],
        )?;
        Ok(moved == 1)
    }

    /// Batches that are not out yet, oldest first.
    pub fn batch_list_unsent(&mut self, limit: i64) -> Result<Vec<BatchRecord>, StoreError> {
        self.query(
            "SELECT id, kind, state, created_at, settlement_day, place FROM clearing_batch
             WHERE state <> 'written' ORDER BY created_at, id LIMIT $1",
            params![limit],
            batch,
        )
    }

    /// What a message that was read before said, as a hash.
    pub fn clearing_message_find(
        &mut self,
        kind: &str,
        message: &str,
    ) -> Result<Option<[u8; 32]>, StoreError> {
        self.query_opt(
            "SELECT digest FROM clearing_message WHERE kind = $1 AND message = $2",
            params![kind, message],
            |row| row.array(0),
        )
    }

    /// Notes that a message was read to its end. Another process may have done so at the same time.
    pub fn clearing_message_insert(
        &mut self,
        kind: &str,
        message: &str,
        digest: &[u8; 32],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO clearing_message (kind, message, digest, at) VALUES ($1, $2, $3, $4)
             ON CONFLICT DO NOTHING",
            params![kind, message, digest, now.0],
        )?;
        Ok(())
    }
}

fn batch(row: &Row<'_>) -> Result<BatchRecord, StoreError> {
    Ok(BatchRecord {
        id: row.id(0, BatchId::new)?,
        kind: row.named(1, BatchKind::parse)?,
        state: row.named(2, BatchState::parse)?,
        created_at: Timestamp(row.int(3)?),
        settlement_day: row.day(4)?,
        place: match row.opt_bytes(5)? {
            Some(_) => Some(row.array(5)?),
            None => None,
        },
    })
}
