//! A mutant, and the changes of the source that contain it.

use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// One change of the code. The number selects it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    pub number: u32,
    pub file: String,
    /// Of the whole file: what is known of a mutant is used again until its file changes.
    pub file_hash: u64,
    pub line: usize,
    pub column: usize,
    pub function: String,
    /// What is wrong with it.
    pub change: String,
}

impl Mutant {
    /// Its place and what it changes, for readers.
    pub fn name(&self) -> String {
        format!("{}:{}:{} {}", self.file, self.line, self.column, self.change)
    }

    /// The same in each run with the same source.
    pub fn key(&self) -> String {
        format!("{:016x} {}", self.file_hash, self.name())
    }
}

pub fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Text that replaces a range of the source, which may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub range: Range<usize>,
    pub text: String,
    pub number: u32,
}

/// A source with all of its mutants.
pub struct Instrumented {
    pub text: String,
    /// Where the text of a mutant is.
    pub pieces: Vec<(Range<usize>, u32)>,
}

/// Applies the edits that `is_included`. Edits at the same offset stay in their order.
pub fn apply(source: &str, edits: &[Edit], is_included: impl Fn(u32) -> bool) -> Instrumented {
    let mut included: Vec<&Edit> = edits.iter().filter(|edit| is_included(edit.number)).collect();
    included.sort_by_key(|edit| edit.range.start);
    let (mut text, mut pieces, mut read) = (String::with_capacity(source.len() * 2), Vec::new(), 0);
    for edit in included {
        text.push_str(&source[read..edit.range.start]);
        let start = text.len();
        text.push_str(&edit.text);
        pieces.push((start..text.len(), edit.number));
        read = edit.range.end;
    }
    text.push_str(&source[read..]);
    Instrumented { text, pieces }
}
