//! The envelope of open banking responses (§2.1): links and the fields that every response repeats.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// The envelope, which follows a response's own fields.
#[derive(serde::Serialize, Default)]
pub struct Envelope {
    #[serde(rename = "_links")]
    pub links: Links,
    #[serde(flatten)]
    tail: EnvelopeTail,
}

impl Envelope {
    pub fn with(links: Links) -> Self {
        Self { links, ..Self::default() }
    }

    pub fn with_message(links: Links, message: Option<Message>) -> Self {
        Self {
            links,
            tail: EnvelopeTail { tpp_messages: message.into_iter().collect(), ..Default::default() },
        }
    }
}

/// The envelope of a response that has links of its own.
#[derive(serde::Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct EnvelopeTail {
    authentication_schemes: [&'static str; 0],
    properties: Empty,
    status_code: u32,
    tpp_messages: Vec<Message>,
}

/// A message of a successful response.
#[derive(serde::Serialize)]
pub struct Message {
    pub category: u32,
    pub code: u32,
    pub path: &'static str,
    pub text: String,
}

/// `{}`
#[derive(serde::Serialize, Default)]
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
