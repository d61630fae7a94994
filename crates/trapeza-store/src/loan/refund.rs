//! Refunds of loans. The caller has locked the loan.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::{ApplicationId, LoanId, RefundId};
use trapeza_domain::loan::Refund;
use trapeza_domain::time::Timestamp;

/// A refund as it was reported to the merchant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundRecord {
    pub id: RefundId,
    pub loan: LoanId,
    pub application: ApplicationId,
    /// The merchant's requestId, as it was sent.
    pub request_id: String,
    pub reason: Option<String>,
    pub refund: Refund,
    pub at: Timestamp,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, loan, application, request_id, reason, amount_minor, discount_minor, reduced_minor,
                    returned_minor, total_minor, refunded_at
             FROM loan_refund ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn refund_insert(&mut self, record: &RefundRecord) -> Result<(), StoreError> {
        let refund = &record.refund;
        self.execute_deferred(
            "INSERT INTO loan_refund (id, loan, application, request_id, reason, amount_minor, discount_minor,
                reduced_minor, returned_minor, total_minor, refunded_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            params![
                record.id,
                record.loan,
                record.application,
                &record.request_id,
                record.reason.as_deref(),
                refund.amount_minor,
                refund.discount_minor,
                refund.relieved_minor,
                refund.returned_minor,
                refund.total_minor,
                record.at
            ],
        )
    }

    /// The refunds of a loan, oldest first.
    pub fn refund_list(&mut self, loan: LoanId) -> Result<Vec<RefundRecord>, StoreError> {
        self.query(select!("WHERE loan = $1 ORDER BY total_minor"), params![loan], refund)
    }
}

fn refund(row: &mut RowReader<'_>) -> Result<RefundRecord, StoreError> {
    Ok(RefundRecord {
        id: row.read()?,
        loan: row.read()?,
        application: row.read()?,
        request_id: row.read()?,
        reason: row.read()?,
        refund: Refund {
            amount_minor: row.read()?,
            discount_minor: row.read()?,
            relieved_minor: row.read()?,
            returned_minor: row.read()?,
            total_minor: row.read()?,
        },
        at: row.read()?,
    })
}
