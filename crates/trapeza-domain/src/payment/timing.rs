//! When a payment is executed: at once, on a date, or repeatedly by a standing order.

use super::StandingOrder;
use crate::calendar::next_target_day;
use crate::field::Field;
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::{Date, TimeDelta, Timestamp};

/// Maximum number of days between the order of a payment and its execution.
pub const MAX_EXECUTION_DAYS_AHEAD: i32 = 365;
/// A payment without funds is attempted again after this time on the same day.
const RETRY_INTERVAL: TimeDelta = TimeDelta::hours(1);
/// Time between the last attempt and the end of the day.
const LAST_ATTEMPT_BEFORE_END: TimeDelta = TimeDelta::minutes(5);

string_enum! {
    /// The payment service in the path, in the Berlin Group's words.
    pub enum PaymentService {
        Payments = "payments",
        /// Standing orders.
        PeriodicPayments = "periodic-payments",
        /// Several payments from one account.
        BulkPayments = "bulk-payments",
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaymentTiming {
    #[default]
    Immediate,
    /// On this date, or on the next TARGET day.
    OnDate(Date),
    /// On the days of a standing order.
    Standing(StandingOrder),
}

impl PaymentTiming {
    /// Checks the date of a new order.
    pub fn check(self, today: Date) -> Result<(), Refusal> {
        match self {
            Self::Immediate => Ok(()),
            Self::OnDate(date) if date < today => {
                Err(invalid(Field::ExecutionDate, "must not be in the past"))
            }
            Self::OnDate(date) => check_ahead(Field::ExecutionDate, date, today),
            Self::Standing(order) if order.start <= today => {
                Err(invalid(Field::StartDate, "must be after today"))
            }
            Self::Standing(order) => check_ahead(Field::StartDate, order.start, today),
        }
    }

    /// The day on which a payment that is authorised today is executed. `None` executes it at once, as does a date of today or
    /// before. A standing order always waits for its first execution, which may be due already.
    pub fn scheduled_day(self, today: Date) -> Option<Date> {
        match self {
            Self::OnDate(date) if date > today => Some(next_target_day(date)),
            Self::Standing(order) => order.execution_day(0),
            Self::Immediate | Self::OnDate(_) => None,
        }
    }

    /// The date that the customer has approved.
    pub const fn requested_date(self) -> Option<Date> {
        match self {
            Self::Immediate | Self::Standing(_) => None,
            Self::OnDate(date) => Some(date),
        }
    }

    pub const fn standing_order(self) -> Option<StandingOrder> {
        match self {
            Self::Standing(order) => Some(order),
            Self::Immediate | Self::OnDate(_) => None,
        }
    }
}

/// When a payment without funds is attempted again, given the end of its day. `None` after the last attempt.
pub fn next_attempt(end_of_day: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let last = end_of_day.minus(LAST_ATTEMPT_BEFORE_END);
    (now < last).then(|| now.plus(RETRY_INTERVAL).min(last))
}

fn check_ahead(field: Field, date: Date, today: Date) -> Result<(), Refusal> {
    if date.0.saturating_sub(today.0) > MAX_EXECUTION_DAYS_AHEAD {
        return Err(invalid(field, format!("must be at most {MAX_EXECUTION_DAYS_AHEAD} days ahead")));
    }
    Ok(())
}

fn invalid(field: Field, text: impl Into<String>) -> Refusal {
    Refusal::at(RefusalReason::ExecutionDateInvalid, field, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payment::{ExecutionRule, Frequency, Months};
    use jiff::civil::date;

    #[test]
    fn check_date_outside_the_next_365_days_is_refused() {
        let today = Date(20_000);
        for (days, valid) in
            [(-1, false), (0, true), (1, true), (365, true), (366, false), (i32::MAX - 20_000, false)]
        {
            let checked = PaymentTiming::OnDate(Date(today.0 + days)).check(today);
            assert_eq!(checked.is_ok(), valid, "{days}");
            if let Err(refusal) = checked {
                assert_eq!(refusal.reason, RefusalReason::ExecutionDateInvalid);
            }
        }
        assert!(PaymentTiming::Immediate.check(today).is_ok());
    }

    #[test]
    fn check_standing_order_starts_after_today() {
        let today = Date(20_000);
        for (days, valid) in [(-1, false), (0, false), (1, true), (365, true), (366, false)] {
            let order = StandingOrder {
                frequency: Frequency::Monthly,
                start: Date(today.0 + days),
                end: None,
                rule: ExecutionRule::Following,
                day: None,
                months: Months::default(),
            };
            assert_eq!(PaymentTiming::Standing(order).check(today).is_ok(), valid, "{days}");
        }
    }

    #[test]
    fn scheduled_day_is_the_next_target_day_and_never_today() {
        let day = |year, month, of_month| Date::from_civil(date(year, month, of_month));
        let friday = day(2026, 11, 20);
        let scheduled = |requested| PaymentTiming::OnDate(requested).scheduled_day(friday);
        assert_eq!(scheduled(friday), None);
        assert_eq!(scheduled(day(2026, 11, 19)), None);
        assert_eq!(scheduled(day(2026, 11, 21)), Some(day(2026, 11, 23)));
        assert_eq!(scheduled(day(2026, 12, 25)), Some(day(2026, 12, 28)));
        assert_eq!(PaymentTiming::Immediate.scheduled_day(friday), None);
    }

    #[test]
    fn next_attempt_is_hourly_and_last_before_the_end_of_the_day() {
        let end = Timestamp(0).plus(TimeDelta::days(1));
        let last = end.minus(TimeDelta::minutes(5));
        assert_eq!(next_attempt(end, Timestamp(0)), Some(Timestamp(0).plus(TimeDelta::hours(1))));
        assert_eq!(next_attempt(end, last.minus(TimeDelta::minutes(59))), Some(last));
        assert_eq!(next_attempt(end, last.minus(TimeDelta(1))), Some(last));
        assert_eq!(next_attempt(end, last), None);
        assert_eq!(next_attempt(end, end.plus(TimeDelta::days(3))), None);
    }

    #[test]
    fn only_a_standing_order_has_terms() {
        let order = StandingOrder {
            frequency: Frequency::Monthly,
            start: Date(1),
            end: None,
            rule: ExecutionRule::Following,
            day: None,
            months: Months::default(),
        };
        assert_eq!(PaymentTiming::Standing(order).standing_order(), Some(order));
        assert_eq!(PaymentTiming::OnDate(Date(1)).standing_order(), None);
    }
}
