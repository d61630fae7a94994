//! What becomes of a loan's installments, as rows; and when the next thing does. The loan itself is locked by whoever
//! writes here.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::LoanId;
use trapeza_domain::installment::Installment;
use trapeza_domain::loan::InstallmentState;
use trapeza_domain::time::Date;

impl Tx<'_> {
    /// Whether anything is due of any loan by that day.
    pub fn loan_is_due(&mut self, today: Date) -> Result<bool, StoreError> {
        let found =
            self.query_opt("SELECT 1 FROM loan WHERE next_day <= $1 LIMIT 1", params![today.0], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// A loan's installments in their order.
    pub fn loan_installment_list(&mut self, loan: LoanId) -> Result<Vec<InstallmentState>, StoreError> {
        self.query(
            "SELECT number, principal_minor, interest_minor, due_day, payment_day, accrued, tries, settled_day,
                    refunded_minor, waived_minor
             FROM loan_installment WHERE loan = $1 ORDER BY number",
            params![loan.as_bytes()],
            |row| {
                let (refunded_minor, waived_minor) = (row.int(8)?, row.int(9)?);
                Ok(InstallmentState {
                    number: row.int(0)?,
                    installment: Installment {
                        principal_minor: row.int(1)? - refunded_minor,
                        interest_minor: row.int(2)? - waived_minor,
                        due: row.day(3)?,
                        payment: row.day(4)?,
                    },
                    refunded_minor,
                    waived_minor,
                    accrued: row.bool(5)?,
                    attempts: usize::try_from(row.int(6)?).map_err(StoreError::internal)?,
                    settled: row.opt_int(7)?.map(|_| row.day(7)).transpose()?,
                })
            },
        )
    }

    pub fn loan_installment_update(
        &mut self,
        loan: LoanId,
        progress: &InstallmentState,
    ) -> Result<(), StoreError> {
        self.execute_later(
            "UPDATE loan_installment SET accrued = $3, tries = $4, settled_day = $5, refunded_minor = $6,
                waived_minor = $7
             WHERE loan = $1 AND number = $2",
            params![
                loan.as_bytes(),
                progress.number,
                progress.accrued,
                i64::try_from(progress.attempts).map_err(StoreError::internal)?,
                progress.settled.map(|day| day.0),
                progress.refunded_minor,
                progress.waived_minor
            ],
        )
    }

    /// Notes when the next thing becomes due of a loan.
    pub fn loan_next_date_set(&mut self, loan: LoanId, next: Option<Date>) -> Result<(), StoreError> {
        self.execute_later(
            "UPDATE loan SET next_day = $2 WHERE id = $1",
            params![loan.as_bytes(), next.map(|day| day.0)],
        )
    }
}
