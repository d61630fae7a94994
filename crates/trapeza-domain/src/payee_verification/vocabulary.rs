//! Titles, legal forms, particles and conjunctions of the languages of the EU, from the files in `data/`.

use super::token::{Script, Token, tokens};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

const TITLES: &str = include_str!("../../data/titles.txt");
const LEGAL_FORMS: &str = include_str!("../../data/legal_forms.txt");
const PARTICLES: &str = include_str!("../../data/particles.txt");
const CONJUNCTIONS: &str = include_str!("../../data/conjunctions.txt");

/// No title or legal form has more words.
const MAX_WORDS: usize = 8;

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::parse);

struct Vocabulary {
    /// Whether the title must be followed by a full stop, by its words.
    titles: HashMap<String, bool>,
    /// By the letters without spaces and signs.
    legal_forms: HashMap<String, LegalForm>,
    particles: HashSet<String>,
    /// Whether the conjunction counts as little in the name of an organisation.
    conjunctions: HashMap<String, bool>,
}

/// A spelling of a legal form.
#[derive(Clone, Debug, Default)]
pub(super) struct LegalForm {
    /// The forms it may stand for: countries use the same letters for different forms.
    forms: Vec<usize>,
    /// No person's name ends with it.
    is_certain: bool,
    /// It may precede the name.
    is_leading: bool,
}

impl LegalForm {
    pub(super) fn may_be(&self, other: &Self) -> bool {
        self.forms.iter().any(|form| other.forms.contains(form))
    }
}

impl Vocabulary {
    fn parse() -> Self {
        let mut titles = HashMap::new();
        for title in lines(TITLES).flat_map(entries) {
            let words = tokens(title);
            for key in [title_key(&words), unaccented(&title_key(&words))] {
                // A spelling without the full stop wins.
                let needs_stop = title.ends_with('.');
                titles.entry(key).and_modify(|known| *known &= needs_stop).or_insert(needs_stop);
            }
        }
        let mut legal_forms: HashMap<String, LegalForm> = HashMap::new();
        for (number, line) in lines(LEGAL_FORMS).enumerate() {
            for entry in entries(line) {
                let key = form_key(&tokens(entry.trim_start_matches(['!', '<'])));
                for key in [unaccented(&key), key] {
                    let form = legal_forms.entry(key).or_default();
                    form.forms.push(number);
                    form.is_certain |= entry.starts_with('!');
                    form.is_leading |= entry.trim_start_matches('!').starts_with('<');
                }
            }
        }
        let mut conjunctions = HashMap::new();
        for entry in lines(CONJUNCTIONS).flat_map(entries) {
            for token in tokens(entry.trim_start_matches('!')) {
                for key in [unaccented(&token.written), token.written] {
                    conjunctions.insert(key, entry.starts_with('!'));
                }
            }
        }
        let particles = lines(PARTICLES).flat_map(entries).flat_map(tokens);
        let particles = particles.flat_map(|token| [unaccented(&token.written), token.written]).collect();
        Self { titles, legal_forms, particles, conjunctions }
    }
}

