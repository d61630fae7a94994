//! Transfers from other banks, each once, by its sender's names for it.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::clearing::{IncomingState, ReasonCode};
use trapeza_domain::id::{BatchId, ClearingId};
use trapeza_domain::money::Money;
use trapeza_domain::time::Timestamp;

/// The most that one batch takes.
const BATCH_ROWS: i64 = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingRecord {
    /// Our name for it, should it go back.
    pub id: ClearingId,
    pub message: String,
    pub transfer: String,
    pub end_to_end_id: Option<String>,
    pub amount: Money,
    pub state: IncomingState,
    /// Why nobody could be given it.
    pub reason: Option<ReasonCode>,
    pub received_at: Timestamp,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, message, transfer, end_to_end_id, currency, amount_minor, state, reason_code, received_at
             FROM clearing_incoming ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Keeps a transfer that came in; false when it had come before.
    pub fn incoming_insert(&mut self, incoming: &IncomingRecord) -> Result<bool, StoreError> {
        let made = self.execute(
            "INSERT INTO clearing_incoming (id, message, transfer, end_to_end_id, currency, amount_minor, state,
                reason_code, received_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
            params![
                incoming.id.as_bytes(),
                &incoming.message,
                &incoming.transfer,
                incoming.end_to_end_id.as_deref(),
                incoming.amount.currency.code(),
                incoming.amount.minor,
                incoming.state.name(),
                incoming.reason.as_ref().map(ReasonCode::as_str),
                incoming.received_at.0
            ],
        )?;
        Ok(made == 1)
    }

    /// What waits to go back, oldest first, locked.
    pub fn incoming_suspended(&mut self) -> Result<Vec<IncomingRecord>, StoreError> {
        self.query(
            select!(
                "WHERE state = 'suspended' ORDER BY received_at, message, transfer LIMIT $1 FOR UPDATE SKIP LOCKED"
            ),
            params![BATCH_ROWS],
            incoming,
        )
    }

    /// Whether anything waits to go back.
    pub fn incoming_is_suspended(&mut self) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM clearing_incoming WHERE state = 'suspended' LIMIT 1";
        Ok(self.query_opt(sql, &[], |_| Ok(()))?.is_some())
    }

    /// Puts one into the batch in which it goes back.
    pub fn incoming_return(
        &mut self,
        id: ClearingId,
        batch: BatchId,
        position: i64,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE clearing_incoming SET state = 'returned', batch = $2, position = $3 WHERE id = $1",
            params![id.as_bytes(), batch.as_bytes(), position],
        )?;
        Ok(())
    }

    /// What is in a batch of returns, in its order.
    pub fn incoming_list(&mut self, batch: BatchId) -> Result<Vec<IncomingRecord>, StoreError> {
        self.query(select!("WHERE batch = $1 ORDER BY position"), params![batch.as_bytes()], incoming)
    }
}

fn incoming(row: &Row<'_>) -> Result<IncomingRecord, StoreError> {
    Ok(IncomingRecord {
        id: row.id(0, ClearingId::new)?,
        message: row.text(1)?,
        transfer: row.text(2)?,
        end_to_end_id: row.opt_text(3)?,
        amount: row.money(4, 5)?,
        state: row.named(6, IncomingState::parse)?,
        reason: match row.opt_str(7)? {
            Some(_) => Some(row.named(7, ReasonCode::parse)?),
            None => None,
        },
        received_at: Timestamp(row.int(8)?),
    })
}
