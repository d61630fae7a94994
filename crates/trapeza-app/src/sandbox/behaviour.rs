//! Inputs with a fixed outcome, so that developers can test every path. The bootstrap of the sandbox passes this to
//! [`crate::App::with_sandbox`]; production has none.

use std::time::Duration;
use trapeza_domain::basket::DeclineReason;
use trapeza_domain::contact::Phone;
use trapeza_domain::time::TimeDelta;

/// Which inputs have which outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SandboxBehaviour {
    credit_outcomes: &'static [(&'static str, SandboxOutcome)],
    delayed_payee: &'static str,
}

/// The outcome of a credit decision for one telephone number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxOutcome {
    Approved,
    /// Approved after [`SLOW_DECISION`].
    Slow,
    Declined(DeclineReason),
}

/// How long a slow decision takes, by the system clock.
pub(crate) const SLOW_DECISION: Duration = Duration::from_secs(5);

/// How long a payment to the delayed payee waits before it is submitted, so that a cancellation can be tested.
const SUBMISSION_DELAY: TimeDelta = TimeDelta::hours(1);

impl Default for SandboxBehaviour {
    fn default() -> Self {
        Self { credit_outcomes: &CREDIT_OUTCOMES, delayed_payee: "HOLD" }
    }
}

/// The telephone numbers that decide a credit at a merchant's sandbox application.
const CREDIT_OUTCOMES: [(&str, SandboxOutcome); 8] = [
    ("+306900000100", SandboxOutcome::Approved),
    ("+306900000101", SandboxOutcome::Declined(DeclineReason::MerchantLimit)),
    ("+306900000102", SandboxOutcome::Declined(DeclineReason::PhoneBlocked)),
    ("+306900000103", SandboxOutcome::Declined(DeclineReason::LateHistory)),
    ("+306900000104", SandboxOutcome::Declined(DeclineReason::Exposure)),
    ("+306900000105", SandboxOutcome::Declined(DeclineReason::Velocity)),
    ("+306900000106", SandboxOutcome::Declined(DeclineReason::Affordability)),
    ("+306900000110", SandboxOutcome::Slow),
];

impl SandboxBehaviour {
    pub(crate) fn credit_outcome(&self, phone: &Phone) -> Option<SandboxOutcome> {
        let found = self.credit_outcomes.iter().find(|(number, _)| *number == phone.as_str());
        found.map(|(_, outcome)| *outcome)
    }

    /// How long a payment to this payee is delayed, if it is.
    pub(crate) fn submission_delay(&self, payee_name: &str) -> Option<TimeDelta> {
        (payee_name == self.delayed_payee).then_some(SUBMISSION_DELAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_of_the_credit_rules_has_a_telephone_number() {
        let sandbox = SandboxBehaviour::default();
        let outcomes: Vec<SandboxOutcome> = CREDIT_OUTCOMES
            .iter()
            .filter_map(|(phone, _)| sandbox.credit_outcome(&Phone::parse(phone).unwrap()))
            .collect();
        assert_eq!(outcomes.len(), CREDIT_OUTCOMES.len());
        for reason in [
            DeclineReason::MerchantLimit,
            DeclineReason::PhoneBlocked,
            DeclineReason::LateHistory,
            DeclineReason::Exposure,
            DeclineReason::Velocity,
            DeclineReason::Affordability,
        ] {
            assert!(outcomes.contains(&SandboxOutcome::Declined(reason)), "{reason:?}");
        }
    }
}
