//! Clearing transactions: payments inside batches. A status report names a transaction by its id, which is used for
//! nothing else.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::{ApplicationId, BatchId, ClearingId, PaymentId};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Timestamp;

/// How many transactions one job of the sweep takes.
const SWEEP_ROWS: i64 = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearingTransaction {
    pub id: ClearingId,
    pub batch: BatchId,
    pub position: i64,
    pub application: ApplicationId,
    pub payment: PaymentId,
    pub debtor_name: String,
    pub debtor_iban: Iban,
    pub debtor_agent: Bic,
    pub submitted_at: Timestamp,
    /// When the operator is alerted that no status report came.
    pub alert_at: Option<Timestamp>,
    pub alerted: bool,
    pub answered_at: Option<Timestamp>,
    pub returned_at: Option<Timestamp>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, batch, position, application, payment, debtor_name, debtor_iban, debtor_agent, submitted_at,
                    alert_at, alerted, answered_at, returned_at
             FROM clearing_transaction ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn clearing_transaction_insert(
        &mut self,
        transaction: &ClearingTransaction,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO clearing_transaction (id, batch, position, application, payment, debtor_name, debtor_iban,
                debtor_agent, submitted_at, alert_at, alerted, answered_at, returned_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            params![
                transaction.id,
                transaction.batch,
                transaction.position,
                transaction.application,
                transaction.payment,
                &transaction.debtor_name,
                transaction.debtor_iban.as_str(),
                transaction.debtor_agent.as_str(),
                transaction.submitted_at,
                transaction.alert_at,
                transaction.alerted,
                transaction.answered_at,
                transaction.returned_at
            ],
        )?;
        Ok(())
    }

    pub fn clearing_transaction_lock(
        &mut self,
        id: ClearingId,
    ) -> Result<Option<ClearingTransaction>, StoreError> {
        self.query_opt(select!("WHERE id = $1 FOR UPDATE"), params![id], transaction)
    }

    /// Updates alert, answer and return. The debtor and the payment never change.
    pub fn clearing_transaction_update(
        &mut self,
        transaction: &ClearingTransaction,
    ) -> Result<(), StoreError> {
        self.update_one(
            "clearing transaction",
            "UPDATE clearing_transaction SET alert_at = $2, alerted = $3, answered_at = $4, returned_at = $5
             WHERE id = $1",
            params![
                transaction.id,
                transaction.alert_at,
                transaction.alerted,
                transaction.answered_at,
                transaction.returned_at
            ],
        )
    }

    /// The transactions of a batch, in their order.
    pub fn clearing_transaction_list(
        &mut self,
        batch: BatchId,
    ) -> Result<Vec<ClearingTransaction>, StoreError> {
        self.query(select!("WHERE batch = $1 ORDER BY position"), params![batch], transaction)
    }

    /// Whether the status report of any transaction is overdue.
    pub fn clearing_transaction_is_overdue(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM clearing_transaction WHERE alert_at <= $1 LIMIT 1", params![now])
    }

    /// Transactions whose status report is overdue, locked, except those that are locked already.
    pub fn clearing_transaction_overdue(
        &mut self,
        now: Timestamp,
    ) -> Result<Vec<ClearingTransaction>, StoreError> {
        self.query(
            select!("WHERE alert_at <= $1 ORDER BY alert_at, id LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now, SWEEP_ROWS],
            transaction,
        )
    }

    /// Transactions for which an alert was raised and no status report came since, oldest first.
    pub fn clearing_transaction_unanswered(
        &mut self,
        limit: i64,
    ) -> Result<Vec<ClearingTransaction>, StoreError> {
        self.query(
            select!("WHERE alerted AND answered_at IS NULL ORDER BY submitted_at, id LIMIT $1"),
            params![limit],
            transaction,
        )
    }
}

fn transaction(row: &mut RowReader<'_>) -> Result<ClearingTransaction, StoreError> {
    Ok(ClearingTransaction {
        id: row.read()?,
        batch: row.read()?,
        position: row.read()?,
        application: row.read()?,
        payment: row.read()?,
        debtor_name: row.read()?,
        debtor_iban: row.parse(Iban::parse_stored)?,
        debtor_agent: row.parse(Bic::parse)?,
        submitted_at: row.read()?,
        alert_at: row.read()?,
        alerted: row.read()?,
        answered_at: row.read()?,
        returned_at: row.read()?,
    })
}
