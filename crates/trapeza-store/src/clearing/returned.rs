//! Returns of payments. A payment may come back in parts, each under the returning bank's own id.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::{ClearingId, PaymentId};
use trapeza_domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnRecord {
    pub clearing_transaction: ClearingId,
    pub message_id: String,
    /// Empty when the returning bank gave none.
    pub return_id: String,
    pub amount_minor: i64,
    pub received_at: Timestamp,
}

impl Tx<'_> {
    pub fn clearing_return_insert(&mut self, returned: &ReturnRecord) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO clearing_return (clearing_transaction, message_id, return_id, amount_minor, received_at)
             VALUES ($1, $2, $3, $4, $5)",
            params![
                returned.clearing_transaction,
                &returned.message_id,
                &returned.return_id,
                returned.amount_minor,
                returned.received_at
            ],
        )?;
        Ok(())
    }

    /// How much has come back of a payment.
    pub fn payment_returned_minor(&mut self, payment: PaymentId) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT CAST(COALESCE(SUM(r.amount_minor), 0) AS BIGINT)
             FROM clearing_transaction t JOIN clearing_return r ON r.clearing_transaction = t.id
             WHERE t.payment = $1",
            params![payment],
            |row| row.read(),
        )
    }

    /// What has come back of a payment, oldest first. The clearing transaction is locked by the caller.
    pub fn clearing_return_list(
        &mut self,
        clearing_transaction: ClearingId,
    ) -> Result<Vec<ReturnRecord>, StoreError> {
        self.query(
            "SELECT clearing_transaction, message_id, return_id, amount_minor, received_at FROM clearing_return
             WHERE clearing_transaction = $1 ORDER BY received_at, message_id, return_id",
            params![clearing_transaction],
            |row| {
                Ok(ReturnRecord {
                    clearing_transaction: row.read()?,
                    message_id: row.read()?,
                    return_id: row.read()?,
                    amount_minor: row.read()?,
                    received_at: row.read()?,
                })
            },
        )
    }
}
