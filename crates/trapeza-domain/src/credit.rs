//! The credit decision: named rules in a fixed order, each with its inputs. The first rule that fails decides, and its
//! inputs are recorded with the decision. The app collects the inputs.

use crate::basket::{AmountLimits, DeclineReason};
use crate::loan::DeclaredIncome;
use crate::money::{Currency, Money};
use crate::time::{Date, TimeDelta};

/// Maximum exposure of a shopper who is linked to a customer, in whole units of the currency.
const EXPOSURE_WHOLE: i64 = 1_500;
/// Maximum exposure of a shopper known by a telephone number only.
const UNLINKED_WHOLE: i64 = 200;
/// Maximum number of loans in [`VELOCITY_WINDOW`].
const VELOCITY: i64 = 3;
pub const VELOCITY_WINDOW: TimeDelta = TimeDelta::hours(24);
/// Maximum number of days an installment may have been late, and how long lateness counts.
const LATE_DAYS: i64 = 30;
pub const LATE_WINDOW_DAYS: i32 = 365;
/// Maximum share of the monthly income that installments may take, in percent.
const BURDEN_PERCENT: i64 = 30;
/// Number of months over which income is averaged.
pub const INFLOW_MONTHS: i32 = 3;

/// The inputs of all rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditInputs {
    pub amount: Money,
    pub limits: AmountLimits,
    pub phone_blocked: bool,
    /// How many days the latest installment in the window was, or is, late.
    pub days_late: i64,
    /// Outstanding principal of other loans.
    pub open_minor: i64,
    /// Loans taken in the window, without this one.
    pub recent: i64,
    /// Whether the shopper is linked to a customer with an account here.
    pub linked: bool,
    /// Whether a shopper without an account here can pay: the bank has a collection account.
    pub pays_by_transfer: bool,
    /// The largest installment of this loan plus the next one of each other open loan.
    pub monthly_minor: i64,
    /// Income of the account in [`INFLOW_MONTHS`] months.
    pub inflow_minor: i64,
    /// What a shopper without an account here declared.
    pub declared: Option<DeclaredIncome>,
    /// The amount that a person approved in a review. Up to it the rules about the shopper are met.
    pub reviewed_minor: Option<i64>,
}

/// The decision and the inputs that it is based on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditDecision {
    pub outcome: Result<(), DeclineReason>,
    /// The inputs of the rule that failed, or of all rules when none failed.
    pub inputs: String,
    /// Whether a rule is met only because a person approved the amount.
    pub relies_on_review: bool,
}

type Rule = (DeclineReason, fn(&CreditInputs) -> bool, fn(&CreditInputs) -> String);

/// The rules in their order: the decline reason, the condition, and the inputs to record.
const RULES: [Rule; 6] = [
    (
        DeclineReason::MerchantLimit,
        |facts| facts.limits.allow(facts.amount),
        |facts| {
            let (min, max) = (facts.limits.minimum.minor, facts.limits.maximum.minor);
            format!("amount={} minimum={min} maximum={max}", facts.amount.minor)
        },
    ),
    (
        DeclineReason::PhoneBlocked,
        |facts| !facts.phone_blocked,
        |facts| format!("blocked={}", facts.phone_blocked),
    ),
    (
        DeclineReason::LateHistory,
        |facts| facts.days_late <= LATE_DAYS,
        |facts| format!("days_late={} allowed={LATE_DAYS}", facts.days_late),
    ),
    (
        DeclineReason::Exposure,
        |facts| facts.open_minor.saturating_add(facts.amount.minor) <= facts.exposure_limit(),
        |facts| {
            format!(
                "open={} amount={} limit={}",
                facts.open_minor,
                facts.amount.minor,
                facts.exposure_limit()
            )
        },
    ),
    (
        DeclineReason::Velocity,
        |facts| facts.recent < VELOCITY,
        |facts| format!("recent={} allowed={VELOCITY}", facts.recent),
    ),
    (
        // Without an account and a declaration income is unknown; the lower exposure limit covers that case.
        DeclineReason::Affordability,
        |facts| match (facts.linked, facts.declared) {
            (true, _) => facts.is_affordable(),
            (false, Some(declared)) => facts.is_affordable_with(declared),
            (false, None) => true,
        },
        |facts| match facts.declared.filter(|_| !facts.linked) {
            Some(declared) => format!(
                "monthly={} declared_income={} declared_expenses={} source={} percent={BURDEN_PERCENT}",
                facts.monthly_minor,
                declared.income_minor,
                declared.expenses_minor,
                declared.source.name()
            ),
            None => {
                format!(
                    "monthly={} inflow={} percent={BURDEN_PERCENT}",
                    facts.monthly_minor, facts.inflow_minor
                )
            }
        },
    ),
];

