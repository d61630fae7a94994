//! The civil calendar, pure: days, months, and the days on which euro payments settle. What day it is now is not known
//! here.

use crate::time::Date;

/// A date of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CivilDate {
    pub year: i32,
    /// 1 to 12.
    pub month: i32,
    /// 1 to 31.
    pub day: i32,
}

impl CivilDate {
    /// The date of a day. Years begin in March here, so that the leap day is the last of its year.
    pub const fn of(day: Date) -> Self {
        let days = day.0 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
        Self { year, month, day }
    }

    pub const fn day(self) -> Date {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let from_march = if self.month > 2 { self.month - 3 } else { self.month + 9 };
        let of_year = (153 * from_march + 2) / 5 + self.day - 1;
        let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
        Date(era * 146_097 + of_era - 719_468)
    }

    /// The same day so many months later, or the month's last where it has no such day.
    pub fn plus_months(self, months: i32) -> Self {
        let count = self.year * 12 + self.month - 1 + months;
        let (year, month) = (count.div_euclid(12), count.rem_euclid(12) + 1);
        Self { year, month, day: self.day.min(month_length(year, month)) }
    }
}

const fn month_length(year: i32, month: i32) -> i32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Whether euro payments settle on a day (TARGET): not at weekends, nor on six days a year.
pub fn is_target_day(day: Date) -> bool {
    // Date 0 was a Thursday.
    let weekday = (day.0 + 3).rem_euclid(7);
    let CivilDate { year, month, day: of_month } = CivilDate::of(day);
    let easter = easter_sunday(year).day().0;
    let closed = matches!((month, of_month), (1, 1) | (5, 1) | (12, 25) | (12, 26))
        || day.0 == easter - 2
        || day.0 == easter + 1;
    weekday < 5 && !closed
}

/// The day itself, or the first one after it on which euro payments settle.
pub fn next_target_day(day: Date) -> Date {
    let mut day = day;
    while !is_target_day(day) {
        day = Date(day.0 + 1);
    }
    day
}

/// Easter Sunday of the Gregorian church, by the moon's cycle of 19 years.
fn easter_sunday(year: i32) -> CivilDate {
    let (golden, century) = (year % 19, year / 100);
    let moon = (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
    let of_century = year % 100;
    let sunday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - moon - of_century % 4) % 7;
    let shift = (golden + 11 * moon + 22 * sunday) / 451;
    let count = moon + sunday - 7 * shift + 114;
    CivilDate { year, month: count / 31, day: count % 31 + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn date(year: i32, month: i32, day: i32) -> CivilDate {
        CivilDate { year, month, day }
    }

    #[test]
    fn known_days_have_their_dates() {
        for (day, expected) in [
            (0, date(1970, 1, 1)),
            (-1, date(1969, 12, 31)),
            (11_016, date(2000, 2, 29)),
            (20_772, date(2026, 11, 15)),
        ] {
            assert_eq!(CivilDate::of(Date(day)), expected);
        }
    }

    #[test]
    fn months_are_counted_from_the_original_day_and_clipped() {
        let start = date(2026, 1, 31);
        let due: Vec<CivilDate> = (1..=4).map(|months| start.plus_months(months)).collect();
        assert_eq!(due, [date(2026, 2, 28), date(2026, 3, 31), date(2026, 4, 30), date(2026, 5, 31)]);
        assert_eq!(date(2027, 11, 30).plus_months(3), date(2028, 2, 29));
    }

    #[test]
    fn easter_falls_where_it_fell() {
        for (year, month, day) in [(2024, 3, 31), (2025, 4, 20), (2026, 4, 5), (2027, 3, 28), (2038, 4, 25)] {
            assert_eq!(easter_sunday(year), date(year, month, day));
        }
    }

    #[test]
    fn closed_days_move_on_to_the_next_open_one() {
        for (closed, open) in [
            (date(2026, 2, 28), date(2026, 3, 2)),
            (date(2026, 5, 31), date(2026, 6, 1)),
            // Good Friday, the weekend, Easter Monday.
            (date(2027, 3, 26), date(2027, 3, 30)),
            (date(2026, 12, 25), date(2026, 12, 28)),
            (date(2027, 1, 1), date(2027, 1, 4)),
            (date(2026, 3, 31), date(2026, 3, 31)),
        ] {
            assert_eq!(CivilDate::of(next_target_day(closed.day())), open, "{closed:?}");
        }
    }

    proptest! {
        #[test]
        fn a_date_leads_back_to_its_day(day in -200_000..200_000_i32) {
            prop_assert_eq!(CivilDate::of(Date(day)).day(), Date(day));
        }

        #[test]
        fn one_day_later_is_a_later_date(day in -200_000..200_000_i32) {
            prop_assert!(CivilDate::of(Date(day)) < CivilDate::of(Date(day + 1)));
        }
    }
}
