//! Verification of Payee: whether the name a payer gave is that of the account's owner. What is compared are names made
//! plain (`fold`); which account it is, and who owns it, is told by the caller. Nothing here tells the owner's name.

mod normalise;

use crate::string_enum::string_enum;
use normalise::normalised_words;

/// A name this near, in hundredths, is a close match.
const CLOSE: usize = 80;
/// Words are tried in every order up to this many.
const WORDS_REORDERED: usize = 4;

string_enum! {
    /// How a name fits, in the words of the interbank scheme.
    pub enum PayeeVerification {
        Match = "MTCH",
        Close = "CMTC",
        NoMatch = "NMTC",
        /// Nobody here knows who owns the account.
        NotPossible = "NOAP",
    }
}

impl PayeeVerification {
    /// Whether the payer has to hear of it.
    pub const fn is_warning(self) -> bool {
        !matches!(self, Self::Match)
    }
}

/// The best of what the name is to each owner of the account; without an owner nothing can be said.
pub fn payee_verification(given: &str, owners: &[String]) -> PayeeVerification {
    let best = owners.iter().map(|owner| compare(given, owner)).min();
    best.unwrap_or(PayeeVerification::NotPossible)
}

fn compare(given: &str, owner: &str) -> PayeeVerification {
    let mut best = PayeeVerification::NoMatch;
    // An umlaut may be written with an e or left bare, by either side.
    for (given_wide, owner_wide) in [(true, true), (false, false), (true, false), (false, true)] {
        let (given, owner) = (normalised_words(given, given_wide), normalised_words(owner, owner_wide));
        if given.is_empty() || owner.is_empty() {
            return PayeeVerification::NoMatch;
        }
        let owner = owner.join(" ");
        for order in orders(&given) {
            best = best.min(nearness(&order.join(" "), &owner));
        }
    }
    best
}

fn nearness(one: &str, other: &str) -> PayeeVerification {
    if one == other {
        return PayeeVerification::Match;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let longest = one.len().max(other.len());
    let same = longest - distance(&one, &other);
    if same * 100 >= longest * CLOSE { PayeeVerification::Close } else { PayeeVerification::NoMatch }
}

/// Levenshtein's: how many letters have to be put in, taken out or changed.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let changed = corner + usize::from(a != b);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[other.len()]
}

/// The words in every order, or only as they are when there are many.
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
        payee_verification(given, &owners)
    }

    #[test]
    fn names_that_differ_only_in_their_writing_match() {
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
    fn near_is_close_and_far_is_not() {
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
    fn each_owner_of_a_joint_account_is_asked() {
        assert_eq!(check("Nikos Georgiou", &["Maria Ioannou", "Nikos Georgiou"]), Match);
        assert_eq!(check("Nikos Georgio", &["Maria Ioannou", "Nikos Georgiou"]), Close);
        assert_eq!(check("Nikos Georgiou", &[]), NotPossible);
    }

    #[test]
    fn five_words_keep_their_order() {
        assert_eq!(check("a b c d e", &["a b c d e"]), Match);
        assert_eq!(check("e d c b a", &["a b c d e"]), NoMatch);
    }

    #[test]
    fn a_legal_form_or_a_title_alone_is_a_name() {
        assert_eq!(check("Sa", &["Sa"]), Match);
        assert_eq!(check("SA", &["GmbH"]), NoMatch);
    }
}
