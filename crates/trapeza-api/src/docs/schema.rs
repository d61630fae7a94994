//! Schemas: a small vocabulary that becomes the JSON Schema of the OpenAPI document.
//!
//! Components refer to each other by value, so that a dangling reference does not compile.

use serde_json::{Map, Value, json};

/// A named schema. It appears once in the document and is referenced elsewhere.
#[derive(Debug)]
pub struct Component {
    pub name: &'static str,
    pub description: &'static str,
    pub schema: fn() -> Schema,
}

pub enum Schema {
    Text,
    /// A string with a format, such as `uuid` or `date-time`.
    Formatted(&'static str),
    Boolean,
    Integer,
    Number,
    /// One of these strings.
    Enum(&'static [&'static str]),
    /// An integer that is an index into this list of names (docs/behaviour/specification.md).
    EnumIndex(&'static [&'static str]),
    List(Box<Self>),
    Object(Vec<Field>),
    /// An object with arbitrary keys and values of one schema.
    Map(Box<Self>),
    /// A nullable value.
    OrNull(Box<Self>),
    /// An object without further description.
    AnyObject,
    Component(&'static Component),
}

/// A field of an object.
pub struct Field {
    pub name: &'static str,
    pub schema: Schema,
    pub description: &'static str,
    pub required: bool,
}

/// A field that is always present.
pub fn required(name: &'static str, schema: Schema, description: &'static str) -> Field {
    Field { name, schema, description, required: true }
}

/// A field that is omitted without a value.
pub fn optional(name: &'static str, schema: Schema, description: &'static str) -> Field {
    Field { name, schema, description, required: false }
}

pub fn list(of: Schema) -> Schema {
    Schema::List(Box::new(of))
}

pub fn or_null(of: Schema) -> Schema {
    Schema::OrNull(Box::new(of))
}

pub fn map(of: Schema) -> Schema {
    Schema::Map(Box::new(of))
}

impl Schema {
    /// The JSON Schema.
    pub fn json(&self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Formatted(format) => json!({ "type": "string", "format": format }),
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Integer => json!({ "type": "integer" }),
            Self::Number => json!({ "type": "number" }),
            Self::Enum(words) => json!({ "type": "string", "enum": words }),
            Self::EnumIndex(names) => {
                let places = names.iter().enumerate();
                let meaning = places.clone().map(|(place, name)| format!("{place} {name}"));
                json!({
                    "type": "integer",
                    "enum": places.map(|(place, _)| place).collect::<Vec<_>>(),
                    "description": meaning.collect::<Vec<_>>().join(", "),
                })
            }
            Self::List(of) => json!({ "type": "array", "items": of.json() }),
            Self::Object(fields) => object(fields),
            Self::Map(of) => json!({ "type": "object", "additionalProperties": of.json() }),
            Self::OrNull(of) => {
                let mut schema = of.json();
                schema["type"] = json!([schema["type"], "null"]);
                schema
            }
            Self::AnyObject => json!({ "type": "object" }),
            Self::Component(component) => {
                json!({ "$ref": format!("#/components/schemas/{}", component.name) })
            }
        }
    }

    /// A short description, for the tables of the page.
    pub fn describe(&self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Formatted(format) => (*format).to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Integer => "whole number".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Enum(words) => words.join(", "),
            Self::EnumIndex(names) => format!("0 to {}", names.len().saturating_sub(1)),
            Self::List(of) => format!("list of {}", of.describe()),
            Self::OrNull(of) => format!("{} or null", of.describe()),
            Self::Object(_) | Self::Map(_) | Self::AnyObject => "object".to_owned(),
            Self::Component(component) => component.name.to_owned(),
        }
    }

    /// Collects the components that this schema uses, transitively, each once.
    pub fn components(&self, found: &mut Vec<&'static Component>) {
        match self {
            Self::List(of) | Self::Map(of) => of.components(found),
            Self::Object(fields) => fields.iter().for_each(|field| field.schema.components(found)),
            Self::Component(component) if !found.iter().any(|known| known.name == component.name) => {
                found.push(component);
                (component.schema)().components(found);
            }
            _ => {}
        }
    }
}

impl Component {
    pub fn json(&self) -> Value {
        let mut schema = (self.schema)().json();
        // The meaning of indices follows the description.
        let places = schema["description"].as_str().map(|places| format!(" {places}."));
        schema["description"] = json!(format!("{}{}", self.description, places.unwrap_or_default()));
        schema
    }
}

fn object(fields: &[Field]) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = field.schema.json();
        if schema["description"].is_null() {
            schema["description"] = json!(field.description);
        }
        properties.insert(field.name.to_owned(), schema);
    }
    let required: Vec<_> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut object = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}
