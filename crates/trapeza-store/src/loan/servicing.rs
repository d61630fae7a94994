//! The installments of a loan while it is serviced. The caller has locked the loan.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::LoanId;
use trapeza_domain::installment::Installment;
use trapeza_domain::loan::InstallmentState;
use trapeza_domain::time::Date;

impl Tx<'_> {
    /// Whether servicing has something to do for any loan by a date.
    pub fn loan_is_due(&mut self, today: Date) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM loan WHERE next_due_date <= $1 LIMIT 1", params![today])
    }

    /// A loan's installments, in their order.
    pub fn loan_installment_list(&mut self, loan: LoanId) -> Result<Vec<InstallmentState>, StoreError> {
        self.query(
            "SELECT number, principal_minor, interest_minor, due_date, payment_date, interest_accrued,
                    collection_attempts, paid_principal_minor, paid_interest_minor, cancelled_minor, paid_on,
                    refunded_minor, waived_minor, deferred_minor, agreed_due_date, agreed_payment_date
             FROM loan_installment WHERE loan = $1 ORDER BY number",
            params![loan],
            installment,
        )
    }

    pub fn loan_installment_update(
        &mut self,
        loan: LoanId,
        installment: &InstallmentState,
    ) -> Result<(), StoreError> {
        self.execute_deferred(
            "UPDATE loan_installment SET interest_accrued = $3, collection_attempts = $4, paid_on = $5,
                refunded_minor = $6, waived_minor = $7, paid_principal_minor = $8, paid_interest_minor = $9,
                cancelled_minor = $10, deferred_minor = $11, due_date = $12, payment_date = $13
             WHERE loan = $1 AND number = $2",
            params![
                loan,
                installment.number,
                installment.accrued,
                i64::try_from(installment.attempts).map_err(StoreError::internal)?,
                installment.settled,
                installment.refunded_minor,
                installment.waived_minor,
                installment.paid_principal_minor,
                installment.paid_interest_minor,
                installment.cancelled_minor,
                installment.deferred_minor,
                installment.installment.due,
                installment.installment.payment
            ],
        )
    }

    /// Inserts an installment of which nothing is paid: of a contract, or of a longer plan.
    pub fn loan_installment_insert(
        &mut self,
        loan: LoanId,
        one: &InstallmentState,
    ) -> Result<(), StoreError> {
        self.execute_deferred(
            "INSERT INTO loan_installment (loan, number, principal_minor, interest_minor, due_date, payment_date,
                agreed_due_date, agreed_payment_date, interest_accrued, collection_attempts, paid_principal_minor,
                paid_interest_minor, cancelled_minor, refunded_minor, waived_minor, deferred_minor)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, FALSE, 0, 0, 0, 0, 0, 0, 0)",
            params![
                loan,
                one.number,
                one.installment.principal_minor,
                one.installment.interest_minor,
                one.installment.due,
                one.installment.payment,
                one.agreed.map(|(due, _)| due),
                one.agreed.map(|(_, payment)| payment)
            ],
        )
    }

    /// Sets when servicing has something to do next.
    pub fn loan_next_date_set(&mut self, loan: LoanId, next: Option<Date>) -> Result<(), StoreError> {
        self.execute_deferred("UPDATE loan SET next_due_date = $2 WHERE id = $1", params![loan, next])
    }
}

/// The agreed due date and payment date.
fn agreed(row: &mut RowReader<'_>) -> Result<Option<(Date, Date)>, StoreError> {
    let (due, payment): (Option<Date>, Option<Date>) = (row.read()?, row.read()?);
    Ok(due.zip(payment))
}

/// The stored principal and interest are as agreed; refunds, waived interest and deferred principal are subtracted.
fn installment(row: &mut RowReader<'_>) -> Result<InstallmentState, StoreError> {
    let mut installment = InstallmentState {
        number: row.read()?,
        installment: Installment {
            principal_minor: row.read()?,
            interest_minor: row.read()?,
            due: row.read()?,
            payment: row.read()?,
        },
        accrued: row.read()?,
        attempts: row.read()?,
        paid_principal_minor: row.read()?,
        paid_interest_minor: row.read()?,
        cancelled_minor: row.read()?,
        settled: row.read()?,
        refunded_minor: row.read()?,
        waived_minor: row.read()?,
        deferred_minor: row.read()?,
        agreed: agreed(row)?,
    };
    installment.installment.principal_minor -= installment.refunded_minor + installment.deferred_minor;
    installment.installment.interest_minor -= installment.waived_minor;
    Ok(installment)
}
