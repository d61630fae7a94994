//! A calendar month of a statement.

use jiff::civil;
use trapeza_domain::time::Date;

const EPOCH: civil::Date = civil::Date::constant(1970, 1, 1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    first: civil::Date,
}

impl Month {
    /// A month in the form `2035-03`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let digits = |part: &str, length| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(year, 4) || !digits(month, 2) {
            return None;
        }
        let first = civil::Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?;
        Some(Self { first })
    }

    pub fn of(day: Date) -> Self {
        let date = EPOCH.saturating_add(jiff::Span::new().days(i64::from(day.0)));
        Self { first: date.first_of_month() }
    }

    pub fn first_day(self) -> Date {
        day(self.first)
    }

    pub fn last_day(self) -> Date {
        day(self.first.last_of_month())
    }

    pub fn previous(self) -> Self {
        Self { first: self.first.saturating_sub(jiff::Span::new().months(1)) }
    }
}

/// The month in the form that [`Month::parse`] reads.
impl std::fmt::Display for Month {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}", self.first.year(), self.first.month())
    }
}

fn day(date: civil::Date) -> Date {
    let days = date.since((jiff::Unit::Day, EPOCH)).map_or(0, |span| span.get_days());
    Date(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_is_parsed_strictly_and_printed_in_the_same_form() {
        for text in ["2035-03", "1999-12", "0001-01"] {
            assert_eq!(Month::parse(text).unwrap().to_string(), text);
        }
        for text in
            ["", "2035", "2035-13", "2035-00", "35-03", "2035-3", "+203-01", "2035-03-01", "２０３５-03"]
        {
            assert_eq!(Month::parse(text), None, "{text}");
        }
    }

    #[test]
    fn month_has_its_first_and_last_day() {
        let leap = Month::parse("2036-02").unwrap();
        assert_eq!(leap.last_day().0 - leap.first_day().0, 28);
        assert_eq!(Month::of(leap.last_day()), leap);
        assert_eq!(leap.previous().to_string(), "2036-01");
        assert_eq!(leap.previous().previous().to_string(), "2035-12");
        assert_eq!(Month::of(Date(0)).to_string(), "1970-01");
    }
}
