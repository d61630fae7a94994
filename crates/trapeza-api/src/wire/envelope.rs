//! The envelope of open banking responses (§2.1): links and the fields that every response repeats.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use trapeza_http::error_response::{TppMessage, status_code_schema};

/// The envelope, which follows a response's own fields.
#[derive(serde::Serialize, JsonSchema, Default)]
pub struct Envelope {
    /// The possible next steps.
    #[serde(rename = "_links")]
    pub links: Links,
    #[serde(flatten)]
    tail: EnvelopeTail,
}

impl Envelope {
    pub fn with(links: Links) -> Self {
        Self { links, ..Self::default() }
    }

    pub fn with_message(links: Links, message: Option<TppMessage>) -> Self {
        Self {
            links,
            tail: EnvelopeTail { tpp_messages: message.into_iter().collect(), ..Default::default() },
        }
    }
}

/// The envelope of a response that has links of its own.
#[derive(serde::Serialize, JsonSchema, Default)]
#[serde(rename_all = "camelCase")]
pub struct EnvelopeTail {
    /// Always empty.
    authentication_schemes: [&'static str; 0],
    /// Always empty.
    properties: Empty,
    #[schemars(schema_with = "status_code_schema")]
    status_code: u32,
    /// Messages about the request.
    tpp_messages: Vec<TppMessage>,
}

/// `{}`
#[derive(serde::Serialize, JsonSchema, Default)]
#[schemars(inline, extend("maxProperties" = 0))]
pub struct Empty {}

/// Links by their Berlin Group names, in the order they were added.
#[derive(Default)]
pub struct Links(Vec<(&'static str, String)>);

impl Links {
    pub fn one(name: &'static str, href: String) -> Self {
        Self(vec![(name, href)])
    }

    #[must_use]
    pub fn and(mut self, name: &'static str, href: String) -> Self {
        self.add(name, href);
        self
    }

    pub fn add(&mut self, name: &'static str, href: String) {
        self.0.push((name, href));
    }
}

#[derive(serde::Serialize, JsonSchema)]
#[schemars(inline)]
struct Link<'a> {
    /// The URL; relative to this server unless it is a page.
    href: &'a str,
}

impl Serialize for Links {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, href) in &self.0 {
            map.serialize_entry(name, &Link { href })?;
        }
        map.end()
    }
}

impl JsonSchema for Links {
    fn schema_name() -> Cow<'static, str> {
        "Links".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The possible next steps, by name.",
            "type": "object",
            "additionalProperties": generator.subschema_for::<Link<'_>>(),
        })
    }
}
