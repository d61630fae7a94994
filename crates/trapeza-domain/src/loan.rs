//! Loans: what is asked for at a checkout, granted by a contract, and paid back month by month (§2.6).
//!
//! Whether one is granted is the credit decision's, what it moves in the books the ledger's.

mod life;
mod matrix;
mod refund;
mod service;

pub use life::{Borrower, Changed, Contract, Loan, LoanBirth, LoanState, LoanStatus, Standing};
pub use matrix::matrix;
pub use refund::Refund;
pub use service::{Closing, Progress};
