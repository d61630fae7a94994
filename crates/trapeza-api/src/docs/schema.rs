//! The schemas of the document, generated from the types of `wire/`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The schema of a type; a function that a static can hold.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

pub fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Generates schemas and collects the components that they refer to. Requests and responses have generators of their own,
/// because an `Option` may be absent from a request and is null in a response unless it is skipped.
pub struct Schemas {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Schemas {
    pub fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Self {
            requests: settings().for_deserialize().into_generator(),
            responses: settings().for_serialize().into_generator(),
        }
    }

    pub fn request(&mut self, schema: SchemaOf) -> Value {
        tidy(schema(&mut self.requests).into())
    }

    pub fn response(&mut self, schema: SchemaOf) -> Value {
        tidy(schema(&mut self.responses).into())
    }

    /// All components that were referred to, by name.
    pub fn components(mut self) -> Map<String, Value> {
        let mut all = self.requests.take_definitions(true);
        all.append(&mut self.responses.take_definitions(true));
        let mut all: Vec<(String, Value)> =
            all.into_iter().map(|(name, schema)| (name, tidy(schema))).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all.into_iter().collect()
    }
}

/// A schema as the document shows it: an optional field is absent rather than null, a description is one line, and Rust's
/// own number formats are left out.
fn tidy(mut schema: Value) -> Value {
    tidy_in_place(&mut schema);
    schema
}

fn tidy_in_place(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            strip_null_of_optional(members);
            if members.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint"))
            {
                members.remove("format");
            }
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            members.values_mut().for_each(tidy_in_place);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy_in_place),
        _ => {}
    }
}

/// Removes `null` from the types of fields that are not required.
fn strip_null_of_optional(object: &mut Map<String, Value>) {
    let required: Vec<Value> = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = object.get_mut("properties") else { return };
    for (name, property) in properties {
        let Value::Object(property) = property else { continue };
        if required.iter().any(|required| required == name) {
            continue;
        }
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = types.as_slice() {
                property["type"] = only.clone();
            }
        }
        if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
            choices.retain(|choice| *choice != json!({ "type": "null" }));
            if let [Value::Object(only)] = choices.as_slice() {
                let only = only.clone();
                property.remove("anyOf");
                for (key, value) in only {
                    property.entry(key).or_insert(value);
                }
            }
        }
        if let Some(Value::Array(words)) = property.get_mut("enum") {
            words.retain(|word| !word.is_null());
        }
    }
}

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
