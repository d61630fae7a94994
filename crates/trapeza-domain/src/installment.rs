//! Installment plans: the schedule of a loan to the cent, and its annual percentage rate.
//!
//! Money is computed with integers and rounded half up. Only the displayed APR, a root without an exact value, is computed
//! with floats and rounded to one decimal; no amount is derived from it.

use crate::calendar::next_target_day;
use crate::time::Date;
use num_bigint::BigInt;

/// A plan that a merchant offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOffer {
    pub plan: Plan,
    /// Preselected for a basket until the shopper chooses.
    pub is_default: bool,
}

/// The number of monthly installments and the interest rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub installments: u32,
    /// Yearly interest rate in basis points; zero is free of charge.
    pub yearly_rate_bp: u32,
}

/// One payment of a schedule, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installment {
    pub principal_minor: i64,
    pub interest_minor: i64,
    /// The due date.
    pub due: Date,
    /// The collection date: the due date, or the next TARGET day after it.
    pub payment: Date,
}

impl Installment {
    pub const fn amount_minor(&self) -> i64 {
        self.principal_minor + self.interest_minor
    }
}

/// Twelve months of a year times 10,000 basis points: the divisor of a monthly rate.
const RATE_SCALE: u32 = 12 * 10_000;

impl Plan {
    /// The schedule of a loan that is approved on a date. `None` when the amount is too small for that many installments or
    /// there are no installments.
    pub fn schedule(&self, principal_minor: i64, approved: Date) -> Option<Vec<Installment>> {
        let count = i64::from(self.installments);
        if count == 0 || principal_minor < count {
            return None;
        }
        let usual =
            if self.yearly_rate_bp == 0 { principal_minor / count } else { self.annuity(principal_minor)? };
        let mut balance = principal_minor;
        let mut schedule = Vec::new();
        for number in 1..=count {
            let interest_minor = self.month_of_interest(balance)?;
            // The last installment takes the remainder, including all rounding differences.
            let principal_minor =
                if number == count { balance } else { usual.checked_sub(interest_minor)? };
            balance = balance.checked_sub(principal_minor)?;
            let due = approved.plus_months(i32::try_from(number).ok()?);
            schedule.push(Installment {
                principal_minor,
                interest_minor,
                due,
                payment: next_target_day(due),
            });
        }
        let each_is_paid = schedule.iter().all(|installment| installment.principal_minor > 0);
        each_is_paid.then_some(schedule)
    }

    /// The annuity P·i / (1 − (1+i)^−n), rounded half up.
    fn annuity(&self, principal_minor: i64) -> Option<i64> {
        let (rate, scale) = (BigInt::from(self.yearly_rate_bp), BigInt::from(RATE_SCALE));
        let grown = (&scale + &rate).pow(self.installments);
        let whole = scale.pow(self.installments);
        let above = BigInt::from(principal_minor) * rate * &grown;
        let below = BigInt::from(RATE_SCALE) * (grown - whole);
        divide_half_up(above, below)
    }

    pub(crate) fn month_of_interest(&self, balance: i64) -> Option<i64> {
        divide_half_up(BigInt::from(balance) * self.yearly_rate_bp, BigInt::from(RATE_SCALE))
    }
}

fn divide_half_up(above: BigInt, below: BigInt) -> Option<i64> {
    let doubled: BigInt = above * 2 + &below;
    i64::try_from(doubled / (below * 2)).ok()
}

