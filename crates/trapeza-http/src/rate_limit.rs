//! How often one may call: so many calls a second for each application, so many failed authentications a minute for
//! each address. Kept in memory: after a restart everybody begins anew, which harms nobody.

use crate::settings::Rates;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::Hash;
use std::net::IpAddr;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::TimeDelta;

pub struct Limits(Option<Limiters>);

struct Limiters {
    calls: DefaultKeyedRateLimiter<ApplicationId>,
    failures: DefaultKeyedRateLimiter<IpAddr>,
}

impl Limits {
    pub fn new(rates: Option<Rates>) -> Self {
        Self(rates.map(|rates| Limiters {
            calls: RateLimiter::keyed(Quota::per_second(rates.per_second).allow_burst(rates.burst)),
            failures: RateLimiter::keyed(Quota::per_minute(rates.failures_per_minute)),
        }))
    }

    /// One more call of an application.
    pub fn call(&self, application: ApplicationId) -> Result<(), Refusal> {
        self.0.as_ref().map_or(Ok(()), |limiters| {
            spend(&limiters.calls, &application, "too many calls at once; wait a moment and go on slower")
        })
    }

    /// One more failed authentication from an address. A whole IPv6 network counts as one.
    pub fn failure(&self, address: IpAddr) -> Result<(), Refusal> {
        let address = match address {
            IpAddr::V6(v6) if v6.to_ipv4_mapped().is_none() => {
                let [a, b, c, d, ..] = v6.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
            other => other.to_canonical(),
        };
        self.0.as_ref().map_or(Ok(()), |limiters| {
            spend(&limiters.failures, &address, "too many failed authentications from this address")
        })
    }

    /// Forgets those who have not called for a while.
    pub fn tidy(&self) {
        if let Some(limiters) = &self.0 {
            limiters.calls.retain_recent();
            limiters.failures.retain_recent();
        }
    }
}

fn spend<K: Clone + Eq + Hash>(
    limiter: &DefaultKeyedRateLimiter<K>,
    key: &K,
    text: &str,
) -> Result<(), Refusal> {
    limiter.check_key(key).map_err(|wait| {
        let wait = wait.wait_time_from(DefaultClock::default().now());
        let micros = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
        Refusal::new(RefusalReason::RateExceeded, text).retry_after(TimeDelta(micros))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    #[test]
    fn a_burst_passes_and_the_next_waits_while_others_go_on() {
        let three = NonZeroU32::new(3).unwrap();
        let limits = Limits::new(Some(Rates {
            per_second: NonZeroU32::MIN,
            burst: three,
            failures_per_minute: three,
        }));
        let (one, other) =
            (ApplicationId::new(uuid::Uuid::from_u128(1)), ApplicationId::new(uuid::Uuid::from_u128(2)));
        for _ in 0..3 {
            limits.call(one).unwrap();
        }
        let refusal = limits.call(one).unwrap_err();
        assert_eq!(refusal.reason, RefusalReason::RateExceeded);
        assert!(refusal.retry_after.is_some_and(|after| after.0 > 0));
        limits.call(other).unwrap();
    }

    #[test]
    fn one_network_of_ipv6_counts_as_one_address() {
        let one = NonZeroU32::MIN;
        let limits = Limits::new(Some(Rates { per_second: one, burst: one, failures_per_minute: one }));
        limits.failure("2001:db8::1".parse().unwrap()).unwrap();
        assert!(limits.failure("2001:db8::2".parse().unwrap()).is_err());
        limits.failure("2001:db8:1::1".parse().unwrap()).unwrap();
    }
}
