//! Card numbers. A whole number exists only until it is hashed and is wiped then; its mask is stored.

use crate::secret::Secret;
use std::fmt;

/// A card number with a valid check digit (ISO/IEC 7812). It has no Display, and its Debug is the mask.
#[derive(Clone)]
pub struct Pan(Secret<String>);

impl Pan {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let digits = (12..=19).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        if !digits {
            return Err("not a card number: 12 to 19 digits without spaces");
        }
        if !luhn(text.as_bytes()) {
            return Err("not a card number: the check digit is wrong");
        }
        Ok(Self(Secret::new(text.to_owned())))
    }

    /// The digits, for hashing and for the card holder.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    pub fn first_six(&self) -> &str {
        &self.expose()[..6]
    }

    pub fn last_four(&self) -> &str {
        &self.expose()[self.expose().len() - 4..]
    }

    pub fn masked(&self) -> MaskedPan {
        let hidden = "*".repeat(self.expose().len() - 10);
        MaskedPan(format!("{}{hidden}{}", self.first_six(), self.last_four()))
    }
}

impl PartialEq for Pan {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Pan {}

impl fmt::Debug for Pan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pan({})", self.masked().as_str())
    }
}

/// The part of a card number that may be stored and displayed: the first six and the last four digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MaskedPan(String);

impl MaskedPan {
    /// `*`, `x` and `X` hide a digit; stored with `*`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "must be a masked card number such as 411111******1111";
        let bytes = text.as_bytes();
        if !(12..=19).contains(&bytes.len()) || !text.is_ascii() {
            return Err(FORM);
        }
        let (first, rest) = bytes.split_at(6);
        let (hidden, last) = rest.split_at(rest.len() - 4);
        let shown = first.iter().chain(last).all(u8::is_ascii_digit);
        if !shown || !hidden.iter().all(|b| matches!(b, b'*' | b'x' | b'X')) {
            return Err(FORM);
        }
        let stars = "*".repeat(hidden.len());
        Ok(Self(format!("{}{stars}{}", &text[..6], &text[text.len() - 4..])))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The Luhn check of ISO/IEC 7812-1 over ASCII digits.
fn luhn(digits: &[u8]) -> bool {
    let weigh = |(place, byte): (usize, &u8)| {
        let digit = u32::from(byte - b'0');
        match (place % 2, digit * 2) {
            (0, _) => digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        }
    };
    digits.iter().rev().enumerate().map(weigh).sum::<u32>() % 10 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pan_debug_shows_the_mask() {
        let pan = Pan::parse("4111111111111111").unwrap();
        assert_eq!(pan.masked().as_str(), "411111******1111");
        assert_eq!((pan.first_six(), pan.last_four()), ("411111", "1111"));
        assert_eq!(format!("{pan:?}"), "Pan(411111******1111)");
        assert_eq!(pan.expose(), "4111111111111111");
    }

    #[test]
    fn pan_parse_rejects_invalid_numbers() {
        for odd in [
            "",
            "4111111111111112",
            "4111 1111 1111 1111",
            "41111111111",
            "41111111111111111111",
            "411111111111111１",
        ] {
            assert!(Pan::parse(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn masked_pan_has_six_and_four_digits() {
        assert_eq!(MaskedPan::parse("411111xxxxxx1111").unwrap().as_str(), "411111******1111");
        for odd in [
            "",
            "4111111111111111",
            "41111*******1111",
            "411111******111",
            "411111--****1111",
            "41111é******1111",
        ] {
            assert!(MaskedPan::parse(odd).is_err(), "{odd}");
        }
    }
}
