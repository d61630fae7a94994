//! Schemas of OpenAPI documents, generated from the types of requests and responses.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Generates the schema of a type. A function, because a static can hold it.
pub type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

pub fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Generates schemas and collects the components that they refer to. Requests and responses have generators of their own,
/// because an `Option` may be absent from a request and is null in a response unless it is skipped.
pub struct Schemas {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Default for Schemas {
    fn default() -> Self {
        Self::new()
    }
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

    pub fn request(&mut self, schema: SchemaFn) -> Value {
        normalise(schema(&mut self.requests).into())
    }

    pub fn response(&mut self, schema: SchemaFn) -> Value {
        normalise(schema(&mut self.responses).into())
    }

    /// All components that were referred to, by name.
    pub fn components(mut self) -> Map<String, Value> {
        let mut all = self.requests.take_definitions(true);
        all.append(&mut self.responses.take_definitions(true));
        let mut all: Vec<(String, Value)> =
            all.into_iter().map(|(name, schema)| (name, normalise(schema))).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all.into_iter().collect()
    }
}

/// A schema as the document shows it: an optional field is absent rather than null, a description is one line, and Rust's
/// own number formats are left out.
fn normalise(mut schema: Value) -> Value {
    normalise_in_place(&mut schema);
    schema
}

fn normalise_in_place(schema: &mut Value) {
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
            members.values_mut().for_each(normalise_in_place);
        }
        Value::Array(items) => items.iter_mut().for_each(normalise_in_place),
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
