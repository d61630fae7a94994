//! Amounts, dates, times and percentages as a reader of each language expects them. Every page, message and prompt uses these
//! functions; the JSON interfaces have formats of their own.

use crate::Language;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;

/// U+2212. A hyphen is too short beside digits, and screen readers skip it.
const MINUS: char = '\u{2212}';
/// U+00A0 between number and currency, so that a line never ends between them.
const NO_BREAK_SPACE: char = '\u{a0}';

const MONTHS_ENGLISH: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const MONTHS_GREEK: [&str; 12] = [
    "Ιανουαρίου",
    "Φεβρουαρίου",
    "Μαρτίου",
    "Απριλίου",
    "Μαΐου",
    "Ιουνίου",
    "Ιουλίου",
    "Αυγούστου",
    "Σεπτεμβρίου",
    "Οκτωβρίου",
    "Νοεμβρίου",
    "Δεκεμβρίου",
];

/// The months in the nominative, which Greek uses without a day.
const MONTHS_GREEK_ALONE: [&str; 12] = [
    "Ιανουάριος",
    "Φεβρουάριος",
    "Μάρτιος",
    "Απρίλιος",
    "Μάιος",
    "Ιούνιος",
    "Ιούλιος",
    "Αύγουστος",
    "Σεπτέμβριος",
    "Οκτώβριος",
    "Νοέμβριος",
    "Δεκέμβριος",
];

/// An amount: `€29,195.85` or `29.195,85 €`. A currency without a symbol has its code: `CHF 5.00`, `5,00 CHF`.
pub fn money(language: Language, amount: Money) -> String {
    let plain = amount.to_decimal_string();
    let (sign, plain) = match plain.strip_prefix('-') {
        Some(rest) => (String::from(MINUS), rest),
        None => (String::new(), plain.as_str()),
    };
    let number = grouped(language, plain);
    match (language, symbol(amount.currency)) {
        (Language::English, Some(symbol)) => format!("{sign}{symbol}{number}"),
        (Language::English, None) => format!("{sign}{}{NO_BREAK_SPACE}{number}", amount.currency),
        (Language::Greek, Some(symbol)) => format!("{sign}{number}{NO_BREAK_SPACE}{symbol}"),
        (Language::Greek, None) => format!("{sign}{number}{NO_BREAK_SPACE}{}", amount.currency),
    }
}

/// A date, written out: `31 December 2026`.
pub fn day(language: Language, day: Date) -> String {
    let epoch = jiff::civil::Date::constant(1970, 1, 1);
    let date = epoch.saturating_add(jiff::Span::new().days(i64::from(day.0)));
    let month = usize::from(date.month().unsigned_abs()) - 1;
    let months = match language {
        Language::English => MONTHS_ENGLISH,
        Language::Greek => MONTHS_GREEK,
    };
    format!("{} {} {}", date.day(), months[month], date.year())
}

/// The month of a date: `December 2026`.
pub fn month(language: Language, day: Date) -> String {
    let epoch = jiff::civil::Date::constant(1970, 1, 1);
    let date = epoch.saturating_add(jiff::Span::new().days(i64::from(day.0)));
    let month = usize::from(date.month().unsigned_abs()) - 1;
    let months = match language {
        Language::English => MONTHS_ENGLISH,
        Language::Greek => MONTHS_GREEK_ALONE,
    };
    format!("{} {}", months[month], date.year())
}

/// The name of a month of the year, 1 to 12, without a day.
pub fn month_name(language: Language, number: u8) -> &'static str {
    let months = match language {
        Language::English => MONTHS_ENGLISH,
        Language::Greek => MONTHS_GREEK_ALONE,
    };
    months.get(usize::from(number).wrapping_sub(1)).copied().unwrap_or_default()
}

/// A date with a time of day, which is `14:05` in both languages.
pub fn day_and_time(language: Language, date: Date, time: &str) -> String {
    format!("{}, {time}", day(language, date))
}

/// `units` times `10^-places` percent, with all decimals: `9.90%` or `9,90%`.
pub fn percent(language: Language, units: i64, places: u32) -> String {
    let scale = 10_i64.pow(places);
    let number = format!("{}.{:0width$}", units / scale, units % scale, width = places as usize);
    format!("{}%", decimal(language, &number))
}

/// A decimal number that is written with a point, without grouping.
pub fn decimal(language: Language, number: &str) -> String {
    match language {
        Language::English => number.to_owned(),
        Language::Greek => number.replace('.', ","),
    }
}

/// A number without a sign, its whole part in groups of three.
fn grouped(language: Language, number: &str) -> String {
    let (separator, point) = match language {
        Language::English => (',', '.'),
        Language::Greek => ('.', ','),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut out = String::with_capacity(number.len() + whole.len() / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(separator);
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push(point);
        out.push_str(fraction);
    }
    out
}

/// The symbol of a currency that readers in both languages know by it.
fn symbol(currency: Currency) -> Option<&'static str> {
    match currency {
        Currency::EUR => Some("€"),
        Currency::GBP => Some("£"),
        Currency::USD => Some("$"),
        Currency::JPY => Some("¥"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_separators_symbol_and_minus_of_its_language() {
        for (minor, currency, english, greek) in [
            (2_919_585, Currency::EUR, "€29,195.85", "29.195,85\u{a0}€"),
            (5, Currency::EUR, "€0.05", "0,05\u{a0}€"),
            (-100_000, Currency::EUR, "\u{2212}€1,000.00", "\u{2212}1.000,00\u{a0}€"),
            (99_999, Currency::GBP, "£999.99", "999,99\u{a0}£"),
            (1_234_567, Currency::JPY, "¥1,234,567", "1.234.567\u{a0}¥"),
            (-50, Currency::CHF, "\u{2212}CHF\u{a0}0.50", "\u{2212}0,50\u{a0}CHF"),
        ] {
            assert_eq!(money(Language::English, Money::new(minor, currency)), english);
            assert_eq!(money(Language::Greek, Money::new(minor, currency)), greek);
        }
    }

    #[test]
    fn day_is_written_out_in_both_languages() {
        assert_eq!(day(Language::English, Date(20_818)), "31 December 2026");
        assert_eq!(day(Language::Greek, Date(20_818)), "31 Δεκεμβρίου 2026");
        let greek = |text: &str| text.chars().any(|c| ('\u{370}'..='\u{3ff}').contains(&c));
        for month in 0..12 {
            assert!(!greek(MONTHS_ENGLISH[month]) && greek(MONTHS_GREEK[month]));
        }
    }

    #[test]
    fn percent_has_all_its_decimals() {
        assert_eq!(percent(Language::English, 990, 2), "9.90%");
        assert_eq!(percent(Language::Greek, 104, 1), "10,4%");
        assert_eq!(percent(Language::English, 0, 2), "0.00%");
    }
}
