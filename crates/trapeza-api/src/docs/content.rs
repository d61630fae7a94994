//! What the documentation says of an operation beyond its line in the table: parameters, bodies, examples.

use super::parameter::Parameter;
use super::schema::Schema;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug)]
pub struct Doc {
    /// Those of the path, and those beyond what the operation's right asks for.
    pub parameters: &'static [&'static Parameter],
    pub request: Option<Payload>,
    /// `None`: the answer has no body.
    pub answer: Option<Payload>,
    /// Handler that are neither the success nor a refusal.
    pub others: &'static [(u16, Payload)],
    /// Headers of the success that not every answer has.
    pub headers: &'static [&'static Header],
}

/// A body: what it is, how it looks, and one of it.
#[derive(Debug)]
pub struct Payload {
    pub description: &'static str,
    pub media: &'static str,
    pub schema: fn() -> Schema,
    pub example: Option<fn() -> Value>,
}

/// A header of an answer.
#[derive(Debug)]
pub struct Header {
    pub name: &'static str,
    pub description: &'static str,
    pub schema: fn() -> Schema,
}

/// For an operation about which there is no more to say than its line.
pub const EMPTY: Doc = Doc { parameters: &[], request: None, answer: None, others: &[], headers: &[] };

impl Payload {
    pub const fn json(description: &'static str, schema: fn() -> Schema, example: fn() -> Value) -> Self {
        Self { description, media: "application/json", schema, example: Some(example) }
    }
}

pub static REQUEST_ID: Header =
    Header { name: "x-Request-ID", description: "The call's id, as it was sent.", schema: || Schema::Text };
pub static CORRELATION_ID: Header = Header {
    name: "X-Correlation-ID",
    description: "The bank's id for this call: name it when you ask for help.",
    schema: || Schema::Formatted("uuid"),
};
pub static RETRY_AFTER: Header = Header {
    name: "Retry-After",
    description: "In how many seconds it makes sense to call again.",
    schema: || Schema::Integer,
};
pub static LOCATION: Header = Header {
    name: "Location",
    description: "Where the new object is found.",
    schema: || Schema::Formatted("uri-reference"),
};
pub static REPLAY: Header = Header {
    name: "Idempotent-Replay",
    description: "`true` when the call was done before, and this is its first answer again.",
    schema: || Schema::Enum(&["true"]),
};

/// A response as the value of an example.
pub fn value(body: &impl Serialize) -> Value {
    serde_json::to_value(body).expect("response types serialize without errors")
}
