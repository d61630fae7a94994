//! Incoming credit transfers, stored once per message id and transaction id of their sender.

use super::stored_transfer;
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::clearing::{IncomingState, OriginalTransfer, ReasonCode};
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
    pub received: OriginalTransfer,
    pub state: IncomingState,
    /// Why it could not be booked on a customer's account.
    pub reason: Option<ReasonCode>,
    /// The part that goes back when the rest was booked. Without it the whole amount goes back.
    pub excess_minor: Option<i64>,
    pub received_at: Timestamp,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, message_id, transaction_id, end_to_end_id, currency, amount_minor, content, status,
                    reason_code, excess_minor, received_at
             FROM clearing_incoming ",
            $rest
        )
    };
}

impl IncomingRecord {
    /// The amount that goes back to the sender of a suspended transfer.
    pub fn returned_amount(&self) -> Money {
        let amount = self.received.transfer.amount;
        Money { minor: self.excess_minor.unwrap_or(amount.minor), ..amount }
    }
}

impl Tx<'_> {
    /// The transfer that was received before under these ids.
    pub fn incoming_find(
        &mut self,
        message_id: &str,
        transaction_id: &str,
    ) -> Result<Option<IncomingRecord>, StoreError> {
        self.query_opt(
            select!("WHERE message_id = $1 AND transaction_id = $2"),
            params![message_id, transaction_id],
            incoming,
        )
    }

    /// An incoming transfer by the bank's own id, for its staff.
    pub fn incoming_by_id(&mut self, id: ClearingId) -> Result<Option<IncomingRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id], incoming)
    }

    /// The batch in which an incoming transfer is returned.
    pub fn incoming_batch(&mut self, id: ClearingId) -> Result<Option<BatchId>, StoreError> {
        let sql = "SELECT batch FROM clearing_incoming WHERE id = $1 AND batch IS NOT NULL";
        self.query_opt(sql, params![id], |row| row.read())
    }

    /// Inserts an incoming transfer; false when one was received before under these ids.
    pub fn incoming_insert(&mut self, incoming: &IncomingRecord) -> Result<bool, StoreError> {
        let (transfer, content) = (&incoming.received.transfer, stored_transfer::encode(&incoming.received));
        let inserted = self.execute(
            "INSERT INTO clearing_incoming (id, message_id, transaction_id, end_to_end_id, currency, amount_minor,
                content, status, reason_code, received_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
            params![
                incoming.id,
                &incoming.message_id,
                &transfer.id,
                transfer.end_to_end_id.as_deref(),
                transfer.amount.currency,
                transfer.amount.minor,
                &content,
                incoming.state.name(),
                incoming.reason.as_ref().map(ReasonCode::as_str),
                incoming.received_at
            ],
        )?;
        Ok(inserted == 1)
    }

    /// Suspends a transfer that cannot be booked, or the excess of one that was booked.
    pub fn incoming_suspend(
        &mut self,
        id: ClearingId,
        reason: ReasonCode,
        excess_minor: Option<i64>,
    ) -> Result<(), StoreError> {
        self.update_one(
            "incoming transfer",
            "UPDATE clearing_incoming SET status = 'suspended', reason_code = $2, excess_minor = $3 WHERE id = $1",
            params![id, reason.as_str(), excess_minor],
        )
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
    let (id, message_id) = (row.read()?, row.read()?);
    let columns = (row.read()?, row.read()?, row.money()?);
    let content: Vec<u8> = row.read()?;
    Ok(IncomingRecord {
        id,
        message_id,
        received: stored_transfer::decode(&content, columns)?,
        state: row.parse(IncomingState::parse)?,
        reason: row.parse_opt(ReasonCode::parse)?,
        excess_minor: row.read()?,
        received_at: row.read()?,
    })
}
