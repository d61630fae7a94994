//! The account to which the bank itself pays: a merchant's settlement account, or the account of a borrower.

use crate::reference::{Bic, Iban};
use crate::text::is_control_or_bidi;

/// The longest name in a SEPA credit transfer.
const MAX_NAME_CHARS: usize = 70;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayeeAccount {
    pub iban: Iban,
    pub name: String,
    /// The payee's bank; without it the routing table decides.
    pub agent: Option<Bic>,
}

impl PayeeAccount {
    /// Checks the name, which is the only part that is not valid by construction.
    pub fn validate_name(name: &str) -> Result<(), String> {
        let length = name.trim().chars().count();
        if length == 0 || length > MAX_NAME_CHARS || name.chars().any(is_control_or_bidi) {
            return Err(format!("must have 1 to {MAX_NAME_CHARS} characters and no control characters"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::PayeeAccount;

    #[test]
    fn name_without_letters_or_with_control_characters_is_refused() {
        assert_eq!(PayeeAccount::validate_name("Παπυρος ΑΕ"), Ok(()));
        assert_eq!(PayeeAccount::validate_name(&"a".repeat(70)), Ok(()));
        for wrong in ["", " ", "a\nb", "a\u{202e}b", &"a".repeat(71)] {
            assert!(PayeeAccount::validate_name(wrong).is_err(), "{wrong:?}");
        }
    }
}
