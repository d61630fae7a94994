//! Payments on their way through clearing. They are found by our name for them there, which only that payment has.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::id::{ApplicationId, BatchId, ClearingId, PaymentId};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Timestamp;

/// The most that one job of the sweep takes.
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
    pub handed_over_at: Timestamp,
    /// When somebody has to be told that no answer came.
    pub alert_at: Option<Timestamp>,
    pub alerted: bool,
    pub answered_at: Option<Timestamp>,
    pub returned_at: Option<Timestamp>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, batch, position, application, payment, debtor_name, debtor_iban, debtor_agent, handed_over_at,
                    alert_at, alerted, answered_at, returned_at
             FROM clearing_transaction ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn clearing_transaction_insert(&mut self, sent: &ClearingTransaction) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO clearing_transaction (id, batch, position, application, payment, debtor_name, debtor_iban,
                debtor_agent, handed_over_at, alert_at, alerted, answered_at, returned_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            params![
                sent.id.as_bytes(),
                sent.batch.as_bytes(),
                sent.position,
                sent.application.as_bytes(),
                sent.payment.as_bytes(),
                &sent.debtor_name,
                sent.debtor_iban.as_str(),
                sent.debtor_agent.as_str(),
                sent.handed_over_at.0,
                sent.alert_at.map(|at| at.0),
                sent.alerted,
                sent.answered_at.map(|at| at.0),
                sent.returned_at.map(|at| at.0)
            ],
        )?;
        Ok(())
    }

    pub fn clearing_transaction_lock(
        &mut self,
        id: ClearingId,
    ) -> Result<Option<ClearingTransaction>, StoreError> {
        self.query_opt(select!("WHERE id = $1 FOR UPDATE"), params![id.as_bytes()], sent)
    }

    /// Writes what came of it. Who pays what never changes.
    pub fn clearing_transaction_update(&mut self, sent: &ClearingTransaction) -> Result<(), StoreError> {
        self.execute(
            "UPDATE clearing_transaction SET alert_at = $2, alerted = $3, answered_at = $4, returned_at = $5
             WHERE id = $1",
            params![
                sent.id.as_bytes(),
                sent.alert_at.map(|at| at.0),
                sent.alerted,
                sent.answered_at.map(|at| at.0),
                sent.returned_at.map(|at| at.0)
            ],
        )?;
        Ok(())
    }

    /// What is in a batch, in its order.
    pub fn clearing_transaction_list(
        &mut self,
        batch: BatchId,
    ) -> Result<Vec<ClearingTransaction>, StoreError> {
        self.query(select!("WHERE batch = $1 ORDER BY position"), params![batch.as_bytes()], sent)
    }

    /// Whether the answer of any is overdue.
    pub fn clearing_transaction_is_overdue(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM clearing_transaction WHERE alert_at <= $1 LIMIT 1";
        Ok(self.query_opt(sql, params![now.0], |_| Ok(()))?.is_some())
    }

    /// Those whose answer is overdue, locked.
    pub fn clearing_transaction_overdue(
        &mut self,
        now: Timestamp,
    ) -> Result<Vec<ClearingTransaction>, StoreError> {
        self.query(
            select!("WHERE alert_at <= $1 ORDER BY alert_at, id LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now.0, SWEEP_ROWS],
            sent,
        )
    }

    /// Those whose overdue answer somebody was told of and that has not come since, oldest first.
    pub fn clearing_transaction_unanswered(
        &mut self,
        limit: i64,
    ) -> Result<Vec<ClearingTransaction>, StoreError> {
        self.query(
            select!("WHERE alerted = 1 AND answered_at IS NULL ORDER BY handed_over_at, id LIMIT $1"),
            params![limit],
            sent,
        )
    }
}

fn sent(row: &Row<'_>) -> Result<ClearingTransaction, StoreError> {
    Ok(ClearingTransaction {
        id: row.id(0, ClearingId::new)?,
        batch: row.id(1, BatchId::new)?,
        position: row.int(2)?,
        application: row.id(3, ApplicationId::new)?,
        payment: row.id(4, PaymentId::new)?,
        debtor_name: row.text(5)?,
        debtor_iban: row.named(6, |text| Iban::parse(text).ok())?,
        debtor_agent: row.named(7, |text| Bic::parse(text).ok())?,
        handed_over_at: Timestamp(row.int(8)?),
        alert_at: row.opt_int(9)?.map(Timestamp),
        alerted: row.bool(10)?,
        answered_at: row.opt_int(11)?.map(Timestamp),
        returned_at: row.opt_int(12)?.map(Timestamp),
    })
}
