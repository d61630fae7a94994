//! Payments: an order that a third party brings, and what becomes of it (§2.4, §3).
//!
//! The order is judged by its form alone. Whose the accounts are and whether the money is there comes out when the
//! customer has authorised it, and never before. Booking is the ledger's.

mod life;
mod matrix;
mod order;
mod vocabulary;

pub use life::{Cause, Changed, Payment, PaymentBirth, PaymentState};
pub use matrix::matrix;
pub use order::{Address, Fees, OrderParts, PaymentOrder, PaymentProduct, PaymentTerms};
pub use vocabulary::{CancellationStatus, TransactionStatus};
