//! Splits a name into tokens: lower-case words without accents and punctuation, after Unicode's compatibility decomposition
//! (NFKD), so that canonically equal letters, ligatures and full-width letters are equal.

use super::spelling::SpellingGraph;
use std::rc::Rc;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{compose, is_combining_mark};

/// One word of a name, or a sign that stands for "and".
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// The letters without accents; umlauts, rings and the Greek diaeresis stay, because they have several spellings.
    pub(super) letters: Vec<char>,
    /// The word as it is written in registers and lists, in lower case with all its accents.
    pub(super) written: String,
    /// Whether a full stop follows.
    pub(super) dotted: bool,
    pub(super) script: Script,
    /// The spellings in the word's own script and in Latin.
    native: Rc<SpellingGraph>,
    latin: Rc<SpellingGraph>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Other,
}

impl Token {
    pub(super) fn new(letters: Vec<char>, written: &str) -> Self {
        let mut letters = letters;
        let script = script(&letters);
        for letter in &mut letters {
            *letter = in_script(*letter, script);
        }
        let latin = Rc::new(SpellingGraph::new(&letters, true));
        let native = match script {
            Script::Greek | Script::Cyrillic => Rc::new(SpellingGraph::new(&letters, false)),
            Script::Latin | Script::Other => latin.clone(),
        };
        Self { letters, written: written.nfc().collect(), dotted: false, script, native, latin }
    }

    /// The number of mistakes between two words, as [`SpellingGraph::distance`] counts them.
    pub(super) fn distance(&self, other: &Self, max: usize) -> usize {
        let (one, other) = self.graphs(other);
        one.distance(other, max)
    }

    /// Whether one spelling of this word is one of the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (one, other) = self.graphs(other);
        one.is_same(other)
    }

    /// Whether this word is the beginning of the other one.
    pub(super) fn is_beginning(&self, long: &Self) -> bool {
        let (short, long) = self.graphs(long);
        short.is_beginning(long)
    }

    /// Words of one script are compared in their own letters.
    fn graphs<'a>(&'a self, other: &'a Self) -> (&'a SpellingGraph, &'a SpellingGraph) {
        if self.script == other.script { (&self.native, &other.native) } else { (&self.latin, &other.latin) }
    }

    pub(super) fn is_letter(&self) -> bool {
        self.letters.len() == 1 && self.letters[0].is_alphabetic()
    }
}

/// The tokens of a name in their order.
pub(super) fn tokens(name: &str) -> Vec<Token> {
    let characters: Vec<char> = name
        .chars()
        .filter(|letter| !is_apostrophe(*letter))
        .flat_map(char::to_lowercase)
        .nfkd()
        .flat_map(char::to_lowercase)
        .collect();
    let mut tokens = Vec::new();
    let (mut letters, mut written) = (Vec::new(), String::new());
    for (index, &character) in characters.iter().enumerate() {
        if is_combining_mark(character) {
            written.push(character);
            if let Some(last) = letters.last_mut() {
                *last = marked(*last, character);
            }
        } else if is_apostrophe(character) {
            // NFKD writes one letter with an apostrophe of its own.
        } else if character.is_alphanumeric() {
            written.push(character);
            letters.push(if character == 'ς' { 'σ' } else { character });
        } else {
            finish(&mut tokens, &mut letters, &mut written);
            if character == '.' && index > 0 && characters[index - 1].is_alphanumeric() {
                tokens.last_mut().expect("a letter precedes the full stop").dotted = true;
            }
            if matches!(character, '&' | '+') || (character == '/' && !is_abbreviation(&characters, index)) {
                tokens.push(Token::new(vec![character], &character.to_string()));
            }
        }
    }
    finish(&mut tokens, &mut letters, &mut written);
    tokens
}

fn finish(tokens: &mut Vec<Token>, letters: &mut Vec<char>, written: &mut String) {
    if !letters.is_empty() {
        tokens.push(Token::new(std::mem::take(letters), written));
    }
    written.clear();
}

const fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’' | '‘' | '`' | '´' | 'ʼ' | '′' | '‛' | '΄' | '᾽')
}

/// Whether the slash at this place is between two single letters, as in "A/S" and "c/o".
fn is_abbreviation(characters: &[char], slash: usize) -> bool {
    let is_word = |index: Option<usize>| {
        index.and_then(|index| characters.get(index)).is_some_and(|letter| letter.is_alphanumeric())
    };
    is_word(slash.checked_sub(1))
        && !is_word(slash.checked_sub(2))
        && is_word(Some(slash + 1))
        && !is_word(Some(slash + 2))
}

/// The letter with the mark where the mark changes the spelling, and the letter alone elsewhere.
fn marked(letter: char, mark: char) -> char {
    match compose(letter, mark) {
        Some(whole @ ('ä' | 'ö' | 'ü' | 'å' | 'ϊ' | 'ϋ' | 'й' | 'ї' | 'ё' | 'ѓ' | 'ќ' | 'ў')) => {
            whole
        }
        _ => letter,
    }
}

fn script(letters: &[char]) -> Script {
    let of = |first: char, last: char| letters.iter().any(|letter| (first..=last).contains(letter));
    if of('\u{370}', '\u{3ff}') {
        Script::Greek
    } else if of('\u{400}', '\u{52f}') {
        Script::Cyrillic
    } else if letters.iter().all(|letter| letter.is_ascii() || ('\u{80}'..='\u{24f}').contains(letter)) {
        Script::Latin
    } else {
        Script::Other
    }
}

/// A Latin letter inside a Greek or Cyrillic word is the letter of that script whose capital looks the same: keyboards
/// are switched too late.
const fn in_script(letter: char, script: Script) -> char {
    match (script, letter) {
        (Script::Greek, 'a') => 'α',
        (Script::Greek, 'b') => 'β',
        (Script::Greek, 'e') => 'ε',
        (Script::Greek, 'z') => 'ζ',
        (Script::Greek, 'h') => 'η',
        (Script::Greek, 'i') => 'ι',
        (Script::Greek, 'k') => 'κ',
        (Script::Greek, 'm') => 'μ',
        (Script::Greek, 'n') => 'ν',
        (Script::Greek, 'o') => 'ο',
        (Script::Greek, 'p') => 'ρ',
        (Script::Greek, 't') => 'τ',
        (Script::Greek, 'y') => 'υ',
        (Script::Greek, 'x') => 'χ',
        (Script::Cyrillic, 'a') => 'а',
        (Script::Cyrillic, 'b') => 'в',
        (Script::Cyrillic, 'e') => 'е',
        (Script::Cyrillic, 'h') => 'н',
        (Script::Cyrillic, 'k') => 'к',
        (Script::Cyrillic, 'm') => 'м',
        (Script::Cyrillic, 'o') => 'о',
        (Script::Cyrillic, 'p') => 'р',
        (Script::Cyrillic, 'c') => 'с',
        (Script::Cyrillic, 't') => 'т',
        (Script::Cyrillic, 'y') => 'у',
        (Script::Cyrillic, 'x') => 'х',
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str) -> Vec<String> {
        tokens(name).iter().map(|token| token.letters.iter().collect()).collect()
    }

    #[test]
    fn tokens_have_no_case_accents_or_punctuation() {
        for (name, expected) in [
            ("Ångström-Müller", vec!["ångström", "müller"]),
            ("O’Neill, d'Arc", vec!["oneill", "darc"]),
            ("Μαρία ΠΑΠΑΔΟΠΟΎΛΟΥ", vec!["μαρια", "παπαδοπουλου"]),
            ("Λάϊος", vec!["λαϊοσ"]),
            ("Sp. z o.o.", vec!["sp", "z", "o", "o"]),
            ("Novo A/S", vec!["novo", "a", "s"]),
            ("Anna/Peter & Co", vec!["anna", "/", "peter", "&", "co"]),
            ("ﬁne Ĳ ŉ ＡＢ", vec!["fine", "ij", "n", "ab"]),
            ("İSTANBUL ışık", vec!["istanbul", "ısık"]),
            ("Йордан Андрѐй", vec!["йордан", "андрей"]),
            // The first letter is Latin, the others are Greek.
            ("A\u{3bd}\u{3bd}\u{3b1}", vec!["αννα"]),
            ("...", vec![]),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }

    #[test]
    fn canonically_equal_letters_are_equal() {
        // Alpha with oxia and with tonos; the ohm sign and omega.
        assert_eq!(words("\u{1f71}\u{2126}"), words("\u{3ac}\u{3c9}"));
        assert_eq!(words("e\u{301}"), words("é"));
    }

    #[test]
    fn full_stop_marks_the_token_before_it() {
        let dotted: Vec<bool> = tokens("Dr. J. Dupont").iter().map(|token| token.dotted).collect();
        assert_eq!(dotted, [true, true, false]);
    }

    fn token(word: &str) -> Token {
        tokens(word).remove(0)
    }

    #[test]
    fn spellings_of_one_word_have_no_distance() {
        for (one, other) in [
            ("Müller", "Mueller"),
            ("Müller", "Muller"),
            ("Søren", "Sören"),
            ("Håkan", "Haakan"),
            ("Strauß", "Strauss"),
            ("Þór", "Thor"),
            ("Đorđe", "Djordje"),
            ("Παπαδοπούλου", "Papadopoulou"),
            ("Γιάννης", "Yannis"),
            ("Γιάννης", "Giannis"),
            ("Χρήστος", "Christos"),
            ("Χρήστος", "Hristos"),
            ("Ευάγγελος", "Evangelos"),
            ("Μπάμπης", "Mpampis"),
            ("Ξένια", "Xenia"),
            ("Иван", "Ivan"),
            ("Георгиев", "Georgiev"),
            ("Мария", "Maria"),
            ("Юлия", "Yuliya"),
            ("Цветелина", "Tsvetelina"),
            ("Дмитрий", "Dmitry"),
            ("Ольга", "Olga"),
            ("Димитър", "Dimitar"),
            ("Ιβάν", "Иван"),
        ] {
            assert!(token(one).is_same(&token(other)), "{one} / {other}");
        }
    }

    #[test]
    fn greek_is_compared_with_greek_in_greek_letters() {
        assert_eq!(token("Γκίκας").distance(&token("Γκήκας"), 2), 1);
        assert!(token("Λάϊος").is_same(&token("ΛΑΙΟΣ")));
    }

    #[test]
    fn distance_counts_single_mistakes() {
        for (one, other, expected) in
            [("Jean", "Jaen", 1), ("Dupont", "Dupond", 1), ("Anna", "Eva", 3), ("Mueller", "Muller", 1)]
        {
            assert_eq!(token(one).distance(&token(other), 3), expected, "{one} / {other}");
        }
    }

    #[test]
    fn initial_begins_a_word_of_another_script() {
        assert!(token("G").is_beginning(&token("Γεώργιος")));
        assert!(token("Χ").is_beginning(&token("Christos")));
        assert!(token("Th").is_beginning(&token("Θεόδωρος")));
        assert!(!token("A").is_beginning(&token("Γεώργιος")));
    }
}
