//! Calendar arithmetic, and the days on which euro payments settle (TARGET). Date arithmetic is jiff's.

use crate::time::Date;
use jiff::ToSpan;
use jiff::civil;

const EPOCH: civil::Date = civil::Date::constant(1970, 1, 1);

impl Date {
    pub fn from_civil(date: civil::Date) -> Self {
        Self(date.since(EPOCH).map_or(0, |span| span.get_days()))
    }

    pub fn to_civil(self) -> civil::Date {
        EPOCH.saturating_add(self.0.days())
    }

    /// The same day of the month, `months` later, or the last day of a shorter month.
    pub fn plus_months(self, months: i32) -> Self {
        Self::from_civil(self.to_civil().saturating_add(months.months()))
    }
}

/// Whether euro payments settle on a date: not at weekends, nor on six holidays a year.
pub fn is_target_day(date: Date) -> bool {
    let civil = date.to_civil();
    let easter = Date::from_civil(easter_sunday(civil.year())).0;
    let weekend = matches!(civil.weekday(), civil::Weekday::Saturday | civil::Weekday::Sunday);
    let holiday = matches!((civil.month(), civil.day()), (1, 1) | (5, 1) | (12, 25) | (12, 26))
        || date.0 == easter - 2
        || date.0 == easter + 1;
    !weekend && !holiday
}

/// The date itself if it is a TARGET day, otherwise the next one.
pub fn next_target_day(date: Date) -> Date {
    let mut date = date;
    while !is_target_day(date) {
        date = Date(date.0 + 1);
    }
    date
}

/// The date itself if it is a TARGET day, otherwise the one before.
pub fn previous_target_day(date: Date) -> Date {
    let mut date = date;
    while !is_target_day(date) {
        date = Date(date.0 - 1);
    }
    date
}

/// Easter Sunday of the Gregorian calendar (anonymous Gregorian algorithm).
fn easter_sunday(year: i16) -> civil::Date {
    let (golden, century) = (year % 19, year / 100);
    let moon = (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
    let of_century = year % 100;
    let sunday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - moon - of_century % 4) % 7;
    let shift = (golden + 11 * moon + 22 * sunday) / 451;
    let count = moon + sunday - 7 * shift + 114;
    civil::Date::new(year, 1, 1).map_or(EPOCH, |first| {
        first
            .saturating_add((i32::from(count) / 31 - 1).months())
            .saturating_add((i32::from(count) % 31).days())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    #[test]
    fn plus_months_clips_to_the_end_of_the_month() {
        let start = Date::from_civil(date(2026, 1, 31));
        let due: Vec<civil::Date> = (1..=4).map(|months| start.plus_months(months).to_civil()).collect();
        assert_eq!(due, [date(2026, 2, 28), date(2026, 3, 31), date(2026, 4, 30), date(2026, 5, 31)]);
        assert_eq!(Date::from_civil(date(2027, 11, 30)).plus_months(3).to_civil(), date(2028, 2, 29));
    }

    #[test]
    fn easter_sunday_matches_known_years() {
        for (year, month, day) in [(2024, 3, 31), (2025, 4, 20), (2026, 4, 5), (2027, 3, 28), (2038, 4, 25)] {
            assert_eq!(easter_sunday(year), date(year, month, day));
        }
    }

    #[test]
    fn next_target_day_skips_weekends_and_holidays() {
        for (closed, open) in [
            (date(2026, 2, 28), date(2026, 3, 2)),
            (date(2026, 5, 31), date(2026, 6, 1)),
            // Good Friday, the weekend, Easter Monday.
            (date(2027, 3, 26), date(2027, 3, 30)),
            (date(2026, 12, 25), date(2026, 12, 28)),
            (date(2027, 1, 1), date(2027, 1, 4)),
            (date(2026, 3, 31), date(2026, 3, 31)),
        ] {
            assert_eq!(next_target_day(Date::from_civil(closed)).to_civil(), open, "{closed}");
        }
    }

    proptest! {
        #[test]
        fn from_civil_inverts_to_civil(days in -200_000..200_000_i32) {
            prop_assert_eq!(Date::from_civil(Date(days).to_civil()), Date(days));
        }
    }
}
