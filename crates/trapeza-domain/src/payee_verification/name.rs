//! The significant words of a name: without titles at its start and, for organisations, without one legal form at its end.

use super::token::Token;
use super::vocabulary::{self, LegalForm};

/// Fewer words never remain of a name when titles are removed.
const MIN_WORDS: usize = 2;
/// A longer word with a full stop is not an abbreviation.
const MAX_ABBREVIATION_CHARS: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    Name,
    /// A single letter, or an abbreviation with a full stop.
    Initial,
    /// A particle of a surname, or a conjunction.
    Particle,
}

#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) token: Token,
    pub(super) kind: WordKind,
}

impl Word {
    fn new(token: Token) -> Self {
        let kind = if vocabulary::is_particle(&token) {
            WordKind::Particle
        } else if token.is_letter() || is_abbreviation(&token) {
            WordKind::Initial
        } else if vocabulary::is_conjunction(&token) {
            WordKind::Particle
        } else {
            WordKind::Name
        };
        Self { token, kind }
    }

    /// Several words written as one.
    pub(super) fn joined(words: &[&Self]) -> Self {
        let letters: Vec<char> = words.iter().flat_map(|word| word.token.letters.clone()).collect();
        let written: String = words.iter().map(|word| word.token.written.as_str()).collect();
        Self { token: Token::new(letters, &written), kind: WordKind::Name }
    }
}

/// "Chr." and "Alex.", and without a full stop "Th" and "Ch".
fn is_abbreviation(token: &Token) -> bool {
    let has_vowel = token.letters.iter().any(|letter| !letter.is_ascii() || "aeiouy".contains(*letter));
    let is_number = token.letters.iter().any(|letter| letter.is_numeric());
    let length = token.letters.len();
    !is_number && ((token.dotted && length <= MAX_ABBREVIATION_CHARS) || (length == 2 && !has_vowel))
}

#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) words: Vec<Word>,
    pub(super) legal_form: Option<&'static LegalForm>,
}

impl Name {
    pub(super) fn new(tokens: &[Token], is_organisation: bool) -> Self {
        let (mut tokens, mut legal_form) = (tokens, None);
        if is_organisation {
            if let Some((length, form)) = vocabulary::legal_form_at_end(tokens) {
                (tokens, legal_form) = (&tokens[..tokens.len() - length], Some(form));
            } else if let Some((length, form)) = vocabulary::legal_form_at_start(tokens) {
                (tokens, legal_form) = (&tokens[length..], Some(form));
            }
        }
        let mut words: Vec<Word> = without_titles(tokens).iter().cloned().map(Word::new).collect();
        if is_organisation && words.len() > 1 {
            words.retain(|word| !vocabulary::is_ampersand(&word.token));
        }
        Self { words, legal_form }
    }
}

fn without_titles(tokens: &[Token]) -> &[Token] {
    let mut rest = tokens;
    loop {
        let length = vocabulary::title_length(rest);
        let names = rest[length..].iter().filter(|token| !vocabulary::is_particle(token)).count();
        if length == 0 || names < MIN_WORDS {
            return rest;
        }
        rest = &rest[length..];
    }
}
