//! Domestic account numbers and telephone numbers as account references.

use crate::contact::Phone;
use std::fmt;

/// A domestic account number: up to 30 letters and digits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bban(String);

impl Bban {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let right = (1..=30).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric());
        if right { Ok(Self(text.to_owned())) } else { Err("not a BBAN: 1 to 30 letters and digits") }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Bban {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bban(…{})", &self.0[self.0.len().saturating_sub(4)..])
    }
}

/// A telephone number that refers to an account; the plus sign is optional.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Msisdn(Phone);

impl Msisdn {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let phone =
            if text.starts_with('+') { Phone::parse(text) } else { Phone::parse(&format!("+{text}")) };
        phone.map(Self).map_err(|_| "must be a telephone number with country code, 7 to 15 digits")
    }

    /// With the plus sign.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bban_is_short_and_alphanumeric() {
        assert_eq!(format!("{:?}", Bban::parse("0110125000").unwrap()), "Bban(…5000)");
        assert!(Bban::parse("").is_err());
        assert!(Bban::parse("12-34").is_err());
        assert!(Bban::parse(&"1".repeat(31)).is_err());
    }

    #[test]
    fn msisdn_plus_sign_is_optional() {
        assert_eq!(Msisdn::parse("306912345678"), Msisdn::parse("+306912345678"));
        assert!(Msisdn::parse("06912345678").is_err());
    }
}
