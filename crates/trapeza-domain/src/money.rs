//! Money: whole minor units of one currency. This room never rounds and never mixes currencies; it does not know
//! floats, rates or which amounts a service accepts.

use std::fmt;

/// Digits before the point that an amount may have (§2.1): with four decimals it still fits an `i64`.
const WHOLE_DIGITS_MAX: usize = 14;

/// A currency of ISO 4217 that people hold and pay with: no metals, funds codes, test codes or replaced money.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency(iso_currency::Currency);

impl Currency {
    pub const EUR: Self = Self(iso_currency::Currency::EUR);
    pub const USD: Self = Self(iso_currency::Currency::USD);
    pub const GBP: Self = Self(iso_currency::Currency::GBP);
    pub const CHF: Self = Self(iso_currency::Currency::CHF);
    pub const JPY: Self = Self(iso_currency::Currency::JPY);

    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FAULT: &str = "not a currency of ISO 4217: three capital letters such as EUR";
        let found = iso_currency::Currency::from_code(text).ok_or(FAULT)?;
        let money = found.exponent().is_some()
            && !found.is_special()
            && !found.is_fund()
            && found.is_superseded().is_none();
        if money && found.code() == text { Ok(Self(found)) } else { Err(FAULT) }
    }

    pub fn code(self) -> &'static str {
        self.0.code()
    }

    /// How many decimals an amount of this currency has.
    pub fn exponent(self) -> u32 {
        u32::from(self.0.exponent().expect("parse admits only currencies with an exponent"))
    }

    /// How many minor units make one of the currency.
    fn minor_units(self) -> i64 {
        10i64.pow(self.exponent())
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Why two amounts did not make a third.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoneyError {
    Overflow,
    CurrenciesMixed,
}

impl fmt::Display for MoneyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "the amount is too large",
            Self::CurrenciesMixed => "the amounts are of different currencies",
        })
    }
}

impl std::error::Error for MoneyError {}

/// An amount. There are no operators on purpose: each sum says what happens when it cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    pub minor: i64,
    pub currency: Currency,
}

impl Money {
    pub const fn new(minor: i64, currency: Currency) -> Self {
        Self { minor, currency }
    }

    pub const fn zero(currency: Currency) -> Self {
        Self::new(0, currency)
    }

    /// Reads `^(0|[1-9]\d{0,13})(\.\d{1,n})?$` where n is the currency's decimals; nothing is ever rounded.
    pub fn parse(text: &str, currency: Currency) -> Result<Self, &'static str> {
        const FORM: &str = "not an amount: digits with a point, no sign, no spaces, no leading zeros";
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) if digits(fraction) => (whole, fraction),
            Some(_) => return Err(FORM),
            None => (text, ""),
        };
        if !digits(whole) || (whole.len() > 1 && whole.starts_with('0')) {
            return Err(FORM);
        }
        if whole.len() > WHOLE_DIGITS_MAX {
            return Err("the amount has more than 14 digits before the point");
        }
        let exponent = currency.exponent() as usize;
        if fraction.len() > exponent {
            return Err("the amount has more decimals than its currency");
        }
        let padding = std::iter::repeat_n(b'0', exponent - fraction.len());
        let minor = whole
            .bytes()
            .chain(fraction.bytes())
            .chain(padding)
            .fold(0i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        Ok(Self { minor, currency })
    }

    /// The number alone with all its decimals, as the wire shows it: `10.00`, `-0.05`, yen `10`.
    pub fn to_decimal_string(self) -> String {
        let sign = if self.minor < 0 { "-" } else { "" };
        let units = self.currency.minor_units().unsigned_abs();
        let (whole, part) = (self.minor.unsigned_abs() / units, self.minor.unsigned_abs() % units);
        match self.currency.exponent() as usize {
            0 => format!("{sign}{whole}"),
            width => format!("{sign}{whole}.{part:0width$}"),
        }
    }

    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        self.combine(other, i64::checked_add)
    }

    pub fn checked_sub(self, other: Self) -> Result<Self, MoneyError> {
        self.combine(other, i64::checked_sub)
    }

    pub fn checked_neg(self) -> Result<Self, MoneyError> {
        let minor = self.minor.checked_neg().ok_or(MoneyError::Overflow)?;
        Ok(Self { minor, ..self })
    }

    pub const fn is_positive(self) -> bool {
        self.minor > 0
    }

    fn combine(self, other: Self, sum: impl Fn(i64, i64) -> Option<i64>) -> Result<Self, MoneyError> {
        if self.currency != other.currency {
            return Err(MoneyError::CurrenciesMixed);
        }
        let minor = sum(self.minor, other.minor).ok_or(MoneyError::Overflow)?;
        Ok(Self { minor, ..self })
    }
}

