//! Payments: an order that a third party brings, and what becomes of it (§2.4, §3).
//!
//! The order is judged by its form alone. Whose the accounts are and whether the money is there comes out when the
//! customer has authorised it, and never before. Booking is the ledger's.

mod order;
mod state;
mod status;
mod transitions;

pub use order::{Address, Fees, PaymentInstruction, PaymentOrder, PaymentOrderFields, PaymentProduct};
pub use state::{NewPayment, Payment, PaymentState, RejectionReason, Transition};
pub use status::{CancellationStatus, TransactionStatus};
pub use transitions::transition_table;
