//! Names of accounts. An account has the name that its owner gave it, at first the bank's; the bank's own names are translated.

use crate::Language;

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
pub fn account_name(language: Language, name: &str) -> &str {
    match language {
        Language::English => name,
        Language::Greek => {
            NAMES.iter().find(|(english, _)| *english == name).map_or(name, |(_, greek)| greek)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_name_of_the_bank_is_translated_and_of_the_owner_is_not() {
        assert_eq!(account_name(Language::Greek, "Current account"), "Τρεχούμενος λογαριασμός");
        assert_eq!(account_name(Language::English, "Current account"), "Current account");
        assert_eq!(account_name(Language::Greek, "Girokonto"), "Girokonto");
    }
}
