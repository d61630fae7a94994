//! A challenge to the customer. Its OTP is stored as a keyed hash only, and a new challenge replaces the old one.

use super::throttle::SentMessages;
use crate::time::{TimeDelta, Timestamp};
use std::fmt;

/// How long an OTP is valid.
pub const OTP_TTL: TimeDelta = TimeDelta::minutes(5);
/// How many answers to one challenge are evaluated.
pub const MAX_OTP_ATTEMPTS: i64 = 3;

#[derive(Clone, PartialEq, Eq)]
pub struct Challenge {
    /// Random, so that the same OTP has a different hash in every challenge.
    pub nonce: [u8; 16],
    /// Keyed hash of the OTP, bound to the authorisation and its linking digest.
    pub code_hash: [u8; 32],
    /// What the customer sees: digits for a device, the number to match in the app; nothing for an SMS.
    pub display: Option<String>,
    pub sent_at: Timestamp,
    /// Answers so far, right or wrong.
    pub attempts: i64,
    /// Messages of this authorisation so far, including the one of this challenge.
    pub sends: i64,
}

impl Challenge {
    pub const fn ends_at(&self) -> Timestamp {
        self.sent_at.plus(OTP_TTL)
    }

    /// The messages that were sent up to this challenge.
    pub const fn sent_messages(&self, same_method: bool) -> SentMessages {
        SentMessages { count: self.sends, last_at: self.sent_at, same_method }
    }

    /// Whether an answer is still evaluated.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.attempts < MAX_OTP_ATTEMPTS && now < self.ends_at()
    }
}

impl fmt::Debug for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Challenge({} attempts, {} sends)", self.attempts, self.sends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenge_is_open_for_five_minutes_and_three_attempts() {
        let fresh = Challenge {
            nonce: [1; 16],
            code_hash: [2; 32],
            display: None,
            sent_at: Timestamp(0),
            attempts: 0,
            sends: 1,
        };
        let end = Timestamp(0).plus(TimeDelta::minutes(5));
        assert!(fresh.is_open(end.minus(TimeDelta(1))));
        assert!(!fresh.is_open(end));
        assert!(Challenge { attempts: 2, ..fresh.clone() }.is_open(Timestamp(0)));
        assert!(!Challenge { attempts: 3, ..fresh }.is_open(Timestamp(0)));
    }
}
