//! Inputs with a fixed outcome, so that developers can test every path. The bootstrap of the sandbox passes this to
//! [`crate::App::with_sandbox`]; production has none.

use super::magic_value::{CLOSE_MATCH_OWNER, PAYEE_CLOSE_MATCH, PAYEE_DELAYED, PAYEE_NO_MATCH};
use std::time::Duration;
use trapeza_domain::basket::DeclineReason;
use trapeza_domain::contact::Phone;
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee};
use trapeza_domain::time::TimeDelta;

/// Which inputs have which outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SandboxBehaviour {
    credit_outcomes: &'static [(&'static str, SandboxCreditOutcome)],
    delayed_payee: &'static str,
}

/// The outcome of a credit decision for one telephone number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxCreditOutcome {
    Approved,
    /// Approved after [`SLOW_DECISION_DELAY`].
    Slow,
    Declined(DeclineReason),
}

/// How long a slow decision takes, by the system clock.
pub(crate) const SLOW_DECISION_DELAY: Duration = Duration::from_secs(5);

/// How long a payment to the delayed payee waits before it is submitted, so that a cancellation can be tested.
const SUBMISSION_DELAY: TimeDelta = TimeDelta::hours(1);

impl Default for SandboxBehaviour {
    fn default() -> Self {
        Self { credit_outcomes: &CREDIT_OUTCOMES, delayed_payee: PAYEE_DELAYED }
    }
}

/// The telephone numbers that decide a credit at a merchant's sandbox application.
const CREDIT_OUTCOMES: [(&str, SandboxCreditOutcome); 8] = [
    ("+306900000100", SandboxCreditOutcome::Approved),
    ("+306900000101", SandboxCreditOutcome::Declined(DeclineReason::MerchantLimit)),
    ("+306900000102", SandboxCreditOutcome::Declined(DeclineReason::PhoneBlocked)),
    ("+306900000103", SandboxCreditOutcome::Declined(DeclineReason::LateHistory)),
    ("+306900000104", SandboxCreditOutcome::Declined(DeclineReason::Exposure)),
    ("+306900000105", SandboxCreditOutcome::Declined(DeclineReason::Velocity)),
    ("+306900000106", SandboxCreditOutcome::Declined(DeclineReason::Affordability)),
    ("+306900000110", SandboxCreditOutcome::Slow),
];

impl SandboxBehaviour {
    pub(crate) fn credit_outcome(&self, phone: &Phone) -> Option<SandboxCreditOutcome> {
        let found = self.credit_outcomes.iter().find(|(number, _)| *number == phone.as_str());
        found.map(|(_, outcome)| *outcome)
    }

    /// What another bank reports about this payee, if the name decides it.
    pub(crate) fn payee_verification(&self, payee_name: &str) -> Option<VerifiedPayee> {
        let (result, owner) = match payee_name {
            PAYEE_CLOSE_MATCH => (PayeeVerification::Close, Some(CLOSE_MATCH_OWNER.to_owned())),
            PAYEE_NO_MATCH => (PayeeVerification::NoMatch, None),
            _ => return None,
        };
        Some(VerifiedPayee::new(result, owner))
    }

    /// How long a payment to this payee is delayed, if it is.
    pub(crate) fn submission_delay(&self, payee_name: &str) -> Option<TimeDelta> {
        (payee_name == self.delayed_payee).then_some(SUBMISSION_DELAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::magic_value::{MAGIC_VALUES, MagicValue};

    #[test]
    fn telephone_number_of_the_table_is_that_of_a_decision() {
        let phones = MAGIC_VALUES.iter().filter(|one| one.value.starts_with("+30"));
        let mut listed = Vec::new();
        for MagicValue { value, outcome, .. } in phones {
            let expected = match SandboxBehaviour::default().credit_outcome(&Phone::parse(value).unwrap()) {
                Some(SandboxCreditOutcome::Approved) => "the credit is approved".to_owned(),
                Some(SandboxCreditOutcome::Slow) => "the credit is approved after five seconds".to_owned(),
                Some(SandboxCreditOutcome::Declined(reason)) => {
                    format!("the credit is declined: {}", reason.name())
                }
                None => panic!("{value} decides nothing"),
            };
            assert_eq!(*outcome, expected);
            listed.push(*value);
        }
        assert_eq!(listed, CREDIT_OUTCOMES.map(|(phone, _)| phone));
    }

    #[test]
    fn every_reason_of_the_credit_rules_has_a_telephone_number() {
        let sandbox = SandboxBehaviour::default();
        let outcomes: Vec<SandboxCreditOutcome> = CREDIT_OUTCOMES
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
            assert!(outcomes.contains(&SandboxCreditOutcome::Declined(reason)), "{reason:?}");
        }
    }
}
