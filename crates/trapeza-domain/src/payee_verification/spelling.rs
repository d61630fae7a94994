//! All spellings of one word as a graph: a letter with several spellings in basic Latin branches. Two words are equal when one
//! spelling of the first is one of the second. Greek is compared with Greek, and Cyrillic with Cyrillic, in its own letters,
//! because names that differ there may look the same in Latin.

use crate::transliteration::alternatives;

/// A branch without a letter.
const EMPTY: char = '\0';

/// Nodes with their edges; every edge leads to a later node, the last node is the end.
#[derive(Debug)]
pub(super) struct SpellingGraph {
    edges: Vec<Vec<(char, usize)>>,
    /// The number of letters of the shortest and the longest spelling.
    shortest: usize,
    longest: usize,
}

impl SpellingGraph {
    /// With the spellings in basic Latin, or in the word's own letters.
    pub(super) fn new(letters: &[char], in_latin: bool) -> Self {
        let mut graph = Self { edges: vec![Vec::new()], shortest: 0, longest: 0 };
        let mut at = 0;
        while at < letters.len() {
            let rest = &letters[at..];
            match alternatives(rest).filter(|_| in_latin) {
                Some((used, spellings)) => {
                    graph.branch(spellings);
                    at += used;
                }
                None => {
                    graph.branch(&[&native(rest[0]).to_string()]);
                    at += 1;
                }
            }
        }
        graph
    }

    fn end(&self) -> usize {
        self.edges.len() - 1
    }

    fn branch(&mut self, spellings: &[&str]) {
        let start = self.end();
        let lengths = || spellings.iter().map(|text| text.chars().count());
        self.shortest += lengths().min().unwrap_or_default();
        self.longest += lengths().max().unwrap_or_default();
        let between: usize = spellings.iter().map(|text| text.chars().count().saturating_sub(1)).sum();
        let end = start + between + 1;
        self.edges.resize(end + 1, Vec::new());
        let mut free = start + 1;
        for text in spellings {
            let letters = text.chars().chain(text.is_empty().then_some(EMPTY));
            let count = text.chars().count().max(1);
            let mut from = start;
            for (index, letter) in letters.enumerate() {
                let to = if index + 1 == count { end } else { free };
                self.edges[from].push((letter, to));
                if to == free {
                    free += 1;
                }
                from = to;
            }
        }
    }

    /// The least number of inserted, missing, wrong or exchanged neighbouring letters between two words, over all spellings.
    /// Words whose lengths differ by more than `max` are not compared: the result is then more than `max`.
    pub(super) fn distance(&self, other: &Self, max: usize) -> usize {
        if self.shortest > other.longest + max || other.shortest > self.longest + max {
            return max + 1;
        }
        let width = other.edges.len();
        let mut least = vec![usize::MAX; self.edges.len() * width];
        least[0] = 0;
        for i in 0..self.edges.len() {
            for j in 0..width {
                let here = least[i * width + j];
                if here > max {
                    continue;
                }
                let mut reach = |to: (usize, usize), cost: usize| {
                    let known = &mut least[to.0 * width + to.1];
                    *known = (*known).min(here + cost);
                };
                for &(letter, to) in &self.edges[i] {
                    reach((to, j), usize::from(letter != EMPTY));
                }
                for &(letter, to) in &other.edges[j] {
                    reach((i, to), usize::from(letter != EMPTY));
                }
                for &(a, a_to) in &self.edges[i] {
                    for &(b, b_to) in &other.edges[j] {
                        reach((a_to, b_to), usize::from(a != b));
                        for &(a_next, a_end) in &self.edges[a_to] {
                            for &(b_next, b_end) in &other.edges[b_to] {
                                if a == b_next && b == a_next {
                                    reach((a_end, b_end), 1);
                                }
                            }
                        }
                    }
                }
            }
        }
        least[self.edges.len() * width - 1].min(max + 1)
    }

    /// Whether one spelling of the first word is one of the second.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        walk(self, other, |i, j| i == self.end() && j == other.end())
    }

    /// Whether the first word is the beginning of the second one, over all spellings.
    pub(super) fn is_beginning(&self, long: &Self) -> bool {
        walk(self, long, |i, _| i == self.end())
    }
}

/// The letter of the word's own script in which accents do not count.
const fn native(letter: char) -> char {
    match letter {
        'ϊ' => 'ι',
        'ϋ' => 'υ',
        'ё' => 'е',
        other => other,
    }
}

/// Follows equal letters in both words until a pair of nodes is accepted.
fn walk(one: &SpellingGraph, other: &SpellingGraph, is_end: impl Fn(usize, usize) -> bool) -> bool {
    let mut open = vec![(0, 0)];
    while let Some((i, j)) = open.pop() {
        if is_end(i, j) {
            return true;
        }
        open.extend(one.edges[i].iter().filter(|(letter, _)| *letter == EMPTY).map(|(_, to)| (*to, j)));
        open.extend(other.edges[j].iter().filter(|(letter, _)| *letter == EMPTY).map(|(_, to)| (i, *to)));
        for &(a, a_to) in &one.edges[i] {
            for &(b, b_to) in &other.edges[j] {
                if a == b && a != EMPTY {
                    open.push((a_to, b_to));
                }
            }
        }
    }
    false
}
