//! What banks say to each other through a clearing house: transfers, what became of them, and what comes back. How
//! that is written (ISO 20022) is the courier's; what is booked for it is the ledger's.

mod message;
mod sepa_charset;

pub use message::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer, PaymentReturns,
    ReportedStatus, StatusReport,
};
pub use sepa_charset::{sepa_reference, to_sepa_charset};

use crate::string_enum::string_enum;
use crate::time::TimeDelta;
use std::fmt;

/// A payment that clearing has not answered for so long is looked into by people. It is never given up by itself: the
/// money may be gone.
pub const STATUS_REPORT_TIMEOUT: TimeDelta = TimeDelta::hours(24);

/// Why a transfer was turned down or came back: a code of ISO's list, such as `AC04` (the account is closed).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReasonCode([u8; 4]);

impl ReasonCode {
    /// "Narrative": no code says it.
    pub const NARRATIVE: Self = Self(*b"NARR");
    /// There is no such account.
    pub const ACCOUNT_UNKNOWN: Self = Self(*b"AC01");
    pub const ACCOUNT_CLOSED: Self = Self(*b"AC04");
    pub const ACCOUNT_BLOCKED: Self = Self(*b"AC06");
    /// The account takes no such currency.
    pub const CURRENCY: Self = Self(*b"AM03");

    /// Four capitals and digits. The list has some shorter ones, for other kinds of messages.
    pub fn parse(text: &str) -> Option<Self> {
        let code: [u8; 4] = text.as_bytes().try_into().ok()?;
        let right = code.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        right.then_some(Self(code))
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReasonCode({self})")
    }
}

string_enum! {
    /// What a batch holds.
    pub enum BatchKind {
        CreditTransfers = "transfers",
        /// Money that came for nobody and goes back.
        PaymentReturns = "returns",
    }

    /// How far a batch is on its way out. Its message is prepared beside the place where clearing looks and then moved
    /// there, and both are written down, so that after a crash it is known which of them was the last.
    pub enum BatchState {
        Claimed = "claimed",
        Staged = "staged",
        Written = "written",
    }

    /// What became of a transfer that came in.
    pub enum IncomingState {
        Credited = "credited",
        /// There is nobody to give it to; it waits to go back.
        Suspended = "suspended",
        Returned = "returned",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_four_capitals_or_digits() {
        assert_eq!(ReasonCode::parse("AC04"), Some(ReasonCode::ACCOUNT_CLOSED));
        for odd in ["", "AC4", "AC045", "ac04", "AC 4", "ÄC0"] {
            assert_eq!(ReasonCode::parse(odd), None, "{odd}");
        }
    }
}
