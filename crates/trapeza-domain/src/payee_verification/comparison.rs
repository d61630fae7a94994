//! Compares two names word by word. Each word gets at most one partner, so that the fewest significant words stay alone.

use super::PayeeVerification;
use super::assignment::cheapest_assignment;
use super::name::{Name, Word, WordKind};

/// A typing error is accepted in words of this length, and a second one in words of the other.
const ONE_ERROR_FROM: usize = 4;
const TWO_ERRORS_FROM: usize = 8;
/// Maximum number of words of one name that may be one word of the other.
const MAX_JOINED: usize = 4;
/// An acronym has as many letters as the name has words, and at least these.
const MIN_ACRONYM: usize = 3;

/// The costs of one pair or one word alone; each is more than all of the cheaper kind together.
const INITIAL: i64 = 1;
const TYPING_ERROR: i64 = 1_000;
const LONE_PARTICLE: i64 = 1_000_000;
const LONE_WORD: i64 = 1_000_000_000;
const IMPOSSIBLE: i64 = 1_000_000_000_000;

/// The result for a name of a person or an organisation.
pub(super) fn compare(given: &Name, owner: &Name, is_organisation: bool) -> PayeeVerification {
    if given.words.is_empty() || owner.words.is_empty() {
        return PayeeVerification::NoMatch;
    }
    let given_words = with_joined(&given.words, &owner.words);
    let owner_words = with_joined(&owner.words, &given_words);
    let mut result = Agreement::new(&given_words, &owner_words).result(is_organisation);
    if is_organisation && (is_acronym(&given.words, &owner.words) || is_acronym(&owner.words, &given.words)) {
        result = result.min(PayeeVerification::Close);
    }
    match (given.legal_form, owner.legal_form) {
        (Some(given), Some(owner)) if !given.may_be(owner) => result.max(PayeeVerification::Close),
        _ => result,
    }
}

/// How the words of two names agree.
#[derive(Debug, Default)]
struct Agreement {
    /// Pairs of equal words of more than one letter, particles excepted.
    full: usize,
    /// Pairs of an initial and a word that begins with it, or of two equal initials.
    initials: usize,
    equal_initials: usize,
    typing_errors: usize,
    lone_particles: usize,
    lone_given: usize,
    lone_owner: usize,
}

impl Agreement {
    fn new(given: &[Word], owner: &[Word]) -> Self {
        let size = given.len() + owner.len();
        // A word without partner is assigned to a row or column beyond the words.
        let cost = |row: usize, column: usize| match (given.get(row), owner.get(column)) {
            (Some(one), Some(other)) => pair_cost(one, other),
            (Some(alone), None) | (None, Some(alone)) => lone_cost(alone),
            (None, None) => 0,
        };
        let costs: Vec<Vec<i64>> =
            (0..size).map(|row| (0..size).map(|column| cost(row, column)).collect()).collect();
        let mut agreement = Self::default();
        for (row, column) in cheapest_assignment(&costs).into_iter().enumerate() {
            let count = match (given.get(row), owner.get(column), costs[row][column]) {
                (Some(one), Some(_), 0) => match one.kind {
                    WordKind::Particle => continue,
                    _ if one.token.is_letter() => &mut agreement.equal_initials,
                    _ => &mut agreement.full,
                },
                (Some(_), Some(_), INITIAL) => &mut agreement.initials,
                (Some(_), Some(_), _) => &mut agreement.typing_errors,
                (_, _, LONE_PARTICLE) => &mut agreement.lone_particles,
                (Some(_), None, _) => &mut agreement.lone_given,
                (None, Some(_), _) => &mut agreement.lone_owner,
                (None, None, _) => continue,
            };
            *count += 1;
        }
        agreement
    }

    fn result(&self, is_organisation: bool) -> PayeeVerification {
        let lone = self.lone_given + self.lone_owner;
        let inexact = self.initials + self.typing_errors + self.lone_particles + lone;
        if inexact == 0 {
            return PayeeVerification::Match;
        }
        let agreeing = self.full + self.initials + self.equal_initials;
        let paired = agreeing + self.typing_errors;
        let possible = if self.full == 0 {
            // Only a name of one word may consist of a word with a typing error.
            self.typing_errors == 1 && paired == 1 && inexact == 1
        } else {
            let is_another_name = self.lone_given > 0 && self.lone_owner > 0;
            let errors_allowed = if paired > 2 { 2 } else { 1 };
            let needed = if is_organisation && lone == 0 { 1 } else { 2 };
            !is_another_name
                && self.typing_errors <= errors_allowed
                && (lone + self.lone_particles == 0 || agreeing >= needed)
                && (lone == 0 || self.typing_errors == 0 || self.full >= 2)
        };
        if possible { PayeeVerification::Close } else { PayeeVerification::NoMatch }
    }
}

