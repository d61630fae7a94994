//! Validation of bodies against the schemas of the document.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;

/// Validates bodies against the schemas of one document. A schema is compiled when it is first used.
pub struct SchemaChecker {
    components: Value,
    compiled: RefCell<HashMap<String, Validator>>,
}

impl SchemaChecker {
    pub fn new(document: &Value) -> Self {
        Self { components: document["components"].clone(), compiled: RefCell::default() }
    }

    /// All errors of a value, each with its place. A body may have no field that its schema does not describe, although JSON
    /// Schema allows unknown fields.
    pub fn errors(&self, schema: &Value, value: &Value) -> Vec<String> {
        let mut compiled = self.compiled.borrow_mut();
        let validator = compiled.entry(schema.to_string()).or_insert_with(|| {
            let mut schema = schema.clone();
            schema["components"] = self.components.clone();
            close(&mut schema);
            jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap()
        });
        let errors = validator.iter_errors(value);
        errors.map(|error| format!("{}: {error}", error.instance_path())).collect()
    }
}

/// What a reference leads to.
pub fn resolve<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(reference.strip_prefix('#')?)
}

/// Forbids undescribed fields in every object.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.contains_key("properties") && members.contains_key("type") {
                members.entry("additionalProperties").or_insert(json!(false));
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[test]
fn errors_of_undescribed_missing_and_wrong_fields_are_found() {
    let document =
        json!({ "components": { "schemas": { "Word": { "type": "string", "enum": ["a", "b"] } } } });
    let schema = json!({
        "type": "object",
        "required": ["word"],
        "properties": { "word": { "$ref": "#/components/schemas/Word" }, "day": { "type": "string", "format": "date" } },
    });
    let checker = SchemaChecker::new(&document);
    let found = |value: Value| checker.errors(&schema, &value).len();
    assert_eq!(found(json!({ "word": "a", "day": "2026-11-15" })), 0);
    for wrong in [json!([]), json!({}), json!({ "word": "c" }), json!({ "word": "a", "more": 1 })] {
        assert_eq!(found(wrong.clone()), 1, "{wrong}");
    }
    assert_eq!(found(json!({ "word": "a", "day": "soon" })), 1);
}
