//! Callbacks: what a merchant is told about a basket, and how often that is tried (RULES §7, Standard Webhooks).
//!
//! A callback is owed by whatever decided a basket, and is written down with it. How it is sent, signed and spelled is
//! not known here.

mod state;
mod transitions;

pub use state::{Callback, CallbackState, CallbackStatus, Jitter, MAX_ATTEMPTS, NewCallback, Transition};
pub use transitions::transition_table;

use crate::id::LoanId;
use crate::money::Money;
use crate::string_enum::string_enum;

string_enum! {
    /// What became of a basket.
    pub enum CallbackKind {
        Approved = "approved",
        Declined = "declined",
        Expired = "expired",
    }
}

/// Which of a merchant's two addresses is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackEndpoint {
    Success,
    Fail,
}

impl CallbackKind {
    pub const fn endpoint(self) -> CallbackEndpoint {
        match self {
            Self::Approved => CallbackEndpoint::Success,
            Self::Declined | Self::Expired => CallbackEndpoint::Fail,
        }
    }
}

/// What a merchant is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackEvent {
    pub kind: CallbackKind,
    pub public_basket: String,
    /// The merchant's own number of the order.
    pub order: String,
    /// The id that the merchant created the basket with, as it was sent.
    pub request: String,
    /// Where there is a loan, or was to be one.
    pub loan: Option<LoanId>,
    /// What was financed.
    pub amount: Option<Money>,
    /// Why it was declined.
    pub reason: Option<String>,
    /// Grows with each event of a basket, so that a merchant can order what arrives out of turn.
    pub sequence: i64,
}