impl CreditInputs {
    pub fn evaluate(&self) -> CreditDecision {
        let failed = RULES
            .iter()
            .find(|(reason, passes, _)| !(passes(self) || (reason.is_reviewable() && self.is_reviewed())));
        match failed {
            Some((reason, _, inputs)) => {
                CreditDecision { outcome: Err(*reason), inputs: inputs(self), relies_on_review: false }
            }
            None => {
                let mut all: Vec<String> = RULES.iter().map(|(_, _, inputs)| inputs(self)).collect();
                let relies_on_review = RULES.iter().any(|(_, passes, _)| !passes(self));
                if let Some(minor) = self.reviewed_minor.filter(|_| relies_on_review) {
                    all.push(format!("reviewed={minor}"));
                }
                CreditDecision { outcome: Ok(()), inputs: all.join("; "), relies_on_review }
            }
        }
    }

    /// Whether a person has approved this amount.
    pub fn is_reviewed(&self) -> bool {
        self.reviewed_minor.is_some_and(|minor| self.amount.minor <= minor)
    }

    /// Maximum exposure of this shopper in minor units.
    fn exposure_limit(&self) -> i64 {
        let whole = match (self.linked, self.pays_by_transfer) {
            (true, _) => EXPOSURE_WHOLE,
            (false, true) => UNLINKED_WHOLE,
            (false, false) => 0,
        };
        whole_units(whole, self.amount.currency)
    }

    /// monthly ≤ 30 % of income / months, without a division.
    fn is_affordable(&self) -> bool {
        let monthly = i128::from(self.monthly_minor) * i128::from(INFLOW_MONTHS) * 100;
        monthly <= i128::from(self.inflow_minor) * i128::from(BURDEN_PERCENT)
    }
}

impl CreditInputs {
    /// monthly ≤ 30 % of the declared income, and not more than the declared expenses leave.
    fn is_affordable_with(&self, declared: DeclaredIncome) -> bool {
        let monthly = i128::from(self.monthly_minor);
        let (income, expenses) = (i128::from(declared.income_minor), i128::from(declared.expenses_minor));
        monthly * 100 <= income * i128::from(BURDEN_PERCENT) && monthly <= income - expenses
    }
}

fn whole_units(whole: i64, currency: Currency) -> i64 {
    whole.saturating_mul(10_i64.saturating_pow(currency.exponent()))
}

