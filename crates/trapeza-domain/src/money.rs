//! Money: minor units of one currency. Nothing here rounds or mixes currencies.

use std::fmt;

/// Maximum number of digits before the decimal point (§2.1); with four decimals an amount still fits an `i64`.
const MAX_WHOLE_DIGITS: usize = 14;

/// An ISO 4217 currency in general use: no metals, funds codes, test codes or withdrawn currencies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency(iso_currency::Currency);

impl Currency {
    pub const EUR: Self = Self(iso_currency::Currency::EUR);
    pub const USD: Self = Self(iso_currency::Currency::USD);
    pub const GBP: Self = Self(iso_currency::Currency::GBP);
    pub const CHF: Self = Self(iso_currency::Currency::CHF);
    pub const JPY: Self = Self(iso_currency::Currency::JPY);

    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FAULT: &str = "must be an ISO 4217 currency code such as EUR";
        let found = iso_currency::Currency::from_code(text).ok_or(FAULT)?;
        let money = found.exponent().is_some()
            && !found.is_special()
            && !found.is_fund()
            // ISO 4217 lists the bolívar under both of its codes.
            && (found.is_superseded().is_none() || found == iso_currency::Currency::VES);
        if money && found.code() == text { Ok(Self(found)) } else { Err(FAULT) }
    }

    pub fn code(self) -> &'static str {
        self.0.code()
    }

    /// The number of decimals of an amount in this currency.
    pub fn exponent(self) -> u32 {
        u32::from(self.0.exponent().expect("parse accepts only currencies with an exponent"))
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

/// Why two amounts cannot be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoneyError {
    Overflow,
    CurrenciesMixed,
}

impl fmt::Display for MoneyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "the amount is too large",
            Self::CurrenciesMixed => "the amounts have different currencies",
        })
    }
}

impl std::error::Error for MoneyError {}

/// An amount. There are no operators on purpose: every operation states how it fails.
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

    /// Parses `^(0|[1-9]\d{0,13})(\.\d{1,n})?$` where n is the number of decimals of the currency; nothing is rounded.
    pub fn parse(text: &str, currency: Currency) -> Result<Self, &'static str> {
        const FORM: &str = "must be an amount such as 10.00: digits and a decimal point, without sign, spaces or leading zeros";
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) if digits(fraction) => (whole, fraction),
            Some(_) => return Err(FORM),
            None => (text, ""),
        };
        if !digits(whole) || (whole.len() > 1 && whole.starts_with('0')) {
            return Err(FORM);
        }
        if whole.len() > MAX_WHOLE_DIGITS {
            return Err("must have at most 14 digits before the decimal point");
        }
        let exponent = currency.exponent() as usize;
        if fraction.len() > exponent {
            return Err("must not have more decimals than its currency");
        }
        let padding = std::iter::repeat_n(b'0', exponent - fraction.len());
        let minor = whole
            .bytes()
            .chain(fraction.bytes())
            .chain(padding)
            .fold(0i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        Ok(Self { minor, currency })
    }

    /// The number with all its decimals: `10.00`, `-0.05`, yen `10`.
    pub fn to_decimal_string(self) -> String {
        let mut text = Vec::with_capacity(24);
        self.write_decimal(&mut text);
        String::from_utf8(text).expect("digits, a point and a sign are ASCII")
    }

    /// Appends what [`Self::to_decimal_string`] returns.
    pub fn write_decimal(self, out: &mut Vec<u8>) {
        // From the last digit to the first. The longest amount has 19 digits, a point and a sign.
        let mut text = [0; 24];
        let (mut start, mut digits, mut rest) = (text.len(), 0, self.minor.unsigned_abs());
        let decimals = self.currency.exponent();
        while rest > 0 || digits <= decimals {
            if digits == decimals && decimals > 0 {
                start -= 1;
                text[start] = b'.';
            }
            start -= 1;
            text[start] = b'0' + (rest % 10).to_le_bytes()[0];
            (digits, rest) = (digits + 1, rest / 10);
        }
        if self.minor < 0 {
            start -= 1;
            text[start] = b'-';
        }
        out.extend_from_slice(&text[start..]);
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
    fn currency_parse_accepts_currencies_in_use_only() {
        assert_eq!(currency("EUR").exponent(), 2);
        assert_eq!(currency("JPY").exponent(), 0);
        assert_eq!(currency("KWD").exponent(), 3);
        // Both codes of the bolívar are in use.
        assert_eq!((currency("VES").exponent(), currency("VED").exponent()), (2, 2));
        for odd in ["", "eur", "EU", "EURO", "XAU", "XXX", "XTS", "CLF", "HRK", "ABC", "€"] {
            assert!(Currency::parse(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn parse_keeps_amounts_exact() {
        let read = |text| Money::parse(text, Currency::EUR).map(|money| money.minor);
        assert_eq!(read("0"), Ok(0));
        assert_eq!(read("10"), Ok(1000));
        assert_eq!(read("10.5"), Ok(1050));
        assert_eq!(read("0.05"), Ok(5));
        assert_eq!(read("99999999999999.99"), Ok(9_999_999_999_999_999));
        assert_eq!(Money::parse("10", Currency::JPY).map(|money| money.minor), Ok(10));
    }

    #[test]
    fn parse_rejects_other_forms() {
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
    fn to_decimal_string_has_all_decimals() {
        assert_eq!(Money::new(1000, Currency::EUR).to_decimal_string(), "10.00");
        assert_eq!(Money::new(-5, Currency::EUR).to_decimal_string(), "-0.05");
        assert_eq!(Money::new(10, Currency::JPY).to_decimal_string(), "10");
        assert_eq!(Money::new(1, currency("KWD")).to_decimal_string(), "0.001");
        assert_eq!(Money::new(i64::MIN, Currency::EUR).to_decimal_string(), "-92233720368547758.08");
        assert_eq!(Money::new(1000, Currency::EUR).to_string(), "10.00 EUR");
    }

    #[test]
    fn checked_arithmetic_rejects_overflow_and_mixed_currencies() {
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
            let minor = minor.min(99_999_999_999_999 * 10i64.pow(currency.exponent()));
            let money = Money::new(minor, currency);
            prop_assert_eq!(Money::parse(&money.to_decimal_string(), currency), Ok(money));
        }

        #[test]
        fn parse_never_panics(text in "[0-9.,+ e-]{0,24}") {
            let _ = Money::parse(&text, Currency::EUR);
        }
    }
}
