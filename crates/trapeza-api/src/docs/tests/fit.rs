//! Whether a value fits a schema: a checker of just the words that our schemas use. A word it does not know is a
//! misfit, so that nothing passes unchecked. `format` and descriptions say nothing that is checked here.

use serde_json::{Value, json};

/// All that does not fit, each with its place.
pub fn misfits(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(document, schema, value, "$", &mut found);
    found
}

/// What a reference leads to.
pub fn resolve<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(reference.strip_prefix('#')?)
}

fn check(document: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let Some(words) = schema.as_object() else {
        return found.push(format!("{at}: the schema is no object"));
    };
    for (word, operand) in words {
        match word.as_str() {
            "$ref" => match operand.as_str().and_then(|reference| resolve(document, reference)) {
                Some(schema) => check(document, schema, value, at, found),
                None => found.push(format!("{at}: {operand} leads nowhere")),
            },
            "type" if !has_type(value, operand) => found.push(format!("{at}: {value} is no {operand}")),
            "enum" if !operand.as_array().is_some_and(|all| all.contains(value)) => {
                found.push(format!("{at}: {value} is none of {operand}"));
            }
            "required" => {
                for name in operand.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    if value.get(name).is_none() {
                        found.push(format!("{at}.{name}: is missing"));
                    }
                }
            }
            "properties" => properties(document, schema, value, at, found),
            "additionalProperties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    check(document, operand, value, &format!("{at}.{name}"), found);
                }
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    check(document, operand, value, &format!("{at}[{index}]"), found);
                }
            }
            "type" | "enum" | "format" | "description" => {}
            other => found.push(format!("{at}: the schema says {other}, which is not checked")),
        }
    }
}

/// Our own answers have no field that is not described, though JSON Schema would let it pass.
fn properties(document: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => check(document, schema, value, &format!("{at}.{name}"), found),
            None => found.push(format!("{at}.{name}: is not described")),
        }
    }
}

fn has_type(value: &Value, name: &Value) -> bool {
    if let Some(several) = name.as_array() {
        return several.iter().any(|one| has_type(value, one));
    }
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}

#[test]
fn what_does_not_fit_is_found_with_its_place() {
    let document =
        json!({ "components": { "schemas": { "Word": { "type": "string", "enum": ["a", "b"] } } } });
    let schema = json!({
        "type": "object",
        "required": ["word", "many"],
        "properties": {
            "word": { "$ref": "#/components/schemas/Word" },
            "many": { "type": "array", "items": { "type": "integer" } },
            "nothing": { "type": ["string", "null"] },
            "links": { "type": "object", "additionalProperties": { "type": "object" } },
        },
    });
    let check = |value| misfits(&document, &schema, &value);
    assert_eq!(check(json!({ "word": "a", "many": [1], "links": { "self": {} } })), Vec::<String>::new());
    assert_eq!(check(json!({ "word": "a", "many": [], "nothing": null })), Vec::<String>::new());
    for (value, place) in [
        (json!([]), "$: [] is no \"object\""),
        (json!({ "many": [] }), "$.word: is missing"),
        (json!({ "word": "c", "many": [] }), "$.word: \"c\" is none of"),
        (json!({ "word": "a", "many": [1.5] }), "$.many[0]: 1.5 is no \"integer\""),
        (json!({ "word": "a", "many": [], "links": { "self": 1 } }), "$.links.self: 1 is no"),
        (json!({ "word": "a", "many": [], "nothing": 1 }), "$.nothing: 1 is no"),
        (json!({ "word": "a", "many": [], "more": 1 }), "$.more: is not described"),
    ] {
        let found = check(value);
        assert!(found.iter().any(|misfit| misfit.starts_with(place)), "{place}: {found:?}");
    }
    assert!(misfits(&document, &json!({ "$ref": "#/no" }), &json!(1))[0].contains("leads nowhere"));
    assert!(misfits(&document, &json!({ "pattern": "a" }), &json!("a"))[0].contains("is not checked"));
}