/// How many days an installment was late, or is late today.
pub const fn days_late(payment: Date, settled: Option<Date>, today: Date) -> i64 {
    let end = match settled {
        Some(day) => day.0,
        None => today.0,
    };
    if end > payment.0 { (end - payment.0) as i64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loan::IncomeSource;

    fn euros(minor: i64) -> Money {
        Money::new(minor, Currency::EUR)
    }

    /// Inputs at the limit of every rule.
    fn facts() -> CreditInputs {
        CreditInputs {
            amount: euros(150_000),
            limits: AmountLimits { minimum: euros(3_000), maximum: euros(150_000) },
            phone_blocked: false,
            days_late: 30,
            open_minor: 0,
            recent: 2,
            linked: true,
            pays_by_transfer: true,
            monthly_minor: 30_000,
            inflow_minor: 300_000,
            declared: None,
            reviewed_minor: None,
        }
    }

    #[test]
    fn evaluate_declines_by_the_first_failing_rule() {
        assert_eq!(facts().evaluate().outcome, Ok(()));
        let all_wrong = CreditInputs {
            amount: euros(150_001),
            phone_blocked: true,
            days_late: 31,
            open_minor: 1,
            recent: 3,
            monthly_minor: 30_001,
            ..facts()
        };
        let mut now = all_wrong;
        let mut found = Vec::new();
        type Fix = fn(CreditInputs) -> CreditInputs;
        let fix: [Fix; 6] = [
            |it| CreditInputs { amount: euros(150_000), ..it },
            |it| CreditInputs { phone_blocked: false, ..it },
            |it| CreditInputs { days_late: 30, ..it },
            |it| CreditInputs { open_minor: 0, ..it },
            |it| CreditInputs { recent: 2, ..it },
            |it| CreditInputs { monthly_minor: 30_000, ..it },
        ];
        for fix in fix {
            let decision = now.evaluate();
            found.push(format!("{} ({})", decision.outcome.unwrap_err().name(), decision.inputs));
            now = fix(now);
        }
        insta::assert_snapshot!(found.join("\n"));
        assert_eq!(now.evaluate().outcome, Ok(()));
    }

    #[test]
    fn unlinked_shopper_is_limited_to_two_hundred() {
        let unlinked = CreditInputs { amount: euros(20_000), linked: false, inflow_minor: 0, ..facts() };
        assert_eq!(unlinked.evaluate().outcome, Ok(()));
        let more = CreditInputs { open_minor: 1, ..unlinked };
        assert_eq!(more.evaluate().outcome, Err(DeclineReason::Exposure));
        let unpayable = CreditInputs { amount: euros(3_000), pays_by_transfer: false, ..unlinked };
        assert_eq!(unpayable.evaluate().outcome, Err(DeclineReason::Exposure));
    }

    #[test]
    fn declared_income_must_cover_expenses_and_installments() {
        let declared = |income_minor, expenses_minor| {
            let source = IncomeSource::Pension;
            let declared = Some(DeclaredIncome { income_minor, expenses_minor, source });
            CreditInputs { amount: euros(9_000), linked: false, monthly_minor: 3_000, declared, ..facts() }
        };
        assert_eq!(declared(10_000, 7_000).evaluate().outcome, Ok(()));
        assert_eq!(declared(9_999, 0).evaluate().outcome, Err(DeclineReason::Affordability));
        let spent = declared(10_000, 7_001).evaluate();
        assert_eq!(spent.outcome, Err(DeclineReason::Affordability));
        assert_eq!(
            spent.inputs,
            "monthly=3000 declared_income=10000 declared_expenses=7001 source=pension percent=30"
        );
    }

    #[test]
    fn review_meets_the_rules_about_the_shopper_up_to_its_amount() {
        let late = CreditInputs { days_late: 31, recent: 3, monthly_minor: 30_001, ..facts() };
        let reviewed = CreditInputs { reviewed_minor: Some(150_000), ..late };
        assert_eq!(reviewed.evaluate().outcome, Ok(()));
        assert!(reviewed.evaluate().inputs.ends_with("reviewed=150000"));
        assert!(reviewed.evaluate().relies_on_review);
        let unneeded = CreditInputs { reviewed_minor: Some(150_000), ..facts() };
        assert!(!unneeded.evaluate().relies_on_review);
        let less = CreditInputs { reviewed_minor: Some(149_999), ..late };
        assert_eq!(less.evaluate().outcome, Err(DeclineReason::LateHistory));
        let blocked = CreditInputs { phone_blocked: true, ..reviewed };
        assert_eq!(blocked.evaluate().outcome, Err(DeclineReason::PhoneBlocked));
    }

    #[test]
    fn days_late_counts_until_the_installment_is_paid() {
        assert_eq!(days_late(Date(10), None, Date(45)), 35);
        assert_eq!(days_late(Date(10), Some(Date(12)), Date(45)), 2);
        assert_eq!(days_late(Date(10), Some(Date(9)), Date(45)), 0);
        assert_eq!(days_late(Date(50), None, Date(45)), 0);
    }
}
