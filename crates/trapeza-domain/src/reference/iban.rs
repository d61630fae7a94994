//! IBAN (ISO 13616) and BIC (ISO 9362), in their electronic form.

use arrayvec::ArrayString;
use iban::{BaseIban, IbanLike};
use std::borrow::Cow;
use std::fmt;

/// Structures that the register of ISO 13616 has and the `iban` crate has not: country, then each character of the domestic
/// number as a letter (`a`), a digit (`n`) or either (`c`).
const ADDED_STRUCTURES: [(&str, &str); 3] =
    [("BR", "ccccccccnnnnnnnnnnnnnnnac"), ("HN", "aaaannnnnnnnnnnnnnnnnnnn"), ("PK", "aaaacccccccccccccccc")];

const FORM: &str = "must be a valid IBAN";

/// An account number with a valid country, length and check digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Iban(ArrayString<MAX_LENGTH>);

/// The longest IBAN of the standard.
const MAX_LENGTH: usize = 34;

impl Iban {
    /// Electronic form only, upper or lower case; spaces are rejected.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        // Checked before the case is changed, so that no letter of another script maps to ASCII.
        if !text.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(FORM);
        }
        let capitals = match text.bytes().any(|b| b.is_ascii_lowercase()) {
            true => Cow::Owned(text.to_ascii_uppercase()),
            false => Cow::Borrowed(text),
        };
        let base: BaseIban = capitals.parse().map_err(|_| FORM)?;
        // Other check digits have the same remainder as these, but are never computed.
        let is_right = (2..=98).contains(&base.check_digits()) && has_structure(base);
        if is_right { Self::parse_stored(base.electronic_str()) } else { Err(FORM) }
    }

    /// An IBAN that was parsed before. Check digits and structure are not computed again: each read of an account would pay for it, and
    /// a stored IBAN must be readable whatever the register becomes.
    pub fn parse_stored(text: &str) -> Result<Self, &'static str> {
        let is_form = text.len() > 4 && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        ArrayString::from(text).ok().filter(|_| is_form).map(Self).ok_or(FORM)
    }

    /// The bank's code inside the IBAN, where the country's structure has one.
    pub fn bank_code(&self) -> Option<String> {
        self.as_str().parse::<iban::Iban>().ok()?.bank_identifier().map(str::to_owned)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn country(&self) -> &str {
        self.as_str().get(..2).unwrap_or_default()
    }

    /// The printed form, in groups of four characters.
    pub fn printed(&self) -> String {
        let groups =
            self.as_str().as_bytes().chunks(4).map(|group| String::from_utf8_lossy(group).into_owned());
        groups.collect::<Vec<_>>().join(" ")
    }

    /// Country, check digits and the last four characters: enough to distinguish accounts in a log.
    pub fn masked(&self) -> String {
        let text = self.as_str();
        format!("{}…{}", &text[..4], &text[text.len() - 4..])
    }
}

fn has_structure(iban: BaseIban) -> bool {
    let added = ADDED_STRUCTURES.iter().find(|(country, _)| *country == iban.country_code());
    let Some((_, structure)) = added else { return iban::Iban::try_from(iban).is_ok() };
    let domestic = &iban.electronic_str()[4..];
    domestic.len() == structure.len()
        && domestic.bytes().zip(structure.bytes()).all(|(character, kind)| match kind {
            b'a' => character.is_ascii_uppercase(),
            b'n' => character.is_ascii_digit(),
            _ => character.is_ascii_alphanumeric(),
        })
}

/// Masked: a log must not contain a whole IBAN.
impl fmt::Debug for Iban {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Iban({})", self.masked())
    }
}

/// A BIC: party prefix, country, suffix and an optional branch.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bic(ArrayString<11>);

impl Bic {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let bytes = text.as_bytes();
        let is_right = matches!(bytes.len(), 8 | 11)
            && bytes.iter().all(u8::is_ascii_alphanumeric)
            && bytes[4..6].iter().all(u8::is_ascii_alphabetic);
        let bic = ArrayString::from(text).ok().filter(|_| is_right);
        let mut bic = bic.ok_or("not a BIC: 8 or 11 letters and digits")?;
        bic.make_ascii_uppercase();
        Ok(Self(bic))
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
        assert_eq!(iban.printed(), "GR16 0110 1250 0000 0001 2300 695");
        assert_eq!(format!("{iban:?}"), "Iban(GR16…0695)");
    }

    #[test]
    fn stored_iban_is_read_as_it_was_parsed() {
        let iban = Iban::parse("GR1601101250000000012300695").unwrap();
        assert_eq!(Iban::parse_stored(iban.as_str()), Ok(iban));
        assert_eq!((iban.country(), iban.bank_code().as_deref()), ("GR", Some("011")));
        for odd in ["", "GR16", "gr1601101250000000012300695", "GR16 0110", &"1".repeat(35), "GR16é0000"] {
            assert!(Iban::parse_stored(odd).is_err(), "{odd}");
        }
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
    fn iban_parse_accepts_check_digits_from_02_to_98() {
        // The same account: 97 more or less has the same remainder.
        assert!(Iban::parse("DE02100100100006820101").is_ok());
        assert!(Iban::parse("DE99100100100006820101").is_err());
        let with = |digits: u32, domestic: &str| format!("DE{digits:02}{domestic}");
        let mut accepted = 0;
        for account in 0..200 {
            let domestic = format!("10010010{account:010}");
            let digits: Vec<u32> = (0..=99).filter(|d| Iban::parse(&with(*d, &domestic)).is_ok()).collect();
            assert_eq!(digits.len(), 1, "{domestic}: {digits:?}");
            assert!((2..=98).contains(&digits[0]), "{domestic}: {digits:?}");
            accepted += 1;
        }
        assert_eq!(accepted, 200);
    }

    #[test]
    fn iban_parse_follows_the_current_register() {
        for example in [
            "PK36SCBL0000001123456702",
            "HN88CABF00000000000250005469",
            "BR1800360305000010009795493C1",
            "BR1500000000000010932840814P2",
            "NI45BAPR00000013000003558124",
            "RU0204452560040702810412345678901",
        ] {
            assert!(Iban::parse(example).is_ok(), "{example}");
        }
        assert!(Iban::parse("PK36SCBL000000112345670").is_err());
    }

    #[test]
    fn bank_code_is_part_of_the_domestic_number() {
        let code = |text| Iban::parse(text).unwrap().bank_code();
        assert_eq!(code("DE89370400440532013000").as_deref(), Some("37040044"));
        assert_eq!(code("GR1601101250000000012300695").as_deref(), Some("011"));
        assert_eq!(code("IT60X0542811101000000123456").as_deref(), Some("05428"));
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
