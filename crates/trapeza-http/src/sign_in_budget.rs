//! The budget of failed sign-ins of an address, spent before the password is verified.
//!
//! An attempt takes from the budget when it begins, and gives it back when it succeeds. Many attempts at once therefore
//! cannot exceed the budget, and customers behind one address who know their passwords do not use it up. Each address has
//! the time at which its budget is full again (a generic cell rate algorithm).

use crate::network::network;
use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::TimeDelta;

const MINUTE: Duration = Duration::from_secs(60);

pub(crate) struct SignInBudget {
    /// The time in which one attempt is given back.
    interval: Duration,
    full_at: Mutex<HashMap<IpAddr, Instant>>,
}

/// An attempt that was taken from the budget.
#[must_use]
pub struct SignInAttempt<'a> {
    budget: &'a SignInBudget,
    address: IpAddr,
}

impl SignInBudget {
    pub(crate) fn new(failures_per_minute: NonZeroU32) -> Self {
        Self { interval: MINUTE / failures_per_minute.get(), full_at: Mutex::default() }
    }

    pub(crate) fn begin(&self, address: IpAddr, now: Instant) -> Result<SignInAttempt<'_>, Refusal> {
        let address = network(address);
        let mut addresses = self.lock();
        let full_at = addresses.entry(address).or_insert(now);
        let next = (*full_at).max(now) + self.interval;
        let excess = next.duration_since(now).saturating_sub(MINUTE);
        if !excess.is_zero() {
            let text = "too many failed sign-ins from this address; retry later";
            let micros = i64::try_from(excess.as_micros()).unwrap_or(i64::MAX);
            return Err(Refusal::new(RefusalReason::RateExceeded, text).retry_after(TimeDelta(micros)));
        }
        *full_at = next;
        Ok(SignInAttempt { budget: self, address })
    }

    /// Drops the addresses whose budget is full.
    pub(crate) fn prune(&self, now: Instant) {
        self.lock().retain(|_, full_at| *full_at > now);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Instant>> {
        // No operation under the lock can panic halfway.
        self.full_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SignInAttempt<'_> {
    /// Gives the attempt back: it succeeded, or no credential was verified.
    pub fn refund(self) {
        if let Some(full_at) = self.budget.lock().get_mut(&self.address) {
            *full_at = full_at.checked_sub(self.budget.interval).unwrap_or(*full_at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget() -> SignInBudget {
        SignInBudget::new(NonZeroU32::new(10).unwrap())
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn eleventh_attempt_within_a_minute_is_refused_for_its_address_only() {
        let (budget, now) = (budget(), Instant::now());
        for _ in 0..10 {
            let _attempt = budget.begin(address(1), now).unwrap();
        }
        let refusal = budget.begin(address(1), now).err().unwrap();
        assert_eq!(refusal.reason, RefusalReason::RateExceeded);
        assert_eq!(refusal.retry_after, Some(TimeDelta::seconds(6)));
        assert!(budget.begin(address(2), now).is_ok());
        assert!(budget.begin(address(1), now + Duration::from_secs(6)).is_ok());
    }

    #[test]
    fn successful_attempts_are_given_back() {
        let (budget, now) = (budget(), Instant::now());
        for _ in 0..100 {
            budget.begin(address(1), now).unwrap().refund();
        }
        for _ in 0..10 {
            let _attempt = budget.begin(address(1), now).unwrap();
        }
        assert!(budget.begin(address(1), now).is_err());
    }

    #[test]
    fn pruned_addresses_are_those_with_a_full_budget() {
        let (budget, now) = (budget(), Instant::now());
        let _spent = budget.begin(address(1), now).unwrap();
        budget.prune(now);
        assert_eq!(budget.lock().len(), 1);
        budget.prune(now + MINUTE);
        assert!(budget.lock().is_empty());
    }
}
