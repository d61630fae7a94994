//! Budgets of payee verification. A third party can verify a payee without any customer, so that without budgets it could
//! find out which accounts exist and who owns them.
//!
//! Only mismatches count: whose name matches was known before, and a popular payee is verified often. When a budget is spent,
//! names are not compared for the rest of the hour. The counters are in memory and start empty after a restart.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::reference::Iban;

const WINDOW: Duration = Duration::from_secs(3600);

/// How many mismatches are reported in an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayeeLimits {
    /// To one third party.
    pub per_application: NonZeroU32,
    /// About one account, to all third parties.
    pub per_iban: NonZeroU32,
}

#[derive(Debug)]
pub(crate) struct PayeeBudget {
    limits: PayeeLimits,
    spent: Mutex<HashMap<Subject, Spent>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Subject {
    Application(ApplicationId),
    Iban(Iban),
}

#[derive(Clone, Copy, Debug)]
struct Spent {
    since: Instant,
    mismatches: u32,
}

impl PayeeBudget {
    pub(crate) fn new(limits: PayeeLimits) -> Self {
        Self { limits, spent: Mutex::default() }
    }

    /// Whether one of the two budgets is spent.
    pub(crate) fn is_spent(&self, application: ApplicationId, iban: Iban, now: Instant) -> bool {
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        self.subjects(application, iban).into_iter().any(|(subject, limit)| {
            spent.get(&subject).is_some_and(|spent| spent.is_current(now) && spent.mismatches >= limit)
        })
    }

    /// Counts a mismatch that was reported.
    pub(crate) fn record(&self, application: ApplicationId, iban: Iban, now: Instant) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        for (subject, _) in self.subjects(application, iban) {
            let counter = spent.entry(subject).or_insert(Spent { since: now, mismatches: 0 });
            if !counter.is_current(now) {
                *counter = Spent { since: now, mismatches: 0 };
            }
            counter.mismatches = counter.mismatches.saturating_add(1);
        }
    }

    /// Drops the counters of earlier hours.
    pub(crate) fn prune(&self, now: Instant) {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, spent| spent.is_current(now));
    }

    fn subjects(&self, application: ApplicationId, iban: Iban) -> [(Subject, u32); 2] {
        [
            (Subject::Application(application), self.limits.per_application.get()),
            (Subject::Iban(iban), self.limits.per_iban.get()),
        ]
    }
}

impl Spent {
    fn is_current(&self, now: Instant) -> bool {
        now.duration_since(self.since) < WINDOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn budget_is_spent_per_application_and_per_iban_for_an_hour() {
        let limit = |n| NonZeroU32::new(n).unwrap();
        let budget = PayeeBudget::new(PayeeLimits { per_application: limit(3), per_iban: limit(2) });
        let (one, other) = (ApplicationId::new(Uuid::from_u128(1)), ApplicationId::new(Uuid::from_u128(2)));
        let [first, second] =
            ["GR1601101250000000012300695", "DE89370400440532013000"].map(|iban| Iban::parse(iban).unwrap());
        let now = Instant::now();
        budget.record(one, first, now);
        assert!(!budget.is_spent(one, first, now));
        budget.record(one, first, now);
        assert!(
            budget.is_spent(one, first, now) && budget.is_spent(other, first, now),
            "the account's budget"
        );
        assert!(!budget.is_spent(one, second, now));
        budget.record(one, second, now);
        assert!(budget.is_spent(one, second, now), "the third party's budget");
        assert!(!budget.is_spent(other, second, now));
        budget.prune(now);
        assert!(budget.is_spent(one, second, now));
        assert!(!budget.is_spent(one, first, now + WINDOW));
    }

    #[test]
    fn mismatches_of_another_hour_spend_its_budget() {
        let limit = |n| NonZeroU32::new(n).unwrap();
        let budget = PayeeBudget::new(PayeeLimits { per_application: limit(2), per_iban: limit(9) });
        let one = ApplicationId::new(Uuid::from_u128(1));
        let iban = Iban::parse("GR1601101250000000012300695").unwrap();
        let (now, later) = (Instant::now(), Instant::now() + WINDOW);
        budget.record(one, iban, now);
        budget.record(one, iban, later);
        assert!(!budget.is_spent(one, iban, later), "the first one is over");
        budget.record(one, iban, later);
        assert!(budget.is_spent(one, iban, later));
        assert!(!budget.is_spent(one, iban, later + WINDOW));
    }
}
