//! The ledger: its accounts, how balances and holds may change, and which accounts each business event touches
//! ([`posting`]). Names, texts and IBANs of a transaction are in `transaction`.
//!
//! A transfer debits one account and credits another by the same amount, so that all accounts of a currency sum to zero.
//! Accounts of customers, cards and merchants have a statement and a stored balance; the bank's own accounts have
//! neither, so that no row is updated by every payment.

mod account;
mod balance;
mod hold;
pub mod manual;
pub mod posting;
mod transfer;

pub use account::{LedgerAccount, LedgerAccountId, LedgerAccountKind};
pub use balance::{LedgerError, StatementBalance};
pub use hold::{Hold, HoldId, HoldState};
pub use transfer::{Entry, Transfer, TransferId};
