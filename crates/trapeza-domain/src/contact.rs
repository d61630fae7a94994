//! Telephone numbers and e-mail addresses.

mod country;

pub use country::Country;

use email_address::{EmailAddress, Options};
use std::fmt;

/// A telephone number in E.164: a plus sign and 7 to 15 digits. Small countries have numbers of four digits after
/// their country code.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Phone(String);

impl Phone {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "must be a telephone number in international form: a plus sign and 7 to 15 digits, for example +306912345678";
        let digits = text.strip_prefix('+').ok_or(FORM)?;
        let right = (7..=15).contains(&digits.len())
            && digits.bytes().all(|b| b.is_ascii_digit())
            && !digits.starts_with('0');
        if right { Ok(Self(text.to_owned())) } else { Err(FORM) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last two digits, enough for the owner to recognise the number.
    pub fn last_digits(&self) -> &str {
        self.0.split_at(self.0.len() - 2).1
    }

    /// Shows the last two digits only.
    pub fn masked(&self) -> String {
        "*".repeat(self.0.len() - 2) + self.last_digits()
    }
}

impl fmt::Debug for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Phone({})", self.masked())
    }
}

/// An e-mail address as in RFC 5321: at most 254 characters, no display name.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "must be an e-mail address";
        let options = Options::default().without_display_text().without_domain_literal();
        if text.len() > 254 {
            return Err("must have at most 254 characters");
        }
        EmailAddress::parse_with_options(text, options).map_err(|_| FORM)?;
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Shows the first letter and the domain.
    pub fn masked(&self) -> String {
        let domain = self.0.rsplit_once('@').map_or("", |(_, domain)| domain);
        format!("{}…@{domain}", self.0.chars().next().unwrap_or('…'))
    }
}

impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Email({})", self.masked())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phone_accepts_e164_only() {
        let phone = Phone::parse("+306912345678").unwrap();
        assert_eq!(phone.masked(), "***********78");
        assert_eq!(format!("{phone:?}"), "Phone(***********78)");
        // Niue has numbers of four digits.
        assert!(Phone::parse("+6834000").is_ok());
        for odd in [
            "",
            "306912345678",
            "+0306912345",
            "+123456",
            "+1234567890123456",
            "+30 6912345678",
            "+30٣912345",
        ] {
            assert!(Phone::parse(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn email_accepts_bare_addresses_only() {
        let email = Email::parse("eleni@example.gr").unwrap();
        assert_eq!(format!("{email:?}"), "Email(e…@example.gr)");
        for odd in ["", "eleni", "@example.gr", "Eleni <eleni@example.gr>", "a@[127.0.0.1]", "a b@example.gr"]
        {
            assert!(Email::parse(odd).is_err(), "{odd}");
        }
        assert!(Email::parse(&format!("a@{}.gr", "b".repeat(260))).is_err());
    }
}
