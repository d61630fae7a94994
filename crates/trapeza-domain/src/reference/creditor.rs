//! Creditor references (ISO 11649): `RF`, two check digits and a number of the creditor's. A payer enters one with a transfer,
//! and the creditor knows by it what was paid.

use std::fmt;
use uuid::Uuid;

/// The characters of this bank's numbers, without those that are easily confused (I, L, O, U).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// The characters of a number, five bits each.
const NUMBER_LENGTH: usize = 12;
/// `RF`, check digits and number: four groups of four characters.
const LENGTH: usize = 4 + NUMBER_LENGTH;

/// A reference of this bank, in its electronic form.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CreditorReference(String);

impl CreditorReference {
    /// The reference of the object with this id: the last 60 bits of the id.
    pub fn from_uuid(id: Uuid) -> Self {
        let (_, bits) = id.as_u64_pair();
        let character = |position: usize| {
            let index = usize::try_from((bits >> (5 * position)) & 31).unwrap_or_default();
            char::from(ALPHABET[index])
        };
        let number: String = (0..NUMBER_LENGTH).rev().map(character).collect();
        let check = 98 - remainder(&format!("{number}RF00"));
        Self(format!("RF{check:02}{number}"))
    }

    /// The first valid reference in a text. Case, spaces and punctuation do not matter, because payers type references as they
    /// are printed.
    pub fn find_in(text: &str) -> Option<Self> {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        let letters = letters.collect::<String>().to_ascii_uppercase();
        let starts = letters.match_indices("RF").map(|(start, _)| start);
        starts
            .filter_map(|start| letters.get(start..start + LENGTH))
            .find(|text| is_valid(text))
            .map(Self::of)
    }

    fn of(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The printed form, in groups of four characters.
    pub fn printed(&self) -> String {
        let groups: Vec<&str> =
            (0..LENGTH).step_by(4).filter_map(|start| self.0.get(start..start + 4)).collect();
        groups.join(" ")
    }
}

impl fmt::Debug for CreditorReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CreditorReference({})", self.0)
    }
}

/// Whether the check digits of an electronic form are right.
fn is_valid(text: &str) -> bool {
    let (head, number) = text.split_at(4);
    let digits = head[2..].bytes().all(|byte| byte.is_ascii_digit());
    digits && remainder(&format!("{number}{head}")) == 1
}

/// ISO 7064 modulo 97, with letters counted from A = 10.
fn remainder(text: &str) -> u32 {
    text.chars().fold(0, |rest, character| {
        let value = character.to_digit(36).unwrap_or_default();
        if value > 9 { (rest * 100 + value) % 97 } else { (rest * 10 + value) % 97 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_match_the_example_of_the_standard() {
        assert_eq!(remainder("539007547034RF18"), 1);
        assert!(is_valid("RF18539007547034"));
        assert!(!is_valid("RF19539007547034"));
        assert!(!is_valid("RFA8539007547034"));
    }

    #[test]
    fn find_in_accepts_references_as_people_type_them() {
        let reference =
            CreditorReference::from_uuid(Uuid::from_u128(0x8f14_e45f_ceea_167a_5a36_dedd_4bea_2543));
        let printed = reference.printed();
        assert_eq!(printed.len(), LENGTH + 3);
        for text in [
            reference.as_str().to_owned(),
            printed.clone(),
            printed.to_lowercase(),
            format!("Loan {printed}, thank you"),
            format!("RF 12/{}", printed.replace(' ', "-")),
        ] {
            assert_eq!(CreditorReference::find_in(&text), Some(reference.clone()), "{text}");
        }
    }

    #[test]
    fn find_in_rejects_other_texts_and_typing_errors() {
        let reference = CreditorReference::from_uuid(Uuid::from_u128(42));
        let mut typed = reference.as_str().to_owned();
        typed.replace_range(15..16, if typed.ends_with('A') { "B" } else { "A" });
        for text in ["", "Rent of November", "RF", "RF18", typed.as_str(), &reference.as_str()[1..]] {
            assert_eq!(CreditorReference::find_in(text), None, "{text}");
        }
    }
}
