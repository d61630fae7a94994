//! The SEPA character set: Latin letters, digits and a few punctuation marks. Letters are converted by the best practices of
//! the European Payments Council (EPC217-08): Greek and Bulgarian Cyrillic are transliterated, accents removed, ligatures and
//! full-width letters decomposed. Other characters become a full stop.

use crate::transliteration::{strip_diacritics, transliterate_cyrillic, transliterate_greek};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The value for a text that is absent or empty after conversion.
const NOT_PROVIDED: &str = "NOTPROVIDED";

/// Converts a text and truncates it to `max` characters.
pub fn to_sepa_charset(text: &str, max: usize) -> String {
    let mut letters = Vec::new();
    let mut capital = Vec::new();
    for letter in text.chars() {
        for small in letter.to_lowercase() {
            letters.push(small);
            capital.push(letter.is_uppercase());
        }
    }
    let mut out = String::new();
    let mut at = 0;
    while at < letters.len() {
        let (latin, used) = match transliterate_greek(&letters, at) {
            Some(found) => found,
            None => (spelled(letters[at]), 1),
        };
        if capital[at] {
            let others = at.checked_sub(1).is_some_and(|before| capital[before])
                || capital.get(at + used).is_some_and(|next| *next)
                || (used == 2 && capital[at + 1]);
            push_capital(&mut out, &latin, others);
        } else {
            out.push_str(&latin);
        }
        at += used;
    }
    let kept: String = out.trim().chars().take(max).collect();
    let kept = kept.trim_end();
    if kept.is_empty() { NOT_PROVIDED.to_owned() } else { kept.to_owned() }
}

/// Converts a reference: additionally without a slash at either end or two in a row, as the scheme requires.
pub fn sepa_reference(text: Option<&str>, max: usize) -> String {
    let Some(text) = text else { return NOT_PROVIDED.to_owned() };
    let mut plain = to_sepa_charset(text, max).replace("//", "--");
    if plain.starts_with('/') {
        plain.replace_range(..1, "-");
    }
    if plain.ends_with('/') {
        plain.replace_range(plain.len() - 1.., "-");
    }
    plain
}

/// A letter that becomes two is capitalised according to its neighbours: ΘΕΟΣ is THEOS, Θεός is Theos.
fn push_capital(out: &mut String, latin: &str, among_capitals: bool) {
    if among_capitals {
        out.push_str(&latin.to_uppercase());
        return;
    }
    let mut letters = latin.chars();
    if let Some(first) = letters.next() {
        out.push(first.to_ascii_uppercase());
        out.push_str(letters.as_str());
    }
}

fn spelled(letter: char) -> String {
    if letter.is_ascii_alphanumeric() || "/-?:().,'+ ".contains(letter) {
        return letter.to_string();
    }
    if let Some(plain) = strip_diacritics(letter).or_else(|| transliterate_cyrillic(letter)) {
        return plain.to_owned();
    }
    let mark = match letter {
        '\u{300}'..='\u{36f}' => "",
        letter if letter.is_whitespace() => " ",
        '&' => "+",
        ';' => ",",
        '[' | '{' => "(",
        ']' | '}' => ")",
        '_' | '~' | '–' | '—' => "-",
        '\\' | '|' => "/",
        '`' | '´' | '’' | '‘' | 'ʼ' => "'",
        '€' => "EUR",
        _ => return decomposed(letter),
    };
    mark.to_owned()
}

/// The parts of a ligature, a full-width letter or a letter with accents; a full stop when it has none.
fn decomposed(letter: char) -> String {
    let parts: String = letter.nfkd().filter(|part| !is_combining_mark(*part)).collect();
    if parts.chars().eq([letter]) { ".".to_owned() } else { parts.chars().map(spelled).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_transliterated() {
        for (text, expected) in [
            ("Eleni Papadaki", "Eleni Papadaki"),
            ("Μαρία Παπαδοπούλου", "Maria Papadopoulou"),
            ("ΘΕΟΔΩΡΟΣ ΨΑΡΡΑΣ", "THEODOROS PSARRAS"),
            ("Θεόδωρος Χατζής", "Theodoros Chatzis"),
            ("Ευάγγελος Αυγουστίνος", "Evangelos Avgoustinos"),
            ("Γιώργος & Υιοί Ο.Ε.", "Giorgos + Yioi O.E."),
            ("Müller GmbH & Co. KG", "Mueller GmbH + Co. KG"),
            ("GROẞE Straße", "GROSSE Strasse"),
            ("Łódź Žižkov", "Lodz Zizkov"),
            ("Rent [May]; 20€", "Rent (May), 20EUR"),
            ("e\u{301}te\u{301}", "ete"),
            ("Иван Петров", "Ivan Petrov"),
            ("ЩЕРЬО ЖЕЧЕВ", "SHTERYO ZHECHEV"),
            ("Юлия Ѝорданова Цачева", "Yuliya Iordanova Tsacheva"),
            ("България ЕООД", "Balgariya EOOD"),
            ("ĲSSEL ŉ ﬁn ﬂott", "IJSSEL 'n fin flott"),
            ("Ｆｕｌｌ Ｗｉｄｔｈ １２", "Full Width 12"),
            ("Ǻḿ ặ Ơ", "Am a O"),
            ("株式会社", "...."),
            ("<script>", ".script."),
            ("   ", "NOTPROVIDED"),
        ] {
            assert_eq!(to_sepa_charset(text, 70), expected, "{text}");
        }
    }

    #[test]
    fn long_text_is_truncated() {
        assert_eq!(to_sepa_charset(&"ψ".repeat(70), 70).len(), 70);
        assert_eq!(to_sepa_charset("abc def", 4), "abc");
    }

    #[test]
    fn reference_has_no_slash_at_its_ends_nor_two_in_a_row() {
        assert_eq!(sepa_reference(Some("/a//b/c/"), 35), "-a--b/c-");
        assert_eq!(sepa_reference(Some("///"), 35), "---");
        assert_eq!(sepa_reference(None, 35), "NOTPROVIDED");
    }

    #[test]
    fn every_unicode_character_becomes_an_allowed_one() {
        for letter in (0..0x3000u32).filter_map(char::from_u32) {
            let written = to_sepa_charset(&letter.to_string(), 70);
            let allowed = written.chars().all(|c| c.is_ascii_alphanumeric() || "/-?:().,'+ ".contains(c));
            assert!(allowed, "{letter:?} became {written:?}");
        }
    }
}
