//! The states of a loan: requested, then rejected, or granted with a contract and repaid.

use super::ServicingDates;
use crate::audit_event::AuditEvent;
use crate::basket::{BasketId, DeclineReason};
use crate::id::{AccountId, ApplicationId, LoanId, MerchantId, PsuId, ShopperId};
use crate::installment::{Installment, Plan};
use crate::money::Money;
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::{Date, Timestamp};

string_enum! {
    /// The status that the merchant sees (§3). Repayment is between the customer and the bank.
    pub enum LoanStatus {
        Pending = "pending",
        Approved = "approved",
        Rejected = "rejected",
    }
}

/// The debtor, and the account from which installments are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Borrower {
    pub shopper: ShopperId,
    /// Present when the shopper signed in as a customer of the bank.
    pub psu: Option<PsuId>,
    /// The account from which installments are collected.
    pub account: Option<AccountId>,
}

/// What was agreed. It is immutable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    pub plan: Plan,
    /// The date of the contract in the bank's time zone.
    pub signed: Date,
    /// Absent when a merchant's developer simulated the approval.
    pub borrower: Option<Borrower>,
    /// The merchant's discount, which the bank retains.
    pub discount_minor: i64,
    /// The payment schedule with principal and interest.
    pub schedule: Vec<Installment>,
}

/// The repayment status of a granted loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepaymentStatus {
    Active,
    /// An installment has been unpaid since this date.
    Overdue {
        since: Date,
    },
    Repaid,
    /// The customer withdrew within the withdrawal period.
    Withdrawn,
    WrittenOff,
}

impl RepaymentStatus {
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Active | Self::Overdue { .. })
    }

    /// The status of a loan that is paid back: withdrawn when the customer withdrew and paid by transfer.
    pub(super) const fn closed(repay_by: Option<Date>) -> Self {
        match repay_by {
            Some(_) => Self::Withdrawn,
            None => Self::Repaid,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoanState {
    Pending,
    Rejected {
        reason: DeclineReason,
    },
    Granted {
        contract: Contract,
        repayment: RepaymentStatus,
        /// Outstanding principal.
        open_minor: i64,
        /// Total refunded by the merchant.
        refunded_minor: i64,
        /// Set when the customer withdrew and pays back by transfer: the date by which the loan must be paid back.
        repay_by: Option<Date>,
    },
}

impl LoanState {
    /// The stored name, also shown to operators.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Rejected { .. } => "rejected",
            Self::Granted { repayment: RepaymentStatus::Active, .. } => "active",
            Self::Granted { repayment: RepaymentStatus::Overdue { .. }, .. } => "overdue",
            Self::Granted { repayment: RepaymentStatus::Repaid, .. } => "repaid",
            Self::Granted { repayment: RepaymentStatus::Withdrawn, .. } => "withdrawn",
            Self::Granted { repayment: RepaymentStatus::WrittenOff, .. } => "writtenOff",
        }
    }

    /// Total refunded by the merchant.
    pub const fn refunded_minor(&self) -> i64 {
        match self {
            Self::Granted { refunded_minor, .. } => *refunded_minor,
            _ => 0,
        }
    }

    pub const fn status(&self) -> LoanStatus {
        match self {
            Self::Pending => LoanStatus::Pending,
            Self::Rejected { .. } => LoanStatus::Rejected,
            Self::Granted { .. } => LoanStatus::Approved,
        }
    }
}

/// The fields of a loan request.
#[derive(Clone, Copy, Debug)]
pub struct NewLoan {
    pub id: LoanId,
    pub basket: BasketId,
    pub application: ApplicationId,
    pub merchant: MerchantId,
    pub amount: Money,
    pub now: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loan {
    pub id: LoanId,
    pub basket: BasketId,
    pub application: ApplicationId,
    pub merchant: MerchantId,
    /// The financed amount.
    pub amount: Money,
    pub state: LoanState,
    pub requested_at: Timestamp,
    /// When it was granted or rejected.
    pub decided_at: Option<Timestamp>,
    pub last_action: Timestamp,
    pub dates: ServicingDates,
}

/// The changed loan and its audit event.
pub type Transition = (Loan, AuditEvent);

impl Loan {
    /// A shopper started the checkout.
    pub fn request(new: NewLoan) -> Transition {
        let NewLoan { id, basket, application, merchant, amount, now } = new;
        let loan = Self {
            id,
            basket,
            application,
            merchant,
            amount,
            state: LoanState::Pending,
            requested_at: now,
            decided_at: None,
            last_action: now,
            dates: ServicingDates::default(),
        };
        let event = loan.event("loan.requested").with("basket", basket);
        (loan, event)
    }

    /// The debtor of a granted loan.
    pub const fn borrower(&self) -> Option<Borrower> {
        match &self.state {
            LoanState::Granted { contract, .. } => contract.borrower,
            LoanState::Pending | LoanState::Rejected { .. } => None,
        }
    }

    pub fn grant(self, contract: Contract, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            LoanState::Pending => {
                let (repayment, open_minor) = (RepaymentStatus::Active, self.amount.minor);
                let state =
                    LoanState::Granted { contract, repayment, open_minor, refunded_minor: 0, repay_by: None };
                Ok(self.decided(state, now, "loan.granted"))
            }
            state => Err(out_of_state(&state)),
        }
    }

    pub fn reject(self, reason: DeclineReason, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            LoanState::Pending => {
                let (loan, event) = self.decided(LoanState::Rejected { reason }, now, "loan.rejected");
                Ok((loan, event.with("reason", reason.name())))
            }
            state => Err(out_of_state(&state)),
        }
    }

    fn decided(self, state: LoanState, now: Timestamp, action: &'static str) -> Transition {
        let loan = Self { state, decided_at: Some(now), last_action: now, ..self };
        let event = loan.event(action);
        (loan, event)
    }

    pub(super) fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "loan", self.id)
    }
}

pub(super) fn out_of_state(state: &LoanState) -> Refusal {
    Refusal::new(RefusalReason::StatusInvalid, format!("the loan is already {}", state.name()))
}
