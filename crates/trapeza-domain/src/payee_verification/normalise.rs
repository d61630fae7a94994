//! Names made plain: lower case, no accents, Latin letters, no punctuation, no titles, no legal forms. A letter that no
//! table has stays as it is.

use crate::transliteration::{strip_diacritics, transliterate_greek};

/// Words before a name that are not of it.
const TITLES: &[&str] = &[
    "mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "mme", "mlle", "sir", "k", "kos", "ka",
    "kyrios", "kyria",
];

/// What a company is, not what it is called. Greek ones as their letters come out in Latin.
const LEGAL_FORMS: &[&str] = &[
    "ae", "sa", "gmbh", "ag", "kg", "ug", "ltd", "limited", "llc", "plc", "inc", "bv", "nv", "srl", "spa",
    "sarl", "sas", "oe", "ee", "epe", "ike", "mike", "mepe", "co",
];

/// The words of a name. `wide` writes umlauts with an e, as those do who cannot write them.
pub(super) fn normalised_words(name: &str, wide: bool) -> Vec<String> {
    let lower: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let mut letters = String::new();
    let mut at = 0;
    while at < lower.len() {
        let (latin, used) = transliterate_greek(&lower, at).unwrap_or_else(|| (latin(lower[at], wide), 1));
        letters.push_str(&latin);
        at += used;
    }
    let words: Vec<String> = letters.split_whitespace().flat_map(undotted).collect();
    without(without(words, LEGAL_FORMS), TITLES)
}

/// `s.a.` is one word, `dr.smith` are two.
fn undotted(word: &str) -> Vec<String> {
    let parts: Vec<&str> = word.split('.').filter(|part| !part.is_empty()).collect();
    if parts.iter().all(|part| part.chars().count() == 1) && !parts.is_empty() {
        return vec![parts.concat()];
    }
    parts.into_iter().map(str::to_owned).collect()
}

/// Drops these words, unless nothing would be left.
fn without(words: Vec<String>, dropped: &[&str]) -> Vec<String> {
    let kept: Vec<String> = words.iter().filter(|word| !dropped.contains(&word.as_str())).cloned().collect();
    if kept.is_empty() { words } else { kept }
}

/// A letter without its accents; marks that join words are spaces, those inside a word are nothing.
fn latin(letter: char, wide: bool) -> String {
    match letter {
        '\'' | '’' | '`' | '´' | '\u{300}'..='\u{36f}' => String::new(),
        '.' => ".".to_owned(),
        other => match strip_diacritics(other, wide) {
            Some(plain) => plain.to_owned(),
            None if other.is_alphanumeric() => other.to_string(),
            None => " ".to_owned(),
        },
    }
}
