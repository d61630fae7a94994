//! What merchants gave back of loans, as rows. Each is written once; the loan itself is locked by whoever writes here.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::id::{ApplicationId, LoanId, RefundId};
use trapeza_domain::loan::Refund;
use trapeza_domain::time::Timestamp;

/// One refund, with whose it was and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundRecord {
    pub id: RefundId,
    pub loan: LoanId,
    pub application: ApplicationId,
    /// The merchant's own id of the call, as it was sent.
    pub request: String,
    pub reason: Option<String>,
    pub refund: Refund,
    pub at: Timestamp,
}

/// The columns of a refund, in the order that `refund` reads them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, loan, application, request, reason, amount_minor, discount_minor, relieved_minor,
                    returned_minor, total_minor, refunded_at
             FROM loan_refund ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn refund_insert(&mut self, record: &RefundRecord) -> Result<(), StoreError> {
        let refund = &record.refund;
        self.execute_later(
            "INSERT INTO loan_refund (id, loan, application, request, reason, amount_minor, discount_minor,
                relieved_minor, returned_minor, total_minor, refunded_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            params![
                record.id.as_bytes(),
                record.loan.as_bytes(),
                record.application.as_bytes(),
                &record.request,
                record.reason.as_deref(),
                refund.amount_minor,
                refund.discount_minor,
                refund.relieved_minor,
                refund.returned_minor,
                refund.total_minor,
                record.at.0
            ],
        )
    }

    /// A refund that an application made.
    pub fn refund_find(
        &mut self,
        application: ApplicationId,
        id: RefundId,
    ) -> Result<Option<RefundRecord>, StoreError> {
        self.query_opt(
            select!("WHERE id = $1 AND application = $2"),
            params![id.as_bytes(), application.as_bytes()],
            refund,
        )
    }

    /// What was refunded of a loan, oldest first.
    pub fn refund_list(&mut self, loan: LoanId) -> Result<Vec<RefundRecord>, StoreError> {
        self.query(select!("WHERE loan = $1 ORDER BY total_minor"), params![loan.as_bytes()], refund)
    }
}

fn refund(row: &Row<'_>) -> Result<RefundRecord, StoreError> {
    Ok(RefundRecord {
        id: row.id(0, RefundId::new)?,
        loan: row.id(1, LoanId::new)?,
        application: row.id(2, ApplicationId::new)?,
        request: row.text(3)?,
        reason: row.opt_text(4)?,
        refund: Refund {
            amount_minor: row.int(5)?,
            discount_minor: row.int(6)?,
            relieved_minor: row.int(7)?,
            returned_minor: row.int(8)?,
            total_minor: row.int(9)?,
        },
        at: Timestamp(row.int(10)?),
    })
}
