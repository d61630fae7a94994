//! IBAN (ISO 13616) and BIC (ISO 9362), in their electronic form.

use iban::IbanLike;
use std::borrow::Cow;
use std::fmt;

/// An account number whose country, length and check digits are right.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Iban(iban::Iban);

impl Iban {
    /// Electronic form only, in either case; the paper form with its spaces is for people.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "not a valid IBAN";
        // Checked before the case is changed, so that no other script folds into these letters.
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

    /// Country, check digits and the last four: enough to tell two accounts apart in a log.
    pub fn masked(&self) -> String {
        let text = self.as_str();
        format!("{}…{}", &text[..4], &text[text.len() - 4..])
    }
}

/// Masked: an IBAN must not reach a log whole.
impl fmt::Debug for Iban {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Iban({})", self.masked())
    }
}

/// A bank's code: party prefix, country, suffix and perhaps a branch.
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
    fn an_iban_is_kept_in_capitals_and_shown_masked() {
        let iban = Iban::parse("gr1601101250000000012300695").unwrap();
        assert_eq!(iban.as_str(), "GR1601101250000000012300695");
        assert_eq!(iban.masked(), "GR16…0695");
        assert_eq!(format!("{iban:?}"), "Iban(GR16…0695)");
    }

    #[test]
    fn other_forms_are_no_iban() {
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
    fn a_bic_has_eight_or_eleven_places() {
        assert_eq!(Bic::parse("ethngraaxxx").unwrap().as_str(), "ETHNGRAAXXX");
        assert!(Bic::parse("ETHNGRAA").is_ok());
        for odd in ["", "ETHNGRA", "ETHNGRAAX", "ETHN12AA", "ETHNGR A", "ETHNGRÄ1"] {
            assert!(Bic::parse(odd).is_err(), "{odd}");
        }
    }
}
