//! Normalised names: lower case, no accents, Latin letters, no punctuation, titles or legal forms. A letter that no table
//! contains stays as it is.

use crate::transliteration::{strip_diacritics, transliterate_greek};

/// Titles before a name.
const TITLES: &[&str] = &[
    "mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "mme", "mlle", "sir", "k", "kos", "ka",
    "kyrios", "kyria",
];

/// Legal forms of companies; Greek ones transliterated.
const LEGAL_FORMS: &[&str] = &[
    "ae", "sa", "gmbh", "ag", "kg", "ug", "ltd", "limited", "llc", "plc", "inc", "bv", "nv", "srl", "spa",
    "sarl", "sas", "oe", "ee", "epe", "ike", "mike", "mepe", "co",
];

/// The words of a name. With `wide`, umlauts are written with an e.
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

/// Removes these words unless nothing would remain.
fn without(words: Vec<String>, dropped: &[&str]) -> Vec<String> {
    let kept: Vec<String> = words.iter().filter(|word| !dropped.contains(&word.as_str())).cloned().collect();
    if kept.is_empty() { words } else { kept }
}

/// A letter without accents; punctuation between words becomes a space, inside a word nothing.
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
