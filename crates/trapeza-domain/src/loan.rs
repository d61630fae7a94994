//! Loans: requested at a checkout, granted by a contract, repaid in monthly installments (§2.6).
//!
//! The credit decision is in `credit`, bookings are in `ledger`.

mod forbearance;
mod refund;
mod review;
mod servicing;
mod state;
mod transfer;
mod transitions;

pub use forbearance::ServicingDates;
pub use refund::Refund;
pub use review::{
    DeclaredIncome, IncomeSource, LoanReview, MAX_TEXT_CHARS as REVIEW_TEXT_CHARACTERS, ReviewKind,
    ReviewStatus, ReviewTransition, review_text,
};
pub use servicing::{InstallmentState, PayoffQuote, withdrawable_until};
pub use state::{Borrower, Contract, Loan, LoanState, LoanStatus, NewLoan, RepaymentStatus, Transition};
pub use transfer::Allocation;
pub use transitions::transition_table;
