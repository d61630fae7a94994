//! Parts of schemas that no Rust type says: words of a list, and numbers that stand for names.

use schemars::{Schema, json_schema};

/// A string that is one of these words.
pub fn one_of(words: impl IntoIterator<Item = &'static str>) -> Schema {
    json_schema!({ "type": "string", "enum": words.into_iter().collect::<Vec<_>>() })
}

/// A number that is an index into this list of names (docs/behaviour/specification.md).
pub fn numbered(names: impl IntoIterator<Item = &'static str>) -> Schema {
    let names: Vec<&str> = names.into_iter().collect();
    let meaning = names.iter().enumerate().map(|(index, name)| format!("{index} {name}"));
    json_schema!({
        "type": "integer",
        "enum": (0..names.len()).collect::<Vec<_>>(),
        "description": meaning.collect::<Vec<_>>().join(", "),
    })
}
