//! Messages exchanged with other banks through a clearing house: credit transfers, status reports and returns. The courier
//! serialises them (ISO 20022); the app books them.

mod message;
mod routing;
mod sepa_charset;

pub use message::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer, OriginalTransfer,
    Originator, PaymentReturns, ReportedStatus, StatusReport, TransferStatus,
};
pub use routing::{RoutingTable, is_sepa_country, sepa_countries};
pub use sepa_charset::{sepa_reference, to_sepa_charset};

use crate::string_enum::string_enum;
use crate::time::TimeDelta;
use std::fmt;

/// After this time without a status report an operator must investigate the payment. It is never rejected automatically,
/// because the money may have left the bank.
pub const STATUS_REPORT_TIMEOUT: TimeDelta = TimeDelta::hours(24);

/// How long the payee's bank may take to answer an instant payment.
pub const INSTANT_TIMEOUT: TimeDelta = TimeDelta::seconds(10);

/// Why a transfer was rejected or returned: an ISO 20022 external code such as `AC04` (closed account).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReasonCode([u8; 4]);

impl ReasonCode {
    /// "Narrative": no other code applies.
    pub const NARRATIVE: Self = Self(*b"NARR");
    /// The account does not exist.
    pub const ACCOUNT_UNKNOWN: Self = Self(*b"AC01");
    pub const ACCOUNT_CLOSED: Self = Self(*b"AC04");
    pub const ACCOUNT_BLOCKED: Self = Self(*b"AC06");
    /// The amount cannot be booked.
    pub const AMOUNT: Self = Self(*b"AM02");
    /// No bank is known for the IBAN.
    pub const NO_ROUTE: Self = Self(*b"RC01");
    /// No reason is given.
    pub const UNSPECIFIED: Self = Self(*b"MS03");
    /// The account does not accept the currency.
    pub const CURRENCY: Self = Self(*b"AM03");

    /// Four capital letters or digits. Shorter codes of the list are for other message types.
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
    /// The content of a batch.
    pub enum BatchKind {
        CreditTransfers = "transfers",
        /// Money without a recipient that goes back to its sender.
        PaymentReturns = "returns",
        /// One instant payment, which is not sent in a file.
        Instant = "instant",
    }

    /// Progress of an instant payment at clearing. It is recorded as sent before it is, so it is never sent twice.
    pub enum InstantState {
        Ready = "ready",
        /// It may have been sent, and its outcome is not known.
        Sent = "sent",
        /// Its outcome is known.
        Answered = "answered",
        /// It was rejected at its deadline. Clearing is still asked what became of it.
        TimedOut = "timed_out",
        /// Clearing settled it although it had been rejected at its deadline.
        Late = "late",
        /// Clearing did not say what became of it.
        Unresolved = "unresolved",
    }

    /// Progress of a batch on its way out. Its file is prepared in a temporary directory and then moved to the outgoing one;
    /// both steps are recorded, so that the last completed one is known after a crash.
    pub enum BatchState {
        Claimed = "claimed",
        Staged = "staged",
        Written = "written",
    }

    /// The outcome of an incoming transfer.
    pub enum IncomingState {
        Credited = "credited",
        /// It cannot be booked; the money waits on the suspense account until staff return or assign it.
        Suspended = "suspended",
        /// The money is on the suspense account and goes back with the next batch.
        Returning = "returning",
        Returned = "returned",
        /// Staff have booked it to an account or a loan.
        Assigned = "assigned",
    }

    /// What happens to an incoming transfer that cannot be booked.
    #[derive(Default)]
    pub enum UnmatchedPolicy {
        /// It goes back with the next batch.
        #[default]
        Return = "return",
        /// It stays on the suspense account until staff decide.
        Suspend = "suspend",
    }
}

impl UnmatchedPolicy {
    /// The state of a transfer that cannot be booked.
    pub const fn state(self) -> IncomingState {
        match self {
            Self::Return => IncomingState::Returning,
            Self::Suspend => IncomingState::Suspended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_code_has_four_capitals_or_digits() {
        assert_eq!(ReasonCode::parse("AC04"), Some(ReasonCode::ACCOUNT_CLOSED));
        for odd in ["", "AC4", "AC045", "ac04", "AC 4", "ÄC0"] {
            assert_eq!(ReasonCode::parse(odd), None, "{odd}");
        }
    }
}
