//! The schemas of the document, generated from the types of `wire/`.

use serde_json::Value;
pub use trapeza_http::schema::{SchemaFn, Schemas, schema_of};

/// A short description of a schema, for the tables of the page.
pub fn describe(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let words = schema["enum"].as_array().map(|words| words.iter().map(word).collect::<Vec<_>>());
    let kind = match &schema["type"] {
        Value::Array(types) => types.iter().find(|name| *name != "null").and_then(Value::as_str),
        name => name.as_str(),
    };
    let described = match (kind, words) {
        (Some("string"), Some(words)) => words.join(", "),
        (Some("integer"), Some(words)) => match words.as_slice() {
            [first, .., last] => format!("{first} to {last}"),
            _ => words.join(", "),
        },
        (Some("string"), None) => schema["format"].as_str().unwrap_or("text").to_owned(),
        (Some("boolean"), _) => "true or false".to_owned(),
        (Some("integer"), None) => "whole number".to_owned(),
        (Some("array"), _) => format!("list of {}", describe(&schema["items"])),
        (Some(other), _) => other.to_owned(),
        (None, _) => "one of several objects".to_owned(),
    };
    let nullable = schema["type"].as_array().is_some_and(|types| types.iter().any(|name| name == "null"));
    if nullable { format!("{described} or null") } else { described }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
