//! A decimal number exactly as it was written, for interfaces that send money as JSON numbers.
//!
//! Such a number never passes through a float here: `0.1 + 0.2` of a caller's own float arrives as
//! `0.30000000000000004`, and is taken for thirty cents because it is as near to them as makes no difference, not
//! because some rounding happened to hide it.

mod whole;

use self::whole::Whole;
use crate::money::{Currency, Money};

/// `digits × 10^−scale`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    digits: Whole,
    scale: u32,
}

/// More digits or larger exponents are no amounts but attacks.
const LONGEST: usize = 40;
const LARGEST_EXPONENT: i32 = 20;
/// How near to a whole minor unit an amount has to be, in parts of one.
const NEAR: i64 = 10_000;

impl Decimal {
    /// Reads the text of a JSON number.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const TOO_LONG: &str = "the number is too large or has too many digits";
        if text.len() > LONGEST {
            return Err(TOO_LONG);
        }
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().map_err(|_| TOO_LONG)?;
        if exponent.abs() > LARGEST_EXPONENT {
            return Err(TOO_LONG);
        }
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = Whole::parse(whole, fraction).ok_or("not a number")?;
        let places = i32::try_from(fraction.len()).map_err(|_| TOO_LONG)? - exponent;
        match u32::try_from(places) {
            Ok(scale) => Ok(Self { digits, scale }),
            Err(_) => Ok(Self { digits: digits.times(&Whole::power(places.unsigned_abs())), scale: 0 }),
        }
    }

    /// The money that is meant: within a ten-thousandth of a minor unit of a whole one.
    pub fn money(&self, currency: Currency) -> Result<Money, &'static str> {
        let minor = self.digits.times(&Whole::power(currency.exponent()));
        let (unit, two) = (Whole::power(self.scale), Whole::from(2));
        // Half a unit is added before the division rounds down, so that negative amounts round to the nearest too.
        let nearest = minor.times(&two).plus(&unit).floor_divide(&unit.times(&two));
        let off = minor.minus(&nearest.times(&unit)).times(&Whole::from(NEAR));
        if off.reaches(&unit) {
            return Err("the amount has more decimals than its currency");
        }
        let minor = nearest.to_i64().ok_or("the amount is too large")?;
        Ok(Money::new(minor, currency))
    }

    /// The shortest text that says the same number: no exponent, no superfluous zeros.
    pub fn shortest(&self) -> String {
        let (sign, size) = (if self.is_negative() { "-" } else { "" }, self.digits.size());
        let scale = self.scale as usize;
        let padded = format!("{size:0>width$}", width = scale + 1);
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }

    pub fn from_minor(minor: i64) -> Self {
        Self { digits: minor.into(), scale: 0 }
    }

    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        Self { digits: self.digits.times(&other.digits), scale: self.scale + other.scale }
    }

    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let scale = self.scale.max(other.scale);
        Self { digits: self.raised(scale).minus(&other.raised(scale)), scale }
    }

    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let scale = self.scale.max(other.scale);
        Self { digits: self.raised(scale).plus(&other.raised(scale)), scale }
    }

    /// Whether the number is farther from zero than another, or as far.
    pub fn reaches(&self, other: &Self) -> bool {
        let scale = self.scale.max(other.scale);
        self.raised(scale).reaches(&other.raised(scale))
    }

    pub fn is_positive(&self) -> bool {
        self.digits.is_positive()
    }

    pub fn is_negative(&self) -> bool {
        self.digits.is_negative()
    }

    /// The digits that say the same number with a scale that is not less.
    fn raised(&self, scale: u32) -> Whole {
        if scale == self.scale {
            self.digits.clone()
        } else {
            self.digits.times(&Whole::power(scale - self.scale))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cents(text: &str) -> Result<i64, &'static str> {
        Decimal::parse(text)?.money(Currency::EUR).map(|money| money.minor)
    }

    #[test]
    fn what_is_as_good_as_whole_is_taken_and_nothing_else() {
        for (text, minor) in [
            ("49.9", 4990),
            ("49.90", 4990),
            ("50", 5000),
            ("0.30000000000000004", 30),
            ("0.2999999999", 30),
            ("1e2", 10_000),
            ("1.5E1", 1500),
            ("12345e-2", 12_345),
            ("-0.30000000000000004", -30),
            ("0", 0),
        ] {
            assert_eq!(cents(text), Ok(minor), "{text}");
        }
        for bad in ["0.305", "0.300002", "49.999", "1e21", "1e-21", "1e999999999999", &"9".repeat(41)] {
            assert!(cents(bad).is_err(), "{bad}");
        }
        assert_eq!(Decimal::parse("1234").unwrap().money(Currency::JPY).unwrap().minor, 1234);
        assert!(Decimal::parse("1234.5").unwrap().money(Currency::JPY).is_err());
    }

    #[test]
    fn arithmetic_is_exact() {
        let number = |text| Decimal::parse(text).unwrap();
        let third = number("0.333").times(&number("3"));
        assert!(!third.minus(&number("1")).is_positive());
        assert_eq!(third.plus(&number("0.001")).money(Currency::EUR).unwrap().minor, 100);
        assert!(number("-2").reaches(&number("1.99")) && !number("1.98").reaches(&number("-1.99")));
    }

    #[test]
    fn the_shortest_text_says_the_same() {
        for (text, shortest) in [
            ("1.50", "1.5"),
            ("1e2", "100"),
            ("-0.0250", "-0.025"),
            ("0.00", "0"),
            ("-0", "0"),
            ("12e-1", "1.2"),
            ("1e-3", "0.001"),
            ("10", "10"),
        ] {
            assert_eq!(Decimal::parse(text).unwrap().shortest(), shortest);
        }
    }

    proptest! {
        #[test]
        fn a_printed_amount_is_read_back(minor in -1_000_000_000_i64..1_000_000_000) {
            prop_assert_eq!(cents(&Money::new(minor, Currency::EUR).to_decimal_string()), Ok(minor));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9eE.+-]{0,45}") {
            let _ = Decimal::parse(&text).map(|number| number.money(Currency::EUR));
        }
    }
}