fn pair_cost(one: &Word, other: &Word) -> i64 {
    let particles = [one, other].iter().filter(|word| word.kind == WordKind::Particle).count();
    if particles != 1 && one.token.is_same(&other.token) {
        return 0;
    }
    if particles > 0 {
        return IMPOSSIBLE;
    }
    let is_initial_of =
        |short: &Word, long: &Word| short.kind == WordKind::Initial && short.token.is_beginning(&long.token);
    if is_initial_of(one, other) || is_initial_of(other, one) {
        INITIAL
    } else {
        let max = errors_allowed(one, other);
        if max > 0 && one.token.distance(&other.token, max) <= max { TYPING_ERROR } else { IMPOSSIBLE }
    }
}

const fn lone_cost(word: &Word) -> i64 {
    match word.kind {
        WordKind::Particle => LONE_PARTICLE,
        WordKind::Name | WordKind::Initial => LONE_WORD,
    }
}

/// How many typing errors two words may differ by; none in numbers.
fn errors_allowed(one: &Word, other: &Word) -> usize {
    let letters = one.token.letters.iter().chain(&other.token.letters);
    if letters.into_iter().any(|letter| letter.is_numeric()) {
        return 0;
    }
    match one.token.letters.len().min(other.token.letters.len()) {
        0..ONE_ERROR_FROM => 0,
        ONE_ERROR_FROM..TWO_ERRORS_FROM => 1,
        _ => 2,
    }
}

/// The words, those joined that are one word of the other name: "Anne Marie" and "Annemarie", "van den Berg" and "Vandenberg".
fn with_joined(words: &[Word], other: &[Word]) -> Vec<Word> {
    let has_partner = |word: &Word, names: &[Word]| names.iter().any(|name| word.token.is_same(&name.token));
    let mut words = words.to_vec();
    for whole in other {
        if has_partner(whole, &words) {
            continue;
        }
        let parts: Vec<usize> = (0..words.len()).filter(|part| !has_partner(&words[*part], other)).collect();
        if let Some(joined) = joined_to(whole, &words, &parts, &mut Vec::new()) {
            let word = Word::joined(&joined.iter().map(|part| &words[*part]).collect::<Vec<_>>());
            let mut rest = 0..;
            words.retain(|_| rest.next().is_none_or(|index| !joined.contains(&index)));
            words.push(word);
        }
    }
    words
}

/// The words that together are `whole`, in the order in which they are; `chosen` are the first of them.
fn joined_to(whole: &Word, words: &[Word], parts: &[usize], chosen: &mut Vec<usize>) -> Option<Vec<usize>> {
    if chosen.len() >= 2 {
        let joined = Word::joined(&chosen.iter().map(|part| &words[*part]).collect::<Vec<_>>());
        if joined.token.is_same(&whole.token) {
            return Some(chosen.clone());
        }
    }
    if chosen.len() == MAX_JOINED {
        return None;
    }
    for &part in parts {
        // What is chosen so far must begin the whole word.
        if chosen.contains(&part) {
            continue;
        }
        chosen.push(part);
        let beginning = Word::joined(&chosen.iter().map(|part| &words[*part]).collect::<Vec<_>>());
        let found = if beginning.token.is_beginning(&whole.token) {
            joined_to(whole, words, parts, chosen)
        } else {
            None
        };
        if found.is_some() {
            return found;
        }
        chosen.pop();
    }
    None
}

/// Whether the first name is one word made of the first letters of the second one.
fn is_acronym(short: &[Word], long: &[Word]) -> bool {
    let [short] = short else { return false };
    let long: Vec<&Word> = long.iter().filter(|word| word.kind != WordKind::Particle).collect();
    let letters = &short.token.letters;
    letters.len() >= MIN_ACRONYM
        && letters.len() == long.len()
        && letters.iter().zip(long).all(|(letter, word)| word.token.letters.first() == Some(letter))
}
