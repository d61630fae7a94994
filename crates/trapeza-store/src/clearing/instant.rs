//! Instant payments at clearing: each is a clearing transaction of its own with a deadline.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::clearing::InstantState;
use trapeza_domain::id::ClearingId;
use trapeza_domain::time::Timestamp;

/// How many submissions one job takes.
const CLAIMED_ROWS: i64 = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstantSubmission {
    pub clearing_transaction: ClearingId,
    pub state: InstantState,
    pub deadline_at: Timestamp,
    /// When there is something to do for it.
    pub next_at: Option<Timestamp>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT clearing_transaction, status, deadline_at, next_at FROM instant_submission ", $rest)
    };
}

impl Tx<'_> {
    pub fn instant_submission_insert(&mut self, submission: &InstantSubmission) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO instant_submission (clearing_transaction, status, deadline_at, next_at)
             VALUES ($1, $2, $3, $4)",
            params![
                submission.clearing_transaction,
                submission.state.name(),
                submission.deadline_at,
                submission.next_at
            ],
        )?;
        Ok(())
    }

    /// Updates state and next step. The deadline never changes.
    pub fn instant_submission_update(&mut self, submission: &InstantSubmission) -> Result<(), StoreError> {
        self.update_one(
            "instant submission",
            "UPDATE instant_submission SET status = $2, next_at = $3 WHERE clearing_transaction = $1",
            params![submission.clearing_transaction, submission.state.name(), submission.next_at],
        )
    }

    /// The submission of an instant payment, locked; `None` for every other clearing transaction.
    pub fn instant_submission_lock(
        &mut self,
        clearing_transaction: ClearingId,
    ) -> Result<Option<InstantSubmission>, StoreError> {
        self.query_opt(
            select!("WHERE clearing_transaction = $1 FOR UPDATE"),
            params![clearing_transaction],
            submission,
        )
    }

    /// Whether there is something to do for any instant payment.
    pub fn instant_submission_is_due(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM instant_submission WHERE next_at <= $1 LIMIT 1", params![now])
    }

    /// The submissions for which there is something to do, locked, except those that are locked already.
    pub fn instant_submission_due(&mut self, now: Timestamp) -> Result<Vec<InstantSubmission>, StoreError> {
        self.query(
            select!(
                "WHERE next_at <= $1 ORDER BY next_at, clearing_transaction LIMIT $2 FOR UPDATE SKIP LOCKED"
            ),
            params![now, CLAIMED_ROWS],
            submission,
        )
    }
}

fn submission(row: &mut RowReader<'_>) -> Result<InstantSubmission, StoreError> {
    Ok(InstantSubmission {
        clearing_transaction: row.read()?,
        state: row.parse(InstantState::parse)?,
        deadline_at: row.read()?,
        next_at: row.read()?,
    })
}
