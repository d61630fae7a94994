//! The fields of a body as table rows; nested fields have dotted paths.

use crate::docs::schema::describe;
use serde_json::{Map, Value};
use std::collections::HashSet;

pub struct FieldRow {
    pub path: String,
    /// The id of the row, which the page sets.
    pub anchor: String,
    pub kind: String,
    pub required: bool,
    pub description: String,
}

/// The rows of a schema. `components` are those of the document.
pub fn rows(schema: &Value, components: &Map<String, Value>) -> Vec<FieldRow> {
    let mut table = Table { components, expanded: HashSet::new(), rows: Vec::new() };
    table.add(schema, "");
    table.rows
}

struct Table<'a> {
    components: &'a Map<String, Value>,
    /// The components that were expanded already.
    expanded: HashSet<String>,
    rows: Vec<FieldRow>,
}

impl Table<'_> {
    fn add(&mut self, schema: &Value, path: &str) {
        if let Some(name) = component_name(schema) {
            // A component is expanded where it first occurs, and named afterwards.
            if self.expanded.insert(name.to_owned())
                && let Some(component) = self.components.get(name)
            {
                self.add(component, path);
            }
            return;
        }
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let required = schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
            let description = self.description(field);
            let anchor = String::new();
            self.rows.push(FieldRow {
                path: path.clone(),
                anchor,
                kind: describe(field),
                required,
                description,
            });
            self.add(field, &path);
        }
        if schema["items"].is_object() {
            self.add(&schema["items"], &format!("{path}[]"));
        }
        if schema["additionalProperties"].is_object() {
            self.add(&schema["additionalProperties"], &format!("{path}.*"));
        }
        for choice in schema["anyOf"].as_array().into_iter().flatten() {
            self.add(choice, path);
        }
    }

    /// The description of a field; a component of numbers adds their meaning.
    fn description(&self, field: &Value) -> String {
        let own = field["description"].as_str().unwrap_or_default();
        let component = component_name(field).and_then(|name| self.components.get(name));
        let numbers = component.filter(|component| component["type"] == "integer");
        let meaning = numbers.and_then(|component| component["description"].as_str());
        match meaning {
            Some(meaning) if !own.is_empty() => format!("{own} {meaning}."),
            Some(meaning) => meaning.to_owned(),
            None => own.to_owned(),
        }
    }
}

fn component_name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next())
}
