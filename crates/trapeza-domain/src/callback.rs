//! Callbacks: what a merchant is told about a basket, and how often that is tried (RULES §7, Standard Webhooks).
//!
//! A callback is owed by whatever decided a basket, and is written down with it. How it is sent, signed and spelled is
//! not known here.

mod life;
mod matrix;

pub use life::{Birth, Callback, CallbackState, Changed, Jitter, Owed, TRIES};
pub use matrix::matrix;

use crate::id::LoanId;
use crate::money::Money;
use crate::named::named;

named! {
    /// What became of a basket.
    pub enum Kind {
        Approved = "approved",
        Declined = "declined",
        Expired = "expired",
    }
}

/// Which of a merchant's two addresses is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Success,
    Fail,
}

impl Kind {
    pub const fn door(self) -> Door {
        match self {
            Self::Approved => Door::Success,
            Self::Declined | Self::Expired => Door::Fail,
        }
    }
}

/// What a merchant is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub kind: Kind,
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
