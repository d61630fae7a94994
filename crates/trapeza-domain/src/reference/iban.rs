//! IBAN (ISO 13616) and BIC (ISO 9362), in their electronic form.

use iban::IbanLike;
use std::borrow::Cow;
use std::fmt;

/// An account number with a valid country, length and check digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Iban(iban::Iban);

impl Iban {
    /// Electronic form only, upper or lower case; spaces are rejected.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "must be a valid IBAN";
        // Checked before the case is changed, so that no letter of another script maps to ASCII.
        if !text.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(FORM);
        }
        let capitals = match text.bytes().any(|b| b.is_ascii_lowercase()) {
            true => Cow::Owned(text.to_ascii_uppercase()),
            false => Cow::Borrowed(text),
        };
        capitals.parse().map(Self).map_err(|_| FORM)
    }

    pub fn as_str(&self) -> &str {
        self.0.electronic_str()
    }

    pub fn country(&self) -> &str {
        self.0.country_code()
    }

    /// Country, check digits and the last four characters: enough to distinguish accounts in a log.
    pub fn masked(&self) -> String {
        let text = self.as_str();
        format!("{}…{}", &text[..4], &text[text.len() - 4..])
    }
}

/// Masked: a log must not contain a whole IBAN.
impl fmt::Debug for Iban {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Iban({})", self.masked())
    }
}

/// A BIC: party prefix, country, suffix and an optional branch.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bic(String);

impl Bic {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let bytes = text.as_bytes();
        let right = matches!(bytes.len(), 8 | 11)
            && bytes.iter().all(u8::is_ascii_alphanumeric)
            && bytes[4..6].iter().all(u8::is_ascii_alphabetic);
        if right { Ok(Self(text.to_ascii_uppercase())) } else { Err("not a BIC: 8 or 11 letters and digits") }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Bic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bic({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iban_is_stored_in_upper_case_and_masked_in_debug() {
        let iban = Iban::parse("gr1601101250000000012300695").unwrap();
        assert_eq!(iban.as_str(), "GR1601101250000000012300695");
        assert_eq!(iban.masked(), "GR16…0695");
        assert_eq!(format!("{iban:?}"), "Iban(GR16…0695)");
    }

    #[test]
    fn iban_parse_rejects_other_forms() {
        let odd = [
            "",
            "GR16 0110 1250 0000 0001 2300 695",
            "GR1701101250000000012300695",
            "GR16",
            "ZZ1601101250000000012300695",
        ];
        for text in odd {
            assert!(Iban::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bic_has_eight_or_eleven_characters() {
        assert_eq!(Bic::parse("ethngraaxxx").unwrap().as_str(), "ETHNGRAAXXX");
        assert!(Bic::parse("ETHNGRAA").is_ok());
        for odd in ["", "ETHNGRA", "ETHNGRAAX", "ETHN12AA", "ETHNGR A", "ETHNGRÄ1"] {
            assert!(Bic::parse(odd).is_err(), "{odd}");
        }
    }
}
