//! Callbacks: signed webhooks that report the outcome of a basket to its merchant (Standard Webhooks), and notifications of third
//! parties about a changed status (Berlin Group).
//!
//! A callback is enqueued in the transaction of its cause. The app renders its body; the courier signs and sends it.

mod state;
mod transitions;

pub use state::{Callback, CallbackState, CallbackStatus, Jitter, MAX_ATTEMPTS, NewCallback, Transition};
pub use transitions::transition_table;

use crate::id::LoanId;
use crate::money::Money;
use crate::string_enum::string_enum;

string_enum! {
    /// The outcome of a basket.
    pub enum CallbackKind {
        Approved = "approved",
        Declined = "declined",
        Expired = "expired",
    }
}

/// Which of the merchant's two callback URLs is called.
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

/// What a callback reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackTopic {
    /// The outcome of a basket.
    Basket(CallbackKind),
    /// The changed status of a payment or consent.
    Status,
}

impl CallbackTopic {
    /// The name as it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basket(kind) => kind.name(),
            Self::Status => "status",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "status" => Some(Self::Status),
            name => CallbackKind::parse(name).map(Self::Basket),
        }
    }

    /// The merchant's URL to which it is sent; a notification has an address of its own.
    pub const fn endpoint(self) -> Option<CallbackEndpoint> {
        match self {
            Self::Basket(kind) => Some(kind.endpoint()),
            Self::Status => None,
        }
    }
}

/// The content of a callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackEvent {
    pub kind: CallbackKind,
    pub public_basket: String,
    /// The merchant's own order number.
    pub order: String,
    /// The request id with which the merchant created the basket.
    pub request: String,
    /// The loan, when the checkout was opened.
    pub loan: Option<LoanId>,
    /// The financed amount.
    pub amount: Option<Money>,
    /// Why the basket was declined.
    pub reason: Option<String>,
    /// The basket's own endpoint, instead of the application's.
    pub address: Option<String>,
    /// Increases with each event of a basket, so that a merchant can order events that arrive out of order.
    pub sequence: i64,
}
