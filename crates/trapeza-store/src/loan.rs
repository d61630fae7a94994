//! Loans and their contracts. Every query of a merchant names it.

mod document;
mod guest_session;
mod payer;
mod refund;
mod review;
mod servicing;

pub use document::{DocumentReader, LoanDocument};
pub use guest_session::GuestSession;
pub use payer::{LoanPayer, RefundPayment};
pub use refund::RefundRecord;
pub(crate) use review::declared_income;

use crate::error::{Required, StoreError};
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::basket::{BasketId, DeclineReason};
use trapeza_domain::id::{AccountId, LoanId, MerchantId, PsuId, ShopperId};
use trapeza_domain::installment::{Installment, Plan};
use trapeza_domain::loan::{
    Borrower, Contract, InstallmentState, Loan, LoanState, RepaymentStatus, ServicingDates,
};
use trapeza_domain::reference::CreditorReference;
use trapeza_domain::time::{Date, Timestamp};

/// How many loans one job of the sweep takes. Each needs several postings.
pub const LOAN_SWEEP_ROWS: i64 = 20;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, basket, merchant, application, currency, amount_minor, requested_at, decided_at,
                    last_action_at, status, decline_reason, open_principal_minor, refunded_minor, overdue_since,
                    repay_by, shopper, psu, account, installments, yearly_rate_basis_points, discount_minor,
                    signed_on, reminded_on, forbearance_offered_on, paused_on, extended_on
             FROM loan ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Inserts a loan that was just requested.
    pub fn loan_insert(&mut self, loan: &Loan) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO loan (id, basket, merchant, application, status, currency, amount_minor, requested_at,
                last_action_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                loan.id,
                loan.basket.number(),
                loan.merchant,
                loan.application,
                loan.state.name(),
                loan.amount.currency,
                loan.amount.minor,
                loan.requested_at,
                loan.last_action
            ],
        )?;
        Ok(())
    }

    pub fn loan_find(&mut self, merchant: MerchantId, id: LoanId) -> Result<Option<Loan>, StoreError> {
        let found =
            self.query_opt(select!("WHERE id = $1 AND merchant = $2"), params![id, merchant], loan)?;
        found.map(|loan| self.loan_with_schedule(loan)).transpose()
    }

    /// The same, locked until the transaction ends.
    pub fn loan_lock(&mut self, merchant: MerchantId, id: LoanId) -> Result<Option<Loan>, StoreError> {
        let found = self.query_opt(
            select!("WHERE id = $1 AND merchant = $2 FOR UPDATE"),
            params![id, merchant],
            loan,
        )?;
        found.map(|loan| self.loan_with_schedule(loan)).transpose()
    }

    /// Updates a loan after its credit decision: the contract with its schedule, or the decline reason, and the figures
    /// that the decision was based on.
    pub fn loan_decide(&mut self, loan: &Loan, inputs: &str) -> Result<(), StoreError> {
        self.execute("UPDATE loan SET decision_inputs = $2 WHERE id = $1", params![loan.id, inputs])?;
        if let LoanState::Granted { contract, .. } = &loan.state {
            self.loan_contract_insert(loan.id, contract, &loan.creditor_reference())?;
        }
        self.loan_update(loan)
    }

    fn loan_contract_insert(
        &mut self,
        id: LoanId,
        contract: &Contract,
        reference: &CreditorReference,
    ) -> Result<(), StoreError> {
        let borrower = contract.borrower;
        // The first thing to do is the reminder of the right of withdrawal.
        let next = borrower.map(|_| Date(contract.signed.0 + 1));
        self.execute(
            "UPDATE loan SET shopper = $2, psu = $3, account = $4, installments = $5, yearly_rate_basis_points = $6,
                discount_minor = $7, signed_on = $8, next_due_date = $9, creditor_reference = $10
             WHERE id = $1",
            params![
                id,
                borrower.map(|borrower| borrower.shopper),
                borrower.and_then(|borrower| borrower.psu),
                borrower.and_then(|borrower| borrower.account),
                contract.plan.installments,
                contract.plan.yearly_rate_bp,
                contract.discount_minor,
                contract.signed,
                // A loan without a borrower is a developer's test and is never repaid.
                next,
                reference.as_str()
            ],
        )?;
        for (number, installment) in (1_i64..).zip(&contract.schedule) {
            self.loan_installment_insert(id, &InstallmentState::new(number, *installment))?;
        }
        Ok(())
    }

    /// Updates the state. The contract never changes.
    pub fn loan_update(&mut self, loan: &Loan) -> Result<(), StoreError> {
        let reason = match loan.state {
            LoanState::Rejected { reason } => Some(reason.name()),
            _ => None,
        };
        let (open_minor, overdue_since) = match loan.state {
            LoanState::Granted { open_minor, repayment: RepaymentStatus::Overdue { since }, .. } => {
                (Some(open_minor), Some(since))
            }
            LoanState::Granted { open_minor, .. } => (Some(open_minor), None),
            _ => (None, None),
        };
        self.update_one(
            "loan",
            "UPDATE loan SET status = $3, decline_reason = $4, decided_at = $5, last_action_at = $6,
                open_principal_minor = $7, overdue_since = $8, refunded_minor = $9, repay_by = $10, reminded_on = $11,
                forbearance_offered_on = $12, paused_on = $13, extended_on = $14
             WHERE id = $1 AND merchant = $2",
            params![
                loan.id,
                loan.merchant,
                loan.state.name(),
                reason,
                loan.decided_at,
                loan.last_action,
                open_minor,
                overdue_since,
                loan.state.refunded_minor(),
                loan.repay_by(),
                loan.dates.reminded_on,
                loan.dates.offered_on,
                loan.dates.paused_on,
                loan.dates.extended_on
            ],
        )
    }

    /// Sets the language of messages to the borrower.
    pub fn loan_language_set(&mut self, id: LoanId, language: &str) -> Result<(), StoreError> {
        self.execute_deferred("UPDATE loan SET language = $2 WHERE id = $1", params![id, language])
    }

    pub fn loan_language(&mut self, id: LoanId) -> Result<Option<String>, StoreError> {
        self.query_one("SELECT language FROM loan WHERE id = $1", params![id], |row| {
            Ok(row.read::<Option<&str>>()?.map(str::to_owned))
        })
    }

    /// The figures that the credit decision was based on.
    pub fn loan_decision_inputs(&mut self, id: LoanId) -> Result<Option<String>, StoreError> {
        self.query_one("SELECT decision_inputs FROM loan WHERE id = $1", params![id], |row| {
            Ok(row.read::<Option<&str>>()?.map(str::to_owned))
        })
    }

    /// A loan of any merchant, for the operator and the sweep.
    pub fn loan_by_id(&mut self, id: LoanId) -> Result<Option<Loan>, StoreError> {
        let found = self.query_opt(select!("WHERE id = $1"), params![id], loan)?;
        found.map(|loan| self.loan_with_schedule(loan)).transpose()
    }

    /// The loan with this creditor reference, of any merchant.
    pub fn loan_by_reference(&mut self, reference: &CreditorReference) -> Result<Option<Loan>, StoreError> {
        let found =
            self.query_opt(select!("WHERE creditor_reference = $1"), params![reference.as_str()], loan)?;
        found.map(|loan| self.loan_with_schedule(loan)).transpose()
    }

    /// The same, locked until the transaction ends.
    pub fn loan_lock_by_reference(
        &mut self,
        reference: &CreditorReference,
    ) -> Result<Option<Loan>, StoreError> {
        let found = self.query_opt(
            select!("WHERE creditor_reference = $1 FOR UPDATE"),
            params![reference.as_str()],
            loan,
        )?;
        found.map(|loan| self.loan_with_schedule(loan)).transpose()
    }

    /// The loans that were granted to a customer, or to guests whose telephone number is this customer's, newest first.
    pub fn loan_list_by_psu(&mut self, psu: PsuId, limit: i64) -> Result<Vec<Loan>, StoreError> {
        let found = self.query(
            select!(
                "WHERE (psu = $1 OR (psu IS NULL AND shopper IN (SELECT id FROM shopper WHERE psu = $1)))
                   AND signed_on IS NOT NULL ORDER BY decided_at DESC, id LIMIT $2"
            ),
            params![psu, limit],
            loan,
        )?;
        found.into_iter().map(|loan| self.loan_with_schedule(loan)).collect()
    }

    /// Loans for which servicing has something to do by a date, locked, except those that are locked already.
    pub fn loan_due(&mut self, today: Date) -> Result<Vec<Loan>, StoreError> {
        let found = self.query(
            select!("WHERE next_due_date <= $1 ORDER BY next_due_date LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![today, LOAN_SWEEP_ROWS],
            loan,
        )?;
        found.into_iter().map(|loan| self.loan_with_schedule(loan)).collect()
    }

    /// The loans of a merchant whose baskets have a number below `before`, without their schedules, like [`Tx::basket_page_by_merchant`].
    pub fn loan_page_by_merchant(
        &mut self,
        merchant: MerchantId,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Loan>, StoreError> {
        self.query(
            select!(
                "WHERE merchant = $1 AND basket < $2 AND basket >= COALESCE(
                    (SELECT l.basket FROM loan l WHERE l.basket < $2 ORDER BY l.basket DESC LIMIT 1 OFFSET 10000), 0)
                 ORDER BY basket DESC LIMIT $3"
            ),
            params![merchant, before, limit],
            loan,
        )
    }

    /// Loans with a status, the last changed first, without their schedules, for the operator.
    pub fn loan_list(&mut self, status: &str, limit: i64) -> Result<Vec<Loan>, StoreError> {
        self.query(
            select!("WHERE status = $1 ORDER BY last_action_at DESC, id LIMIT $2"),
            params![status, limit],
            loan,
        )
    }

    fn loan_with_schedule(&mut self, mut loan: Loan) -> Result<Loan, StoreError> {
        if let LoanState::Granted { contract, .. } = &mut loan.state {
            contract.schedule = self.query(
                "SELECT principal_minor, interest_minor, agreed_due_date, agreed_payment_date
                 FROM loan_installment WHERE loan = $1 AND agreed_due_date IS NOT NULL ORDER BY number",
                params![loan.id],
                |row| {
                    Ok(Installment {
                        principal_minor: row.read()?,
                        interest_minor: row.read()?,
                        due: row.read()?,
                        payment: row.read()?,
                    })
                },
            )?;
        }
        Ok(loan)
    }
}

