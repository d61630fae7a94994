//! The payments that are due: to be executed, or to be submitted to clearing.

use crate::error::StoreError;
use crate::params;
use crate::payment::{PAYMENT_SWEEP_ROWS, payment, select_payment};
use crate::tx::Tx;
use trapeza_domain::id::PaymentId;
use trapeza_domain::payment::Payment;
use trapeza_domain::time::Timestamp;

/// How many scheduled payments one transaction executes.
const PAYMENT_EXECUTION_ROWS: i64 = 25;

/// The first payment of a customer that is at clearing. A bulk payment has this status as well, but its lines are what is at clearing.
pub const SUBMITTED_PAYMENT: &str = "SELECT p.id FROM payment p
     WHERE p.psu_login = $1 AND p.status = 'ACSP'
       AND EXISTS (SELECT 1 FROM clearing_transaction c WHERE c.payment = p.id)
     ORDER BY p.id LIMIT 1";

impl Tx<'_> {
    /// A payment of a customer that is accepted and waits for its submission to clearing.
    pub fn payment_unsubmitted(&mut self, login: &str) -> Result<Option<PaymentId>, StoreError> {
        self.query_opt(
            "SELECT id FROM payment WHERE submit_at IS NOT NULL AND psu_login = $1 ORDER BY id LIMIT 1",
            params![login],
            |row| row.read(),
        )
    }

    /// A payment of a customer that was submitted to clearing and is neither settled nor rejected. An instant payment that was rejected
    /// at its deadline is not one, although clearing may still answer: what is settled then is paid by the bank.
    pub fn submitted_payment(&mut self, login: &str) -> Result<Option<PaymentId>, StoreError> {
        self.query_opt(SUBMITTED_PAYMENT, params![login], |row| row.read())
    }

    /// Whether scheduled payments are due to be executed.
    pub fn payment_execution_is_due(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        self.exists(
            "SELECT 1 FROM payment
             WHERE execute_at <= $1 AND (cancellation_hold_until IS NULL OR cancellation_hold_until <= $1) LIMIT 1",
            params![now],
        )
    }

    /// The ids of the scheduled payments that are due to be executed.
    pub fn payment_execution_list(&mut self, now: Timestamp) -> Result<Vec<PaymentId>, StoreError> {
        self.query(
            "SELECT id FROM payment
             WHERE execute_at <= $1 AND (cancellation_hold_until IS NULL OR cancellation_hold_until <= $1)
             ORDER BY execute_at, id LIMIT $2",
            params![now, PAYMENT_SWEEP_ROWS],
            |row| row.read(),
        )
    }

    /// The scheduled payments that are due to be executed, or one of them, locked, except those that are locked already.
    pub fn payment_execution_due(
        &mut self,
        now: Timestamp,
        only: Option<PaymentId>,
    ) -> Result<Vec<Payment>, StoreError> {
        if let Some(id) = only {
            return self.query(
                select_payment!(
                    "WHERE id = $2 AND execute_at <= $1
                       AND (cancellation_hold_until IS NULL OR cancellation_hold_until <= $1) FOR UPDATE SKIP LOCKED"
                ),
                params![now, id],
                payment,
            );
        }
        self.query(
            select_payment!(
                "WHERE execute_at <= $1 AND (cancellation_hold_until IS NULL OR cancellation_hold_until <= $1)
                 ORDER BY execute_at, id LIMIT $2 FOR UPDATE SKIP LOCKED"
            ),
            params![now, PAYMENT_EXECUTION_ROWS],
            payment,
        )
    }

    /// Whether payments are due to be submitted to clearing.
    pub fn payment_submission_is_due(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        self.exists(
            "SELECT 1 FROM payment
             WHERE submit_at <= $1 AND (cancellation_hold_until IS NULL OR cancellation_hold_until <= $1) LIMIT 1",
            params![now],
        )
    }

    /// The payments that are due to be submitted, locked, except those that are locked already.
    pub fn payment_submission_due(&mut self, now: Timestamp) -> Result<Vec<Payment>, StoreError> {
        self.query(
            select_payment!(
                "WHERE submit_at <= $1 AND (cancellation_hold_until IS NULL OR cancellation_hold_until <= $1)
                 ORDER BY submit_at, id LIMIT $2 FOR UPDATE SKIP LOCKED"
            ),
            params![now, PAYMENT_SWEEP_ROWS],
            payment,
        )
    }
}
