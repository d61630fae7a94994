//! Verification of payee (VoP): compares the name that the payer gave with the names of the account's owners. Names are
//! normalised first (`normalise`). The result never contains an owner's name.

mod normalise;

use crate::string_enum::string_enum;
use normalise::normalised_words;

/// Similarity, in hundredths, from which names are a close match.
const CLOSE: usize = 80;
/// Up to this many words, every word order is tried.
const WORDS_REORDERED: usize = 4;

string_enum! {
    /// The result, in the codes of the interbank scheme.
    pub enum PayeeVerification {
        Match = "MTCH",
        Close = "CMTC",
        NoMatch = "NMTC",
        /// The owner of the account is not known here.
        NotPossible = "NOAP",
    }
}

impl PayeeVerification {
    /// Whether the payer must be warned.
    pub const fn is_warning(self) -> bool {
        !matches!(self, Self::Match)
    }
}

/// The best result over all owners of the account; without owners no verification is possible.
pub fn verify_payee_name(given: &str, owners: &[String]) -> PayeeVerification {
    let best = owners.iter().map(|owner| compare(given, owner)).min();
    best.unwrap_or(PayeeVerification::NotPossible)
}

fn compare(given: &str, owner: &str) -> PayeeVerification {
    let mut best = PayeeVerification::NoMatch;
    // An umlaut may be written with an e or without, on either side.
    for (given_wide, owner_wide) in [(true, true), (false, false), (true, false), (false, true)] {
        let (given, owner) = (normalised_words(given, given_wide), normalised_words(owner, owner_wide));
        if given.is_empty() || owner.is_empty() {
            return PayeeVerification::NoMatch;
        }
        let owner = owner.join(" ");
        for order in orders(&given) {
            best = best.min(similarity(&order.join(" "), &owner));
        }
    }
    best
}

fn similarity(one: &str, other: &str) -> PayeeVerification {
    if one == other {
        return PayeeVerification::Match;
    }
    let longest = one.chars().count().max(other.chars().count());
    let same = longest - strsim::levenshtein(one, other);
    if same * 100 >= longest * CLOSE { PayeeVerification::Close } else { PayeeVerification::NoMatch }
}

/// All orders of the words, or only the given order when there are too many.
fn orders(words: &[String]) -> Vec<Vec<String>> {
    if words.len() < 2 || words.len() > WORDS_REORDERED {
        return vec![words.to_vec()];
    }
    let mut all = Vec::new();
    for (first, word) in words.iter().enumerate() {
        let mut rest = words.to_vec();
        rest.remove(first);
        for tail in orders(&rest) {
            all.push(std::iter::once(word.clone()).chain(tail).collect());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::PayeeVerification::{Close, Match, NoMatch, NotPossible};
    use super::*;

    fn check(given: &str, owners: &[&str]) -> PayeeVerification {
        let owners: Vec<String> = owners.iter().map(|owner| (*owner).to_owned()).collect();
        verify_payee_name(given, &owners)
    }

    #[test]
    fn spelling_variants_match() {
        for (given, owner) in [
            ("JEAN DUPONT", "Jean Dupont"),
            ("Dupont Jean", "Jean Dupont"),
            ("Dupont, Jean", "Jean Dupont"),
            ("Mr. Jean Dupont", "Jean Dupont"),
            ("François Müller", "Francois Mueller"),
            ("Francois Muller", "François Müller"),
            ("Groß", "GROSS"),
            ("Søren Kierkegaard", "Soeren Kierkegaard"),
            ("Μαρία Παπαδοπούλου", "Maria Papadopoulou"),
            ("MARIA PAPADOPOULOU", "Μαρία Παπαδοπούλου"),
            ("Παπαδοπούλου Μαρία του Νίκου", "Maria tou Nikou Papadopoulou"),
            ("Αθηναϊκή Ζυθοποιία Α.Ε.", "Αθηναϊκή Ζυθοποιία"),
            ("Trapeza S.A.", "Trapeza"),
            ("Beispiel GmbH", "Beispiel"),
            ("Anne-Marie O'Neill", "Anne Marie ONeill"),
        ] {
            assert_eq!(check(given, &[owner]), Match, "{given} / {owner}");
        }
    }

    #[test]
    fn similar_names_are_close_matches() {
        assert_eq!(check("Jaen Dupont", &["Jean Dupont"]), Close);
        assert_eq!(check("Maxime Dupont", &["Jean Dupont"]), NoMatch);
        assert_eq!(check("Maria Papadopulou", &["Μαρία Παπαδοπούλου"]), Close);
        assert_eq!(check("Eleni Papadaki", &["Nikos Georgiou"]), NoMatch);
        assert_eq!(check("!!!", &["Nikos Georgiou"]), NoMatch);
        // 1 of 5 is exactly 0.80; 1 of 4 is less.
        assert_eq!(check("abcde", &["abcdx"]), Close);
        assert_eq!(check("abcd", &["abcx"]), NoMatch);
    }

    #[test]
    fn every_owner_of_a_joint_account_is_compared() {
        assert_eq!(check("Nikos Georgiou", &["Maria Ioannou", "Nikos Georgiou"]), Match);
        assert_eq!(check("Nikos Georgio", &["Maria Ioannou", "Nikos Georgiou"]), Close);
        assert_eq!(check("Nikos Georgiou", &[]), NotPossible);
    }

    #[test]
    fn more_than_four_words_keep_their_order() {
        assert_eq!(check("a b c d e", &["a b c d e"]), Match);
        assert_eq!(check("e d c b a", &["a b c d e"]), NoMatch);
    }

    #[test]
    fn single_legal_form_or_title_is_a_name() {
        assert_eq!(check("Sa", &["Sa"]), Match);
        assert_eq!(check("SA", &["GmbH"]), NoMatch);
    }
}
