//! Names of accounts. An account has the name that its owner gave it, at first the bank's; the bank's own names are translated.

use crate::Language;
use trapeza_domain::account::AccountName;

/// The names that the bank and its sandbox give, in both languages.
const NAMES: [(&str, &str); 8] = [
    ("Current account", "Τρεχούμενος λογαριασμός"),
    ("Savings account", "Λογαριασμός ταμιευτηρίου"),
    ("Savings", "Αποταμίευση"),
    ("Old account", "Παλιός λογαριασμός"),
    ("Travel, yen", "Ταξίδια, γιεν"),
    ("Travel, dollars", "Ταξίδια, δολάρια"),
    ("Household", "Νοικοκυριό"),
    ("Operations", "Λειτουργικά"),
];

/// The name in the language of its reader. A name that the owner chose stays as it is.
pub fn account_name(language: Language, name: &AccountName) -> &str {
    let text = name.as_str();
    match language {
        Language::Greek if !name.is_own() => {
            NAMES.iter().find(|(english, _)| *english == text).map_or(text, |(_, greek)| greek)
        }
        Language::Greek | Language::English => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_name_of_the_bank_is_translated_and_of_the_owner_is_not() {
        let (of_bank, own) = (AccountName::of_bank("Current account"), AccountName::own("Current account"));
        assert_eq!(account_name(Language::Greek, &of_bank), "Τρεχούμενος λογαριασμός");
        assert_eq!(account_name(Language::English, &of_bank), "Current account");
        assert_eq!(account_name(Language::Greek, &AccountName::of_bank("Girokonto")), "Girokonto");
        assert_eq!(
            account_name(Language::Greek, &own),
            "Current account",
            "the owner's, spelled like the bank's"
        );
    }
}