/// A loan without its schedule.
fn loan(row: &mut RowReader<'_>) -> Result<Loan, StoreError> {
    let mut loan = Loan {
        id: row.read()?,
        basket: BasketId::new(row.read()?),
        merchant: row.read()?,
        application: row.read()?,
        amount: row.money()?,
        requested_at: row.read()?,
        decided_at: row.read::<Option<Timestamp>>()?,
        last_action: row.read()?,
        state: state(row)?,
        dates: ServicingDates::default(),
    };
    // Only a granted loan has dates, and the columns of its contract are read.
    if matches!(loan.state, LoanState::Granted { .. }) {
        loan.dates = ServicingDates {
            reminded_on: row.read()?,
            offered_on: row.read()?,
            paused_on: row.read()?,
            extended_on: row.read()?,
        };
    }
    Ok(loan)
}

fn state(row: &mut RowReader<'_>) -> Result<LoanState, StoreError> {
    let status: &str = row.read()?;
    let reason = row.parse_opt(DeclineReason::parse)?;
    let (open_minor, refunded_minor): (Option<i64>, i64) = (row.read()?, row.read()?);
    let (overdue_since, repay_by): (Option<Date>, Option<Date>) = (row.read()?, row.read()?);
    let repayment = match status {
        "pending" => return Ok(LoanState::Pending),
        "rejected" => {
            return Ok(LoanState::Rejected { reason: reason.required("reason of a rejected loan")? });
        }
        "active" => RepaymentStatus::Active,
        "overdue" => RepaymentStatus::Overdue { since: overdue_since.required("overdue_since of a loan")? },
        "repaid" => RepaymentStatus::Repaid,
        "withdrawn" => RepaymentStatus::Withdrawn,
        "writtenOff" => RepaymentStatus::WrittenOff,
        _ => return Err(StoreError::internal("unknown status of a loan")),
    };
    let open_minor = open_minor.required("open principal of a granted loan")?;
    Ok(LoanState::Granted { contract: contract(row)?, repayment, open_minor, refunded_minor, repay_by })
}

/// A contract without its schedule.
fn contract(row: &mut RowReader<'_>) -> Result<Contract, StoreError> {
    let shopper: Option<ShopperId> = row.read()?;
    let (psu, account): (Option<PsuId>, Option<AccountId>) = (row.read()?, row.read()?);
    Ok(Contract {
        borrower: shopper.map(|shopper| Borrower { shopper, psu, account }),
        plan: Plan { installments: row.read()?, yearly_rate_bp: row.read()? },
        discount_minor: row.read()?,
        signed: row.read()?,
        schedule: Vec::new(),
    })
}
