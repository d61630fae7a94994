//! Payments: an order from a third party and its processing (§2.4, §3).
//!
//! The order is validated by its form alone. Ownership of the accounts and available funds are checked after the customer
//! has authorised the payment, never before. The ledger books it.

mod bulk;
mod bulk_terms;
mod expiry;
mod order;
mod payee;
mod rejection;
mod repetition;
mod standing_order;
mod state;
mod status;
mod timing;
mod transitions;

pub use bulk::{BulkOrder, LineCounts, MAX_BULK_LINES};
pub use bulk_terms::{BulkTerms, LinesDigest};
pub use order::{Address, Fees, PaymentInstruction, PaymentOrder, PaymentOrderFields, PaymentProduct};
pub use payee::PayeeAccount;
pub use rejection::{PaymentRejection, RejectionReason};
pub use standing_order::{ExecutionRule, Frequency, Months, StandingOrder, StandingOrderFields};
pub use state::{NewPayment, Payment, PaymentState, Transition};
pub use status::{CancellationStatus, TransactionStatus};
pub use timing::{MAX_EXECUTION_DAYS_AHEAD, PaymentService, PaymentTiming, next_attempt};
pub use transitions::transition_table;
