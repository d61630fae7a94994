//! The documentation of one operation: parameters, bodies, examples.

use super::parameter::Parameter;
use super::schema::Schema;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug)]
pub struct Doc {
    /// Path parameters, and parameters beyond those of authentication.
    pub parameters: &'static [&'static Parameter],
    pub request: Option<Payload>,
    /// `None` if the response has no body.
    pub answer: Option<Payload>,
    /// Responses that are neither the success nor an error.
    pub others: &'static [(u16, Payload)],
    /// Headers of the successful response beyond the common ones.
    pub headers: &'static [&'static Header],
}

/// A request or response body: description, schema and example.
#[derive(Debug)]
pub struct Payload {
    pub description: &'static str,
    pub media: &'static str,
    pub schema: fn() -> Schema,
    pub example: Option<fn() -> Value>,
}

/// A response header.
#[derive(Debug)]
pub struct Header {
    pub name: &'static str,
    pub description: &'static str,
    pub schema: fn() -> Schema,
}

/// An operation without parameters and bodies.
pub const EMPTY: Doc = Doc { parameters: &[], request: None, answer: None, others: &[], headers: &[] };

impl Payload {
    pub const fn json(description: &'static str, schema: fn() -> Schema, example: fn() -> Value) -> Self {
        Self { description, media: "application/json", schema, example: Some(example) }
    }
}

pub static REQUEST_ID: Header =
    Header { name: "x-Request-ID", description: "The request id, as sent.", schema: || Schema::Text };
pub static CORRELATION_ID: Header = Header {
    name: "X-Correlation-ID",
    description: "The bank's id of this request, for support.",
    schema: || Schema::Formatted("uuid"),
};
pub static RETRY_AFTER: Header = Header {
    name: "Retry-After",
    description: "Seconds to wait before a retry.",
    schema: || Schema::Integer,
};
pub static LOCATION: Header = Header {
    name: "Location",
    description: "The path of the new resource.",
    schema: || Schema::Formatted("uri-reference"),
};
pub static REPLAY: Header = Header {
    name: "Idempotent-Replay",
    description: "`true` if this is the stored response of an earlier request with the same idempotency key.",
    schema: || Schema::Enum(&["true"]),
};

/// A response as the value of an example.
pub fn value(body: &impl Serialize) -> Value {
    serde_json::to_value(body).expect("response types serialize without errors")
}