/// For people and logs: `10.00 EUR`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.to_decimal_string(), self.currency)
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn currency(code: &str) -> Currency {
        Currency::parse(code).unwrap()
    }

    #[test]
    fn only_money_in_use_is_a_currency() {
        assert_eq!(currency("EUR").exponent(), 2);
        assert_eq!(currency("JPY").exponent(), 0);
        assert_eq!(currency("KWD").exponent(), 3);
        for odd in ["", "eur", "EU", "EURO", "XAU", "XXX", "XTS", "CLF", "HRK", "ABC", "€"] {
            assert!(Currency::parse(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn amounts_are_read_exactly() {
        let read = |text| Money::parse(text, Currency::EUR).map(|money| money.minor);
        assert_eq!(read("0"), Ok(0));
        assert_eq!(read("10"), Ok(1000));
        assert_eq!(read("10.5"), Ok(1050));
        assert_eq!(read("0.05"), Ok(5));
        assert_eq!(read("99999999999999.99"), Ok(9_999_999_999_999_999));
        assert_eq!(Money::parse("10", Currency::JPY).map(|money| money.minor), Ok(10));
    }

    #[test]
    fn anything_else_is_no_amount() {
        let odd = [
            "",
            " ",
            "+1",
            "-1",
            "1.",
            ".5",
            "01",
            "00",
            "1,00",
            "1 000",
            " 1",
            "1\n",
            "1e3",
            "NaN",
            "1.001",
            "100000000000000",
            "٣",
            "1.٣",
            "0x1",
            "1.0.0",
            "１",
        ];
        for text in odd {
            assert!(Money::parse(text, Currency::EUR).is_err(), "{text:?}");
        }
        assert!(Money::parse("1.0", Currency::JPY).is_err());
    }

    #[test]
    fn amounts_print_all_their_decimals() {
        assert_eq!(Money::new(1000, Currency::EUR).to_decimal_string(), "10.00");
        assert_eq!(Money::new(-5, Currency::EUR).to_decimal_string(), "-0.05");
        assert_eq!(Money::new(10, Currency::JPY).to_decimal_string(), "10");
        assert_eq!(Money::new(1, currency("KWD")).to_decimal_string(), "0.001");
        assert_eq!(Money::new(i64::MIN, Currency::EUR).to_decimal_string(), "-92233720368547758.08");
        assert_eq!(Money::new(1000, Currency::EUR).to_string(), "10.00 EUR");
    }

    #[test]
    fn sums_answer_instead_of_overflowing_or_mixing() {
        let euro = |minor| Money::new(minor, Currency::EUR);
        assert_eq!(euro(1).checked_add(euro(2)), Ok(euro(3)));
        assert_eq!(euro(1).checked_sub(euro(2)), Ok(euro(-1)));
        assert_eq!(euro(i64::MAX).checked_add(euro(1)), Err(MoneyError::Overflow));
        assert_eq!(euro(i64::MIN).checked_sub(euro(1)), Err(MoneyError::Overflow));
        assert_eq!(euro(i64::MIN).checked_neg(), Err(MoneyError::Overflow));
        assert_eq!(euro(1).checked_add(Money::new(1, Currency::JPY)), Err(MoneyError::CurrenciesMixed));
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(minor in 0i64..=9_999_999_999_999_999, code in "EUR|JPY|KWD|USD") {
            let currency = currency(&code);
            let minor = minor.min(99_999_999_999_999 * currency.minor_units());
            let money = Money::new(minor, currency);
            prop_assert_eq!(Money::parse(&money.to_decimal_string(), currency), Ok(money));
        }

        #[test]
        fn no_text_makes_reading_panic(text in "[0-9.,+ e-]{0,24}") {
            let _ = Money::parse(&text, Currency::EUR);
        }
    }
}
