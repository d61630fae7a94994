//! What most answers of area A carry around their own fields (§2.1), and how links are written.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

/// The envelope around an answer's own fields, which come first.
pub fn envelope(own: Value, links: &[(&str, String)]) -> Value {
    let mut body = own;
    body["_links"] = self::links(links);
    body["authenticationSchemes"] = json!([]);
    body["properties"] = json!({});
    body["statusCode"] = json!(0);
    body["tppMessages"] = json!([]);
    body
}

/// An object of `{"href"}` by their Berlin Group names.
pub fn links(links: &[(&str, String)]) -> Value {
    let each = links.iter().map(|(name, href)| ((*name).to_owned(), json!({ "href": href })));
    Value::Object(each.collect::<Map<_, _>>())
}

/// The same as a part of a typed answer.
#[derive(serde::Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    #[serde(rename = "_links")]
    pub links: Links,
    authentication_schemes: [&'static str; 0],
    properties: Empty,
    status_code: u32,
    tpp_messages: [&'static str; 0],
}

/// What comes after the links, where it is written by hand.
pub const REST: &str = r#""authenticationSchemes":[],"properties":{},"statusCode":0,"tppMessages":[]}"#;

impl Envelope {
    pub fn with(links: Links) -> Self {
        Self { links, ..Self::default() }
    }
}

/// `{}`
#[derive(serde::Serialize, Default)]
pub struct Empty {}

/// Links in the order they were added.
#[derive(Default)]
pub struct Links(Vec<(&'static str, String)>);

impl Links {
    pub fn one(name: &'static str, href: String) -> Self {
        Self(vec![(name, href)])
    }

    pub fn add(&mut self, name: &'static str, href: String) {
        self.0.push((name, href));
    }
}

impl Serialize for Links {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Link<'a> {
            href: &'a str,
        }
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, href) in &self.0 {
            map.serialize_entry(name, &Link { href })?;
        }
        map.end()
    }
}
