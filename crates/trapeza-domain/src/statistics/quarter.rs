//! A quarter of a year, the period of publication.

use crate::time::Date;
use jiff::civil;
use std::fmt;

/// A quarter of a calendar year: `2026Q4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quarter {
    year: i16,
    /// 1 to 4.
    number: i8,
}

impl Quarter {
    /// The quarter that contains a date.
    pub fn of(day: Date) -> Self {
        let date = day.to_civil();
        Self { year: date.year(), number: (date.month() - 1) / 3 + 1 }
    }

    /// Parses a year from 1970 on and a quarter: `2026Q4`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, number) = text.split_once('Q')?;
        let is_plain = year.len() == 4 && number.len() == 1 && year.bytes().all(|byte| byte.is_ascii_digit());
        let (year, number): (i16, i8) = (year.parse().ok()?, number.parse().ok()?);
        (is_plain && year >= 1970 && (1..=4).contains(&number)).then_some(Self { year, number })
    }

    pub fn first_day(self) -> Date {
        let month = (self.number - 1) * 3 + 1;
        Date::from_civil(civil::Date::new(self.year, month, 1).unwrap_or(civil::Date::MAX))
    }

    pub fn last_day(self) -> Date {
        Date(self.first_day().plus_months(3).0 - 1)
    }

    pub fn previous(self) -> Self {
        Self::of(Date(self.first_day().0 - 1))
    }
}

impl fmt::Display for Quarter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}Q{}", self.year, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn quarter_has_the_days_of_three_months() {
        for (text, first, last) in [
            ("2026Q1", date(2026, 1, 1), date(2026, 3, 31)),
            ("2028Q1", date(2028, 1, 1), date(2028, 3, 31)),
            ("2026Q2", date(2026, 4, 1), date(2026, 6, 30)),
            ("2026Q3", date(2026, 7, 1), date(2026, 9, 30)),
            ("2026Q4", date(2026, 10, 1), date(2026, 12, 31)),
        ] {
            let quarter = Quarter::parse(text).unwrap();
            assert_eq!(quarter.to_string(), text);
            assert_eq!((quarter.first_day().to_civil(), quarter.last_day().to_civil()), (first, last));
            assert_eq!(Quarter::of(quarter.first_day()), quarter);
            assert_eq!(Quarter::of(quarter.last_day()), quarter);
            assert_eq!(Quarter::of(Date(quarter.last_day().0 + 1)).previous(), quarter);
        }
    }

    #[test]
    fn parse_refuses_other_texts() {
        for odd in
            ["", "2026", "2026Q0", "2026Q5", "26Q1", "2026q1", "2026-Q1", "Q1", "+026Q1", "2026Q+1", "1969Q4"]
        {
            assert_eq!(Quarter::parse(odd), None, "{odd}");
        }
    }
}
