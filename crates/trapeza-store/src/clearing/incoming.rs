//! Incoming credit transfers, stored once per message id and transaction id of their sender.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::clearing::{IncomingState, ReasonCode};
use trapeza_domain::id::{BatchId, ClearingId};
use trapeza_domain::money::Money;
use trapeza_domain::time::Timestamp;

/// How many transfers one batch of returns takes.
const BATCH_ROWS: i64 = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingRecord {
    /// Identifies the return, if the transfer is returned.
    pub id: ClearingId,
    pub message_id: String,
    pub transaction_id: String,
    pub end_to_end_id: Option<String>,
    pub amount: Money,
    pub state: IncomingState,
    /// Why it could not be booked on a customer's account.
    pub reason: Option<ReasonCode>,
    pub received_at: Timestamp,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, message_id, transaction_id, end_to_end_id, currency, amount_minor, status, reason_code,
                    received_at
             FROM clearing_incoming ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Inserts an incoming transfer; false when it was received before.
    pub fn incoming_insert(&mut self, incoming: &IncomingRecord) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO clearing_incoming (id, message_id, transaction_id, end_to_end_id, currency, amount_minor,
                status, reason_code, received_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
            params![
                incoming.id,
                &incoming.message_id,
                &incoming.transaction_id,
                incoming.end_to_end_id.as_deref(),
                incoming.amount.currency,
                incoming.amount.minor,
                incoming.state.name(),
                incoming.reason.as_ref().map(ReasonCode::as_str),
                incoming.received_at
            ],
        )?;
        Ok(inserted == 1)
    }

    /// Transfers on the suspense account that wait to be returned, oldest first, locked.
    pub fn incoming_suspended(&mut self) -> Result<Vec<IncomingRecord>, StoreError> {
        self.query(
            select!(
                "WHERE status = 'suspended' ORDER BY received_at, message_id, transaction_id LIMIT $1
                 FOR UPDATE SKIP LOCKED"
            ),
            params![BATCH_ROWS],
            incoming,
        )
    }

    /// Whether any transfer waits to be returned.
    pub fn incoming_is_suspended(&mut self) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM clearing_incoming WHERE status = 'suspended' LIMIT 1", &[])
    }

    /// Adds a transfer to a batch of returns.
    pub fn incoming_return(
        &mut self,
        id: ClearingId,
        batch: BatchId,
        position: i64,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE clearing_incoming SET status = 'returned', batch = $2, position = $3 WHERE id = $1",
            params![id, batch, position],
        )?;
        Ok(())
    }

    /// The transfers in a batch of returns, in their order.
    pub fn incoming_list(&mut self, batch: BatchId) -> Result<Vec<IncomingRecord>, StoreError> {
        self.query(select!("WHERE batch = $1 ORDER BY position"), params![batch], incoming)
    }
}

fn incoming(row: &mut RowReader<'_>) -> Result<IncomingRecord, StoreError> {
    Ok(IncomingRecord {
        id: row.read()?,
        message_id: row.read()?,
        transaction_id: row.read()?,
        end_to_end_id: row.read()?,
        amount: row.money()?,
        state: row.parse(IncomingState::parse)?,
        reason: row.parse_opt(ReasonCode::parse)?,
        received_at: row.read()?,
    })
}
