//! Rate limits: requests per second of an application, failed authentications per minute of an address.
//!
//! The counters are in memory and start empty after a restart.

use crate::network::network;
use crate::settings::RateLimitSettings;
use crate::sign_in_budget::{SignInAttempt, SignInBudget};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use metrics::{Counter, counter};
use std::hash::Hash;
use std::net::IpAddr;
use std::time::Instant;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::TimeDelta;

pub struct RateLimiter(Option<Limiters>);

struct Limiters {
    requests: DefaultKeyedRateLimiter<ApplicationId>,
    failures: DefaultKeyedRateLimiter<IpAddr>,
    sign_ins: SignInBudget,
    limited: LimitedCounters,
}

/// How often each limit was hit.
struct LimitedCounters {
    requests: Counter,
    failures: Counter,
    sign_ins: Counter,
}

impl LimitedCounters {
    fn new() -> Self {
        let limited = |limit: &'static str| counter!("trapeza_rate_limited_total", "limit" => limit);
        Self {
            requests: limited("requests"),
            failures: limited("failed_authentications"),
            sign_ins: limited("sign_ins"),
        }
    }
}

impl RateLimiter {
    pub fn new(settings: Option<RateLimitSettings>) -> Self {
        Self(settings.map(|settings| Limiters {
            requests: DefaultKeyedRateLimiter::keyed(
                Quota::per_second(settings.per_second).allow_burst(settings.burst),
            ),
            failures: DefaultKeyedRateLimiter::keyed(Quota::per_minute(settings.failures_per_minute)),
            sign_ins: SignInBudget::new(settings.failures_per_minute),
            limited: LimitedCounters::new(),
        }))
    }

    /// Counts a request of an application; refuses it when the rate is exceeded.
    pub fn check_request(&self, application: ApplicationId) -> Result<(), Refusal> {
        self.0.as_ref().map_or(Ok(()), |limiters| {
            check(&limiters.requests, &application, "too many requests; retry later and send fewer")
                .inspect_err(|_| limiters.limited.requests.increment(1))
        })
    }

    /// Counts a failed authentication from an address. An IPv6 /64 network counts as one address.
    pub fn record_failure(&self, address: IpAddr) -> Result<(), Refusal> {
        self.0.as_ref().map_or(Ok(()), |limiters| {
            check(
                &limiters.failures,
                &network(address),
                "too many failed authentications from this address; retry later",
            )
            .inspect_err(|_| limiters.limited.failures.increment(1))
        })
    }

    /// Counts an attempt to sign in on a page before its password is verified: over the budget, a right password is refused
    /// like a wrong one. `None` when the limits are off.
    pub fn begin_sign_in(&self, address: IpAddr) -> Result<Option<SignInAttempt<'_>>, Refusal> {
        let Some(limiters) = &self.0 else { return Ok(None) };
        let attempt = limiters.sign_ins.begin(address, Instant::now());
        attempt.map(Some).inspect_err(|_| limiters.limited.sign_ins.increment(1))
    }

    /// Drops the counters of idle keys.
    pub fn prune(&self) {
        if let Some(limiters) = &self.0 {
            limiters.requests.retain_recent();
            limiters.failures.retain_recent();
            limiters.sign_ins.prune(Instant::now());
        }
    }
}

fn check<K: Clone + Eq + Hash>(
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
    fn request_after_the_burst_is_refused_for_its_application_only() {
        let three = NonZeroU32::new(3).unwrap();
        let limiter = RateLimiter::new(Some(RateLimitSettings {
            per_second: NonZeroU32::MIN,
            burst: three,
            failures_per_minute: three,
        }));
        let (one, other) =
            (ApplicationId::new(uuid::Uuid::from_u128(1)), ApplicationId::new(uuid::Uuid::from_u128(2)));
        for _ in 0..3 {
            limiter.check_request(one).unwrap();
        }
        let refusal = limiter.check_request(one).unwrap_err();
        assert_eq!(refusal.reason, RefusalReason::RateExceeded);
        assert!(refusal.retry_after.is_some_and(|after| after.0 > 0));
        limiter.check_request(other).unwrap();
    }

    #[test]
    fn ipv6_network_counts_as_one_address() {
        let one = NonZeroU32::MIN;
        let limiter = RateLimiter::new(Some(RateLimitSettings {
            per_second: one,
            burst: one,
            failures_per_minute: one,
        }));
        limiter.record_failure("2001:db8::1".parse().unwrap()).unwrap();
        assert!(limiter.record_failure("2001:db8::2".parse().unwrap()).is_err());
        limiter.record_failure("2001:db8:1::1".parse().unwrap()).unwrap();
    }
}