fn lines(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn entries(line: &'static str) -> impl Iterator<Item = &'static str> {
    line.split(',').map(str::trim)
}

fn title_key(words: &[Token]) -> String {
    words.iter().map(|word| word.written.as_str()).collect::<Vec<_>>().join(" ")
}

/// The letters of a legal form; conjunctions do not count.
fn form_key(words: &[Token]) -> String {
    let is_conjunction =
        |word: &&Token| matches!(word.written.as_str(), "&" | "+" | "/" | "and" | "und" | "et" | "y" | "και");
    words.iter().filter(|word| !is_conjunction(word)).map(|word| word.written.as_str()).collect()
}

fn unaccented(text: &str) -> String {
    text.nfd().filter(|letter| !is_combining_mark(*letter)).nfc().collect()
}

/// How many words at the beginning are a title; zero when there is none.
pub(super) fn title_length(words: &[Token]) -> usize {
    let is_title = |length: &usize| {
        let needs_stop = VOCABULARY.titles.get(&title_key(&words[..*length]));
        needs_stop.is_some_and(|needs_stop| !needs_stop || words[*length - 1].dotted)
    };
    (1..=words.len().min(MAX_WORDS)).rev().find(is_title).unwrap_or_default()
}

/// The legal form at the end of a name and how many words it has. At least one word precedes it.
pub(super) fn legal_form_at_end(words: &[Token]) -> Option<(usize, &'static LegalForm)> {
    (1..words.len().min(MAX_WORDS + 1)).rev().find_map(|length| {
        let form = VOCABULARY.legal_forms.get(&form_key(&words[words.len() - length..]))?;
        Some((length, form))
    })
}

/// The legal form at the beginning, where it is one that is written there. At least one word follows it.
pub(super) fn legal_form_at_start(words: &[Token]) -> Option<(usize, &'static LegalForm)> {
    (1..words.len().min(MAX_WORDS + 1)).rev().find_map(|length| {
        let form = VOCABULARY.legal_forms.get(&form_key(&words[..length]))?;
        form.is_leading.then_some((length, form))
    })
}

/// Whether the name ends with a legal form that ends no person's name. A short word in Latin letters may be a surname.
pub(super) fn is_certainly_organisation(words: &[Token]) -> bool {
    legal_form_at_end(words).is_some_and(|(length, form)| {
        let last = &words[words.len() - 1];
        let is_unlike_a_name = length >= 3 || last.letters.len() >= 4 || last.script != Script::Latin;
        form.is_certain && is_unlike_a_name
    })
}

pub(super) fn is_particle(word: &Token) -> bool {
    VOCABULARY.particles.contains(&word.written)
}

/// Whether the word may stand between the names of two owners.
pub(super) fn is_conjunction(word: &Token) -> bool {
    VOCABULARY.conjunctions.contains_key(&word.written)
}

/// Whether the word counts as little as "&" in the name of an organisation.
pub(super) fn is_ampersand(word: &Token) -> bool {
    VOCABULARY.conjunctions.get(&word.written) == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_form_is_found_in_every_usual_spelling() {
        for (name, length) in [
            ("Beispiel GmbH", 1),
            ("Beispiel G.m.b.H.", 4),
            ("Beispiel Ges.m.b.H.", 4),
            ("Beispiel GmbH & Co. KG", 4),
            ("Exemple S. A.", 2),
            ("Exemple SA", 1),
            ("Παράδειγμα Α.Ε.", 2),
            ("Παράδειγμα ΑΕ", 1),
            ("Przykład Sp. z o.o.", 4),
            ("Příklad, s.r.o.", 3),
            ("Příklad spol. s r.o.", 4),
            ("Primjer d.o.o.", 3),
            ("Esimerkki Oy", 1),
            ("Exempel AB", 1),
            ("Eksempel ApS", 1),
            ("Eksempel A/S", 2),
            ("Példa Kft.", 1),
            ("Пример ЕООД", 1),
            ("Näide OÜ", 1),
            ("Naide OU", 1),
            ("Esempio S.r.l.", 3),
            ("Ejemplo S.L.U.", 3),
            ("Smith & Co.", 2),
            ("Example Limited", 1),
            ("Maria Sá", 0),
            ("GmbH", 0),
        ] {
            let found = legal_form_at_end(&tokens(name)).map_or(0, |(length, _)| length);
            assert_eq!(found, length, "{name}");
        }
    }

    #[test]
    fn title_is_found_at_the_start_only() {
        for (name, length) in [
            ("Dr Anna Schmidt", 1),
            ("Dipl.-Ing. Anna Schmidt", 2),
            ("Prof. Anna", 1),
            ("κ. Μαρία Παπαδοπούλου", 1),
            ("Κ Μαρία Παπαδοπούλου", 0),
            ("Κυρια Μαρία", 1),
            ("Ka Wing Chan", 0),
            ("Mag. Anna Huber", 1),
            ("Mag Anna Huber", 0),
            ("Г-жа Мария", 2),
            ("Anna Dr Schmidt", 0),
        ] {
            assert_eq!(title_length(&tokens(name)), length, "{name}");
        }
    }

    #[test]
    fn organisation_is_certain_only_by_a_form_that_is_no_name() {
        for (name, certain) in [
            ("Smith GmbH", true),
            ("Alfa s.r.o.", true),
            ("Бета ООД", true),
            ("Smith Mike", false),
            ("Maria Sa", false),
            ("Scooby Doo", false),
            ("Anna Schmidt", false),
        ] {
            assert_eq!(is_certainly_organisation(&tokens(name)), certain, "{name}");
        }
    }
}
