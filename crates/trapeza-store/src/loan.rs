//! Loans and their schedules as rows. Every statement of a merchant names it; what is asked about a customer names them.

mod refund;
mod servicing;

pub use refund::RefundRecord;

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::basket::{BasketId, DeclineReason};
use trapeza_domain::id::{AccountId, ApplicationId, LoanId, MerchantId, PsuId, ShopperId};
use trapeza_domain::installment::{Installment, Plan};
use trapeza_domain::loan::{Borrower, Contract, Loan, LoanState, RepaymentStatus};
use trapeza_domain::time::{Date, Timestamp};

/// The most loans that one job of the sweep takes. Each is several postings.
pub const LOAN_SWEEP_ROWS: i64 = 20;

/// The columns of a loan, in the order that `loan` reads them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, basket, merchant, application, status, currency, amount_minor, requested_at, decided_at,
                    last_action, reason, customer, psu, account, installments, yearly_rate_bp, discount_minor,
                    signed_day, open_minor, overdue_since, refunded_minor
             FROM loan ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Keeps a loan that was just asked for.
    pub fn loan_insert(&mut self, loan: &Loan) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO loan (id, basket, merchant, application, status, currency, amount_minor, requested_at,
                last_action)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                loan.id.as_bytes(),
                loan.basket.number(),
                loan.merchant.as_bytes(),
                loan.application.as_bytes(),
                loan.state.name(),
                loan.amount.currency.code(),
                loan.amount.minor,
                loan.requested_at.0,
                loan.last_action.0
            ],
        )?;
        Ok(())
    }

    pub fn loan_find(&mut self, merchant: MerchantId, id: LoanId) -> Result<Option<Loan>, StoreError> {
        let found = self.query_opt(
            select!("WHERE id = $1 AND merchant = $2"),
            params![id.as_bytes(), merchant.as_bytes()],
            loan,
        )?;
        self.loan_filled(found)
    }

    /// The same, and nobody else changes it before this transaction ends.
    pub fn loan_lock(&mut self, merchant: MerchantId, id: LoanId) -> Result<Option<Loan>, StoreError> {
        let found = self.query_opt(
            select!("WHERE id = $1 AND merchant = $2 FOR UPDATE"),
            params![id.as_bytes(), merchant.as_bytes()],
            loan,
        )?;
        self.loan_filled(found)
    }

    /// Writes what was decided, with the figures it was decided by: the contract with its schedule, or the reason.
    pub fn loan_decide(&mut self, loan: &Loan, inputs: &str) -> Result<(), StoreError> {
        self.execute("UPDATE loan SET inputs = $2 WHERE id = $1", params![loan.id.as_bytes(), inputs])?;
        if let LoanState::Granted { contract, .. } = &loan.state {
            self.loan_contract_save(loan.id, contract)?;
        }
        self.loan_update(loan)
    }

    fn loan_contract_save(&mut self, id: LoanId, contract: &Contract) -> Result<(), StoreError> {
        let borrower = contract.borrower;
        let (psu, account) = (borrower.and_then(|it| it.psu), borrower.and_then(|it| it.account));
        self.execute(
            "UPDATE loan SET customer = $2, psu = $3, account = $4, installments = $5, yearly_rate_bp = $6,
                discount_minor = $7, signed_day = $8, next_day = $9
             WHERE id = $1",
            params![
                id.as_bytes(),
                borrower.as_ref().map(|it| it.shopper.as_bytes()),
                psu.as_ref().map(PsuId::as_bytes),
                account.as_ref().map(AccountId::as_bytes),
                i64::from(contract.plan.installments),
                i64::from(contract.plan.yearly_rate_bp),
                contract.discount_minor,
                contract.signed.0,
                // What a developer only played is never paid back.
                borrower.and(contract.schedule.first()).map(|first| first.due.0)
            ],
        )?;
        for (number, one) in (1_i64..).zip(&contract.schedule) {
            self.execute_later(
                "INSERT INTO loan_installment (loan, number, principal_minor, interest_minor, due_day, payment_day)
                 VALUES ($1, $2, $3, $4, $5, $6)",
                params![
                    id.as_bytes(),
                    number,
                    one.principal_minor,
                    one.interest_minor,
                    one.due.0,
                    one.payment.0
                ],
            )?;
        }
        Ok(())
    }

    /// Writes how a loan stands. Its contract never changes.
    pub fn loan_update(&mut self, loan: &Loan) -> Result<(), StoreError> {
        let reason = match loan.state {
            LoanState::Rejected { reason } => Some(reason.name()),
            _ => None,
        };
        let (open_minor, since) = match loan.state {
            LoanState::Granted { open_minor, repayment: RepaymentStatus::Overdue { since }, .. } => {
                (Some(open_minor), Some(since.0))
            }
            LoanState::Granted { open_minor, .. } => (Some(open_minor), None),
            _ => (None, None),
        };
        let changed = self.execute(
            "UPDATE loan SET status = $3, reason = $4, decided_at = $5, last_action = $6, open_minor = $7,
                overdue_since = $8, refunded_minor = $9
             WHERE id = $1 AND merchant = $2",
            params![
                loan.id.as_bytes(),
                loan.merchant.as_bytes(),
                loan.state.name(),
                reason,
                loan.decided_at.map(|at| at.0),
                loan.last_action.0,
                open_minor,
                since,
                loan.state.refunded_minor()
            ],
        )?;
        if changed == 1 { Ok(()) } else { Err(StoreError::internal("a loan to be changed is gone")) }
    }

    /// For the operator and the sweep, who look at everybody's.
    pub fn loan_by_id(&mut self, id: LoanId) -> Result<Option<Loan>, StoreError> {
        let found = self.query_opt(select!("WHERE id = $1"), params![id.as_bytes()], loan)?;
        self.loan_filled(found)
    }

    /// The loans that were granted to a customer of the bank, signed in or by a telephone of theirs, newest first.
    pub fn loan_list_by_psu(&mut self, psu: PsuId, limit: i64) -> Result<Vec<Loan>, StoreError> {
        let found = self.query(
            select!(
                "WHERE (psu = $1 OR customer IN (SELECT id FROM customer WHERE psu = $1)) AND signed_day IS NOT NULL
                 ORDER BY decided_at DESC, id LIMIT $2"
            ),
            params![psu.as_bytes(), limit],
            loan,
        )?;
        let filled = found.into_iter().map(|loan| self.loan_filled(Some(loan)));
        Ok(filled.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// Loans of which something is due by that day, locked; those that somebody works on now are left for the next time.
    pub fn loan_due(&mut self, today: Date) -> Result<Vec<Loan>, StoreError> {
        let found = self.query(
            select!("WHERE next_day <= $1 ORDER BY next_day LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![today.0, LOAN_SWEEP_ROWS],
            loan,
        )?;
        let filled = found.into_iter().map(|loan| self.loan_filled(Some(loan)));
        Ok(filled.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The loans that last changed, in a state, for the operator; without their schedules.
    pub fn loan_list(&mut self, status: &str, limit: i64) -> Result<Vec<Loan>, StoreError> {
        self.query(
            select!("WHERE status = $1 ORDER BY last_action DESC, id LIMIT $2"),
            params![status, limit],
            loan,
        )
    }

    /// With its schedule, where it has a contract.
    fn loan_filled(&mut self, found: Option<Loan>) -> Result<Option<Loan>, StoreError> {
        let Some(mut loan) = found else { return Ok(None) };
        let id = loan.id;
        if let LoanState::Granted { contract, .. } = &mut loan.state {
            contract.schedule = self.query(
                "SELECT principal_minor, interest_minor, due_day, payment_day
                 FROM loan_installment WHERE loan = $1 ORDER BY number",
                params![id.as_bytes()],
                |row| {
                    Ok(Installment {
                        principal_minor: row.int(0)?,
                        interest_minor: row.int(1)?,
                        due: row.day(2)?,
                        payment: row.day(3)?,
                    })
                },
            )?;
        }
        Ok(Some(loan))
    }
}

/// A loan without its schedule.
fn loan(row: &Row<'_>) -> Result<Loan, StoreError> {
    Ok(Loan {
        id: row.id(0, LoanId::new)?,
        basket: BasketId::new(row.int(1)?),
        merchant: row.id(2, MerchantId::new)?,
        application: row.id(3, ApplicationId::new)?,
        amount: row.money(5, 6)?,
        state: state(row)?,
        requested_at: Timestamp(row.int(7)?),
        decided_at: row.opt_int(8)?.map(Timestamp),
        last_action: Timestamp(row.int(9)?),
    })
}

fn state(row: &Row<'_>) -> Result<LoanState, StoreError> {
    let repayment = match row.str(4)? {
        "pending" => return Ok(LoanState::Pending),
        "rejected" => return Ok(LoanState::Rejected { reason: row.named(10, DeclineReason::parse)? }),
        "active" => RepaymentStatus::Active,
        "overdue" => RepaymentStatus::Overdue { since: row.day(19)? },
        "repaid" => RepaymentStatus::Repaid,
        "withdrawn" => RepaymentStatus::Withdrawn,
        "writtenOff" => RepaymentStatus::WrittenOff,
        _ => return Err(StoreError::internal("a loan's status is unknown")),
    };
    let (open_minor, refunded_minor) = (row.int(18)?, row.int(20)?);
    Ok(LoanState::Granted { contract: contract(row)?, repayment, open_minor, refunded_minor })
}

fn contract(row: &Row<'_>) -> Result<Contract, StoreError> {
    let (psu, account) = (row.opt_id(12, PsuId::new)?, row.opt_id(13, AccountId::new)?);
    let shopper = row.opt_id(11, ShopperId::new)?;
    Ok(Contract {
        plan: Plan { installments: row.count(14)?, yearly_rate_bp: row.count(15)? },
        signed: row.day(17)?,
        borrower: shopper.map(|shopper| Borrower { shopper, psu, account }),
        discount_minor: row.int(16)?,
        schedule: Vec::<Installment>::new(),
    })
}
