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
    /// Why it could not be booked on a customer's account, or why staff returned it.
    pub reason: Option<ReasonCode>,
    /// The part that is suspended, or was returned or assigned, when the rest was booked before. Without it the whole amount is.
    pub excess_minor: Option<i64>,
    pub received_at: Timestamp,
    /// What staff decided last.
    pub decision: Option<IncomingDecision>,
}

/// When staff returned or assigned a suspended transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingDecision {
    pub at: Timestamp,
    /// The actor, as the audit log names it.
    pub by: String,
    /// The IBAN or the loan that it was assigned to.
    pub assigned_to: Option<String>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, message_id, transaction_id, end_to_end_id, currency, amount_minor, content, status,
                    reason_code, excess_minor, received_at, decided_at, decided_by, assigned_to
             FROM clearing_incoming ",
            $rest
        )
    };
}

impl IncomingRecord {
    /// The amount that is on the suspense account, or was returned or assigned.
    pub fn suspended_amount(&self) -> Money {
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

    /// The transfer, locked until the transaction ends.
    pub fn incoming_lock(&mut self, id: ClearingId) -> Result<Option<IncomingRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1 FOR UPDATE"), params![id], incoming)
    }

    /// Updates state, reason, amount and decision of a transfer.
    pub fn incoming_update(&mut self, incoming: &IncomingRecord) -> Result<(), StoreError> {
        let decision = incoming.decision.as_ref();
        self.update_one(
            "incoming transfer",
            "UPDATE clearing_incoming SET status = $2, reason_code = $3, excess_minor = $4, decided_at = $5,
                decided_by = $6, assigned_to = $7
             WHERE id = $1",
            params![
                incoming.id,
                incoming.state.name(),
                incoming.reason.as_ref().map(ReasonCode::as_str),
                incoming.excess_minor,
                decision.map(|decision| decision.at),
                decision.map(|decision| decision.by.as_str()),
                decision.and_then(|decision| decision.assigned_to.as_deref())
            ],
        )
    }

    /// Transfers that wait to be returned, oldest first, locked.
    pub fn incoming_returning(&mut self) -> Result<Vec<IncomingRecord>, StoreError> {
        self.query(
            select!(
                "WHERE status = 'returning' ORDER BY received_at, message_id, transaction_id LIMIT $1
                 FOR UPDATE SKIP LOCKED"
            ),
            params![BATCH_ROWS],
            incoming,
        )
    }

    /// Whether any transfer waits to be returned.
    pub fn incoming_is_returning(&mut self) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM clearing_incoming WHERE status = 'returning' LIMIT 1", &[])
    }

    /// The transfers in a state, newest first.
    pub fn incoming_list_by_state(
        &mut self,
        state: IncomingState,
        limit: i64,
    ) -> Result<Vec<IncomingRecord>, StoreError> {
        self.query(
            select!("WHERE status = $1 ORDER BY received_at DESC, message_id, transaction_id LIMIT $2"),
            params![state.name(), limit],
            incoming,
        )
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
    pub fn incoming_list_by_batch(&mut self, batch: BatchId) -> Result<Vec<IncomingRecord>, StoreError> {
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
        decision: decision(row)?,
    })
}

fn decision(row: &mut RowReader<'_>) -> Result<Option<IncomingDecision>, StoreError> {
    let (at, by, assigned_to): (Option<Timestamp>, Option<String>, _) =
        (row.read()?, row.read()?, row.read()?);
    Ok(at.zip(by).map(|(at, by)| IncomingDecision { at, by, assigned_to }))
}
