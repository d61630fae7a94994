//! Decimal numbers exactly as a caller wrote them, for fields that carry money as JSON numbers.
//!
//! No number passes through a float: a caller's own `0.1 + 0.2` arrives as `0.30000000000000004` and is accepted as thirty
//! cents because it is within [`TOLERANCE`] of them.

pub use rust_decimal::Decimal;

use crate::money::{Currency, Money};
use rust_decimal::prelude::ToPrimitive;

/// Longer texts and larger exponents are not amounts.
const MAX_LENGTH: usize = 40;
const MAX_EXPONENT: i32 = 20;
/// How far an amount may be from a whole number of minor units: a ten-thousandth of one.
const TOLERANCE: Decimal = Decimal::from_parts(1, 0, 0, false, 4);

/// Parses the text of a JSON number of at most 28 significant digits.
pub fn parse_decimal(text: &str) -> Result<Decimal, &'static str> {
    const TOO_LONG: &str = "must be a smaller number with fewer digits";
    if text.len() > MAX_LENGTH {
        return Err(TOO_LONG);
    }
    let number = match text.split_once(['e', 'E']) {
        None => Decimal::from_str_exact(text),
        Some((_, exponent)) => match exponent.parse::<i32>() {
            Ok(exponent) if exponent.abs() <= MAX_EXPONENT => Decimal::from_scientific(text),
            _ => return Err(TOO_LONG),
        },
    };
    number.map_err(|error| match error {
        rust_decimal::Error::ErrorString(_) => "must be a number",
        _ => TOO_LONG,
    })
}

/// The money that a number means: the nearest minor unit, if the number is within [`TOLERANCE`] of it.
pub fn to_money(number: Decimal, currency: Currency) -> Result<Money, &'static str> {
    const TOO_LARGE: &str = "must be a smaller amount";
    let factor = Decimal::from(10_i64.pow(currency.exponent()));
    let minor = number.checked_mul(factor).ok_or(TOO_LARGE)?;
    let nearest = minor.round();
    if (minor - nearest).abs() >= TOLERANCE {
        return Err("must not have more decimals than its currency");
    }
    let minor = nearest.to_i64().ok_or(TOO_LARGE)?;
    Ok(Money::new(minor, currency))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cents(text: &str) -> Result<i64, &'static str> {
        parse_decimal(text).and_then(|number| to_money(number, Currency::EUR)).map(|money| money.minor)
    }

    #[test]
    fn to_money_accepts_numbers_within_the_tolerance_only() {
        for (text, expected) in [
            ("0.3", 30),
            ("0.30000000000000004", 30),
            ("0.29999999999999999", 30),
            ("49.90", 4990),
            ("1e2", 10_000),
            ("1.5E1", 1_500),
            ("12e-1", 120),
            ("-0.05", -5),
            ("-0", 0),
            ("92233720368547758.07", i64::MAX),
        ] {
            assert_eq!(cents(text), Ok(expected), "{text}");
        }
        for bad in
            ["0.305", "0.300002", "49.999", "1e21", "1e-21", "1e999999999999", &"9".repeat(41), "x", ""]
        {
            assert!(cents(bad).is_err(), "{bad}");
        }
        assert!(cents("92233720368547758.08").is_err());
    }

    #[test]
    fn normalised_number_has_no_exponent_and_no_trailing_zeros() {
        for (text, expected) in
            [("1.50", "1.5"), ("1e2", "100"), ("-0.0250", "-0.025"), ("0.00", "0"), ("1e-3", "0.001")]
        {
            assert_eq!(parse_decimal(text).unwrap().normalize().to_string(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn amounts_of_minor_units_are_exact(minor in -1_000_000_000_000i64..1_000_000_000_000) {
            let text = Money::new(minor, Currency::EUR).to_decimal_string();
            prop_assert_eq!(cents(&text), Ok(minor));
        }

        #[test]
        fn parse_decimal_never_panics(text in "[0-9.+eE-]{0,45}") {
            let _ = cents(&text);
        }
    }
}
