//! Standing orders: the terms of a payment that is repeated, and the days of its executions.
//!
//! A day is computed from the terms and the number of the execution alone, never from the day before it, so a short month does not move
//! the later ones.

use crate::calendar::{is_target_day, next_target_day, previous_target_day};
use crate::field::Field;
use crate::refusal::FieldErrors;
use crate::string_enum::string_enum;
use crate::time::Date;
use jiff::ToSpan;
use jiff::civil;

const MONTHS_PER_YEAR: i32 = 12;
/// Maximum number of months of an order with chosen months; all twelve are a monthly order.
const MAX_CHOSEN_MONTHS: usize = 11;

string_enum! {
    /// How often a standing order is executed.
    pub enum Frequency {
        /// On every TARGET day.
        Daily = "Daily",
        Weekly = "Weekly",
        EveryTwoWeeks = "EveryTwoWeeks",
        Monthly = "Monthly",
        EveryTwoMonths = "EveryTwoMonths",
        Quarterly = "Quarterly",
        SemiAnnual = "SemiAnnual",
        Annual = "Annual",
        /// In chosen months of every year.
        MonthlyVariable = "MonthlyVariable",
    }

    /// When an execution takes place whose date is not a TARGET day.
    pub enum ExecutionRule {
        Following = "following",
        Preceding = "preceding",
    }
}

impl Frequency {
    const fn months(self) -> Option<i32> {
        match self {
            Self::Daily | Self::Weekly | Self::EveryTwoWeeks => None,
            Self::Monthly | Self::MonthlyVariable => Some(1),
            Self::EveryTwoMonths => Some(2),
            Self::Quarterly => Some(3),
            Self::SemiAnnual => Some(6),
            Self::Annual => Some(12),
        }
    }
}

/// A set of months of the year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Months(u16);

impl Months {
    /// `None` when a number is not between 1 and 12 or occurs twice.
    pub fn of(numbers: &[u8]) -> Option<Self> {
        let mut set = 0_u16;
        for number in numbers {
            let bit = 1_u16.checked_shl(u32::from(*number)).filter(|_| (1..=12).contains(number))?;
            if set & bit != 0 {
                return None;
            }
            set |= bit;
        }
        Some(Self(set))
    }

    /// As stored: bit `n` is month `n`.
    pub const fn bits(self) -> i64 {
        self.0 as i64
    }

    pub fn from_bits(bits: i64) -> Option<Self> {
        u16::try_from(bits).ok().filter(|bits| bits & !0b1_1111_1111_1110 == 0).map(Self)
    }

    pub fn numbers(self) -> impl Iterator<Item = u8> {
        (1..=12).filter(move |number| self.contains(*number))
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    const fn contains(self, number: u8) -> bool {
        self.0 & (1 << number) != 0
    }
}

/// The terms of a standing order that are valid by their form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingOrder {
    pub frequency: Frequency,
    /// The first date on which it may be executed.
    pub start: Date,
    /// The last date on which an execution may be due; without it the order ends by its cancellation.
    pub end: Option<Date>,
    pub rule: ExecutionRule,
    /// The day of the month; 31 is always the last day. Without it the day of `start`.
    pub day: Option<u8>,
    /// The months of [`Frequency::MonthlyVariable`], otherwise none.
    pub months: Months,
}

/// The parsed fields of a standing order; a field that did not parse is `None` and its error is already recorded.
#[derive(Clone, Debug, Default)]
pub struct StandingOrderFields {
    pub start: Option<Date>,
    pub end: Option<Date>,
    pub frequency: Option<Frequency>,
    /// Following, when it was not sent.
    pub rule: Option<ExecutionRule>,
    pub day: Option<u8>,
    pub months: Option<Vec<u8>>,
}

