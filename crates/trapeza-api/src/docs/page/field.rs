//! The fields of a body as table rows; nested fields have dotted paths.

use crate::docs::schema::Schema;
use std::collections::HashSet;

pub struct FieldRow {
    pub path: String,
    pub kind: String,
    pub required: bool,
    pub description: String,
}

pub fn rows(schema: &Schema) -> Vec<FieldRow> {
    let mut rows = Vec::new();
    collect(schema, "", &mut HashSet::new(), &mut rows);
    rows
}

fn collect(schema: &Schema, path: &str, shown: &mut HashSet<&'static str>, rows: &mut Vec<FieldRow>) {
    match schema {
        // A component is expanded where it first occurs, and named afterwards.
        Schema::Component(component) if shown.insert(component.name) => {
            collect(&(component.schema)(), path, shown, rows);
        }
        Schema::List(of) => collect(of, &format!("{path}[]"), shown, rows),
        Schema::Map(of) => collect(of, &format!("{path}.*"), shown, rows),
        Schema::Object(fields) => {
            for field in fields {
                let path =
                    if path.is_empty() { field.name.to_owned() } else { format!("{path}.{}", field.name) };
                let mut description = field.description.to_owned();
                if let Some(places) = places(&field.schema) {
                    description = format!("{description} {places}.").trim_start().to_owned();
                }
                rows.push(FieldRow {
                    path: path.clone(),
                    kind: field.schema.describe(),
                    required: field.required,
                    description,
                });
                collect(&field.schema, &path, shown, rows);
            }
        }
        _ => {}
    }
}

/// The meaning of numbers that are indices into a list.
fn places(schema: &Schema) -> Option<String> {
    match schema {
        Schema::EnumIndex(_) => schema.json()["description"].as_str().map(str::to_owned),
        Schema::Component(component) => places(&(component.schema)()),
        _ => None,
    }
}
