//! A question put to the customer. The code that answers it is kept as a keyed hash only, and a new challenge voids
//! the old one: there is never more than one.

use crate::time::{TimeDelta, Timestamp};
use std::fmt;

/// How long a code is good.
pub const OTP_TTL: TimeDelta = TimeDelta::minutes(5);
/// How many answers to one challenge are looked at.
pub const OTP_MAX_ATTEMPTS: i64 = 3;

#[derive(Clone, PartialEq, Eq)]
pub struct Challenge {
    /// Random, so that the same code means something else in every challenge.
    pub nonce: [u8; 16],
    /// The keyed hash of the code, bound to the authorisation and what it is linked to.
    pub code_hash: [u8; 32],
    /// What the customer is shown: digits for a device, the number to match in the app; nothing for a text message.
    pub shown: Option<String>,
    pub sent_at: Timestamp,
    /// Answers so far, right or wrong.
    pub attempts: i64,
    /// How many challenges this authorisation has had, this one included.
    pub sends: i64,
}

impl Challenge {
    pub const fn ends_at(&self) -> Timestamp {
        self.sent_at.plus(OTP_TTL)
    }

    /// Whether an answer is still looked at.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.attempts < OTP_MAX_ATTEMPTS && now < self.ends_at()
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
    fn a_code_is_good_for_five_minutes_and_three_tries() {
        let fresh = Challenge {
            nonce: [1; 16],
            code_hash: [2; 32],
            shown: None,
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