/// The annual percentage rate in tenths of a percent, with payments one twelfth of a year apart (CCD2, annex III).
#[expect(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the APR is a root without an exact value, displayed with one decimal; amounts are far below 2^53"
)]
pub fn apr_tenths_of_percent(drawn_minor: i64, schedule: &[Installment]) -> i64 {
    let payments: Vec<f64> = schedule.iter().map(|installment| installment.amount_minor() as f64).collect();
    let worth = |yearly: f64| -> f64 {
        let months = (1..=payments.len()).map(|month| month as f64 / 12.0);
        payments.iter().zip(months).map(|(amount, years)| amount * (1.0 + yearly).powf(-years)).sum()
    };
    let drawn = drawn_minor as f64;
    if worth(0.0) <= drawn {
        return 0;
    }
    // The present value falls as the rate rises: bisect until the interval is far below a tenth of a percent.
    let (mut low, mut high) = (0.0, 1.0);
    while worth(high) > drawn {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if worth(middle) > drawn { low = middle } else { high = middle }
    }
    (high * 1000.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::is_target_day;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn day(year: i16, month: i8, day: i8) -> Date {
        Date::from_civil(date(year, month, day))
    }

    fn amounts(principal: i64, rate: u32, count: u32) -> (Vec<i64>, i64) {
        let plan = Plan { installments: count, yearly_rate_bp: rate };
        let schedule = plan.schedule(principal, day(2026, 1, 31)).unwrap();
        let apr = apr_tenths_of_percent(principal, &schedule);
        (schedule.iter().map(Installment::amount_minor).collect(), apr)
    }

    #[test]
    fn schedule_with_interest_matches_reference_values() {
        let (six, apr) = amounts(60_000, 1290, 6);
        assert_eq!((six, apr), ([[10_380; 5].as_slice(), &[10_378]].concat(), 137));
        let (twelve, apr) = amounts(120_000, 999, 12);
        assert_eq!((twelve, apr), ([[10_549; 11].as_slice(), &[10_551]].concat(), 105));
        let (three, apr) = amounts(30_000, 1500, 3);
        assert_eq!((three, apr), (vec![10_251, 10_251, 10_252], 161));
    }

    #[test]
    fn schedule_without_interest_puts_the_remainder_last() {
        assert_eq!(amounts(10_000, 0, 3), (vec![3_333, 3_333, 3_334], 0));
        assert_eq!(amounts(3, 0, 3), (vec![1, 1, 1], 0));
    }

    #[test]
    fn schedule_of_too_small_an_amount_is_none() {
        let plan = Plan { installments: 3, yearly_rate_bp: 0 };
        assert_eq!(plan.schedule(2, day(2026, 1, 1)), None);
        assert_eq!(Plan { installments: 0, yearly_rate_bp: 0 }.schedule(100, day(2026, 1, 1)), None);
    }

    #[test]
    fn due_dates_are_clipped_and_collected_on_target_days() {
        let plan = Plan { installments: 4, yearly_rate_bp: 0 };
        let schedule = plan.schedule(40_000, day(2026, 1, 31)).unwrap();
        let days: Vec<_> = schedule.iter().map(|one| (one.due.to_civil(), one.payment.to_civil())).collect();
        assert_eq!(
            days,
            [
                (date(2026, 2, 28), date(2026, 3, 2)),
                (date(2026, 3, 31), date(2026, 3, 31)),
                (date(2026, 4, 30), date(2026, 4, 30)),
                (date(2026, 5, 31), date(2026, 6, 1)),
            ]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100_000))]

        #[test]
        fn every_cent_is_paid_back_once(
            principal in 300..300_000_i64,
            count in prop::sample::select(vec![3_u32, 4, 6, 12]),
            rate in 0..2_500_u32,
            start in 18_000..40_000_i32,
        ) {
            let plan = Plan { installments: count, yearly_rate_bp: rate };
            let schedule = plan.schedule(principal, Date(start)).unwrap();
            prop_assert_eq!(schedule.len(), count as usize);
            prop_assert_eq!(schedule.iter().map(|one| one.principal_minor).sum::<i64>(), principal);
            prop_assert!(schedule.iter().all(|one| one.amount_minor() > 0 && one.interest_minor >= 0));
            prop_assert!(schedule.windows(2).all(|two| two[0].due < two[1].due && two[0].payment <= two[1].payment));
            prop_assert!(schedule.iter().all(|one| one.payment.0 >= one.due.0 && one.payment.0 - one.due.0 <= 4));
            prop_assert!(schedule.iter().all(|one| is_target_day(one.payment)));
            // Each installment falls on the original day of the month, or on the month's last day.
            let start = Date(start).to_civil();
            for (number, one) in (1..).zip(&schedule) {
                let (due, after) = (one.due.to_civil(), Date(one.due.0 + 1).to_civil());
                let months = |date: jiff::civil::Date| i32::from(date.year()) * 12 + i32::from(date.month());
                prop_assert_eq!(months(due), months(start) + number);
                prop_assert!(due.day() == start.day() || (due.day() < start.day() && after.day() == 1));
            }
            // The last installment differs from the others by rounding only.
            let (first, last) = (schedule[0].amount_minor(), schedule[schedule.len() - 1].amount_minor());
            prop_assert!((first - last).abs() <= i64::from(count), "{} {}", first, last);
        }
    }
}
