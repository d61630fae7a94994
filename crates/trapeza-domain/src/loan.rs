//! Loans: what is asked for at a checkout, granted by a contract, and paid back month by month (§2.6).
//!
//! Whether one is granted is the credit decision's, what it moves in the books the ledger's.

mod refund;
mod servicing;
mod state;
mod transitions;

pub use refund::Refund;
pub use servicing::{InstallmentState, PayoffQuote};
pub use state::{Borrower, Contract, Loan, LoanState, LoanStatus, NewLoan, RepaymentStatus, Transition};
pub use transitions::transition_table;
