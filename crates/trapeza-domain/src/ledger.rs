//! The ledger's rules: which accounts there are, how a balance may move, what a hold can become, and which accounts
//! each event of the bank touches ([`posting`]). Sums only; names, texts and IBANs of a transaction are elsewhere.
//!
//! A transfer takes its amount from the debit account and gives it to the credit account, so that all accounts of a
//! currency sum to zero whatever happens. Customers', cards' and merchants' accounts keep a statement; the bank's
//! own accounts keep none, so that no row is touched by every payment.

mod account;
mod balance;
mod hold;
pub mod posting;
mod transfer;

pub use account::{LedgerAccount, LedgerAccountId, LedgerAccountKind};
pub use balance::{LedgerError, StatementBalance};
pub use hold::{Hold, HoldId, HoldState};
pub use transfer::{Entry, Transfer, TransferId};
