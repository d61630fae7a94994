//! Joint accounts: the payer may name one owner or several, in any order, with or without a word for "and" between them,
//! and may write a surname that they share only once.

use super::PayeeVerification;
use super::comparison::compare;
use super::name::Name;
use super::token::Token;
use super::vocabulary::is_conjunction;
use std::collections::HashMap;

/// More words than these are compared as one name.
const MAX_TOKENS: usize = 12;
const MAX_OWNERS: usize = 4;

/// The owners whom one text names: "Anna and Peter Schmidt" are Anna Schmidt and Peter Schmidt. One, when it names one.
pub(super) fn owners_named(tokens: &[Token]) -> Vec<Vec<Token>> {
    // A single letter may be an initial.
    let is_separator =
        |token: &Token| is_conjunction(token) && (token.letters.len() > 1 || !token.is_letter());
    for segments in with_shared_surname(segments(tokens, is_separator)) {
        if segments.len() > 1 && segments.iter().all(|segment| segment.len() > 1) {
            return segments;
        }
    }
    vec![tokens.to_vec()]
}

/// The best result when the text names at least two of the owners.
pub(super) fn compare_joint(given: &[Token], owners: &[Vec<Token>]) -> PayeeVerification {
    let variants = with_shared_surname(segments(given, is_conjunction));
    let separated = variants.iter().map(|segments| segments.concat());
    let results = separated
        .filter(|tokens| tokens.len() <= MAX_TOKENS)
        .map(|tokens| Joint::new(&tokens, owners).best(0, 0));
    results.min().unwrap_or(PayeeVerification::NoMatch)
}

fn segments(tokens: &[Token], is_separator: impl Fn(&Token) -> bool) -> Vec<Vec<Token>> {
    let segments = tokens.split(|token| is_separator(token)).map(<[Token]>::to_vec);
    segments.filter(|segment| !segment.is_empty()).collect()
}

/// The names as they are, and with the last or the first word added to those that have only one word.
fn with_shared_surname(segments: Vec<Vec<Token>>) -> Vec<Vec<Vec<Token>>> {
    let is_short = |segment: &Vec<Token>| segment.len() == 1;
    let shared =
        [segments.first().and_then(|words| words.first()), segments.last().and_then(|words| words.last())];
    let mut variants = vec![segments.clone()];
    if segments.len() > 1 && segments.iter().any(is_short) && !segments.iter().all(is_short) {
        for surname in shared.into_iter().flatten() {
            let complete =
                |segment: &Vec<Token>| match is_short(segment) && segment[0].letters != surname.letters {
                    true => vec![segment[0].clone(), surname.clone()],
                    false => segment.clone(),
                };
            variants.push(segments.iter().map(complete).collect());
        }
    }
    variants
}

/// All ways to cut the words into the names of different owners.
struct Joint<'a> {
    tokens: &'a [Token],
    owners: Vec<Name>,
    /// Results of `best`, by the first word and the owners already named.
    known: HashMap<(usize, usize), PayeeVerification>,
}

impl<'a> Joint<'a> {
    fn new(tokens: &'a [Token], owners: &[Vec<Token>]) -> Self {
        let owners = owners.iter().take(MAX_OWNERS).map(|owner| Name::new(owner, false)).collect();
        Self { tokens, owners, known: HashMap::new() }
    }

    /// The best result for the words from `start` on, where `named` are the owners already used, as bits.
    fn best(&mut self, start: usize, named: usize) -> PayeeVerification {
        if start == self.tokens.len() {
            let is_joint = named.count_ones() > 1;
            return if is_joint { PayeeVerification::Match } else { PayeeVerification::NoMatch };
        }
        if let Some(result) = self.known.get(&(start, named)) {
            return *result;
        }
        let mut best = PayeeVerification::NoMatch;
        for end in start + 1..=self.tokens.len() {
            let name = Name::new(&self.tokens[start..end], false);
            for index in 0..self.owners.len() {
                let bit = 1 << index;
                if named & bit != 0 {
                    continue;
                }
                // A result that cannot become better needs no further search.
                let result = compare(&name, &self.owners[index], false);
                if result < best {
                    best = best.min(result.max(self.best(end, named | bit)));
                }
            }
        }
        self.known.insert((start, named), best);
        best
    }
}