impl StandingOrder {
    /// Validates the fields; with an error in `errors` there is no order. [`super::PaymentTiming::check`] compares the start with the
    /// present.
    pub fn parse(fields: &StandingOrderFields, errors: &mut FieldErrors) -> Option<Self> {
        let frequency = fields.frequency?;
        let by_month = frequency.months().is_some();
        match fields.day {
            Some(_) if !by_month => {
                errors.add(Field::DayOfExecution, "must be left out with Daily, Weekly and EveryTwoWeeks");
            }
            Some(day) if !(1..=31).contains(&day) => {
                errors.add(Field::DayOfExecution, "must be between 1 and 31");
            }
            _ => {}
        }
        let months = match (&fields.months, frequency) {
            (Some(numbers), Frequency::MonthlyVariable) => {
                let months = Months::of(numbers).filter(|_| (1..=MAX_CHOSEN_MONTHS).contains(&numbers.len()));
                if months.is_none() {
                    errors.add(Field::MonthsOfExecution, "must be 1 to 11 different months from 1 to 12");
                }
                months?
            }
            (None, Frequency::MonthlyVariable) => {
                errors.add(Field::MonthsOfExecution, "is required with MonthlyVariable");
                return None;
            }
            (Some(_), _) => {
                errors.add(Field::MonthsOfExecution, "must be left out, except with MonthlyVariable");
                return None;
            }
            (None, _) => Months::default(),
        };
        let rule = fields.rule.unwrap_or(ExecutionRule::Following);
        let order = Self { frequency, start: fields.start?, end: fields.end, rule, day: fields.day, months };
        if order.execution_day(0).is_none() {
            errors.add(Field::EndDate, "must not be before the first execution");
        }
        Some(order)
    }

    /// The day of an execution, which is a TARGET day. They are numbered from 0; `None` after the end.
    pub fn execution_day(&self, number: u32) -> Option<Date> {
        let due = self.due_date(number);
        if self.end.is_some_and(|end| due > end) {
            return None;
        }
        // An execution is never moved before the start.
        let preceding = Some(previous_target_day(due))
            .filter(|day| self.rule == ExecutionRule::Preceding && *day >= self.start);
        Some(preceding.unwrap_or_else(|| next_target_day(due)))
    }

    /// The date by the terms, which may be a holiday.
    fn due_date(&self, number: u32) -> Date {
        let count = i32::try_from(number).unwrap_or(i32::MAX);
        let plus_days = |days: i32| Date(self.start.0.saturating_add(count.saturating_mul(days)));
        match (self.frequency, self.frequency.months()) {
            (Frequency::Daily, _) => nth_target_day(self.start, number),
            (Frequency::Weekly, _) => plus_days(7),
            (Frequency::MonthlyVariable, _) => self.in_chosen_month(number),
            (_, Some(months)) => {
                self.in_month(self.first_month().saturating_add(count.saturating_mul(months)))
            }
            (_, None) => plus_days(14),
        }
    }

    /// The month of the first execution: the first with a date that is not before the start. Months are counted from the year 0.
    fn first_month(&self) -> i32 {
        let start = self.start.to_civil();
        let month = i32::from(start.year()) * MONTHS_PER_YEAR + i32::from(start.month()) - 1;
        if self.in_month(month) < self.start { month + 1 } else { month }
    }

    fn in_chosen_month(&self, number: u32) -> Date {
        let is_chosen = |month: &i32| {
            let of_year = u8::try_from(month.rem_euclid(MONTHS_PER_YEAR) + 1).unwrap_or(1);
            self.months.contains(of_year)
        };
        let chosen = (self.first_month()..i32::MAX).filter(is_chosen);
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        // A set without months would be searched for ever.
        let month = if self.months.is_empty() { None } else { chosen.take(1 << 20).nth(index) };
        month.map_or(Date(i32::MAX), |month| self.in_month(month))
    }

    /// The day of execution in a month, or the last day of a shorter one.
    fn in_month(&self, month: i32) -> Date {
        let day = self.day.map_or_else(|| self.start.to_civil().day(), |day| i8::try_from(day).unwrap_or(31));
        let first = i16::try_from(month.div_euclid(MONTHS_PER_YEAR))
            .ok()
            .and_then(|year| civil::Date::new(year, 1, 1).ok())
            .and_then(|first| first.checked_add(month.rem_euclid(MONTHS_PER_YEAR).months()).ok());
        match first {
            Some(first) => {
                let days = day.min(first.days_in_month()) - 1;
                Date::from_civil(first.saturating_add(i32::from(days).days()))
            }
            None => Date(i32::MAX),
        }
    }
}

fn nth_target_day(start: Date, number: u32) -> Date {
    let mut day = next_target_day(start);
    for _ in 0..number {
        day = next_target_day(Date(day.0.saturating_add(1)));
    }
    debug_assert!(is_target_day(day), "the search ends on a TARGET day");
    day
}

#[cfg(test)]
mod tests;
