//! The documentation of one operation: parameters, bodies, examples.

use super::parameter::Parameter;
use super::schema::{SchemaFn, schema_of};
use crate::wire::schema::one_of;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use serde_json::Value;
use trapeza_http::operation::Operation;
use uuid::Uuid;

/// The documentation of one operation.
pub struct OperationDoc {
    pub operation: &'static Operation,
    /// The group that it is listed in, one of the tags of `index`.
    pub tag: &'static str,
    pub summary: &'static str,
    pub doc: &'static Doc,
}

#[derive(Debug)]
pub struct Doc {
    /// Path parameters, and parameters beyond those of authentication.
    pub parameters: &'static [&'static Parameter],
    pub request: Option<Payload>,
    /// A body that may be left out.
    pub optional_request: Option<Payload>,
    /// `None` if the response has no body.
    pub response: Option<Payload>,
    /// Responses that are neither the success nor an error.
    pub others: &'static [(u16, Payload)],
    /// Headers of the successful response beyond the common ones.
    pub headers: &'static [&'static Header],
    pub shell: Shell,
}

/// How the commands on the page differ from the example of the operation, so that they run one after another in a fresh
/// sandbox.
#[derive(Debug)]
pub struct Shell {
    /// Variables for later commands that are set from the response: their names and jq filters.
    pub captures: &'static [(&'static str, &'static str)],
    /// The bodies of several commands, or of one that differs from the example.
    pub bodies: Option<fn() -> Vec<Value>>,
    /// The command ends what commands further down the page need.
    pub last: bool,
}

/// A request or response body: description, schema and example.
#[derive(Debug)]
pub struct Payload {
    pub description: &'static str,
    pub media: &'static str,
    pub schema: SchemaFn,
    pub example: Option<fn() -> Value>,
}

/// A response header.
#[derive(Debug)]
pub struct Header {
    pub name: &'static str,
    pub description: &'static str,
    pub schema: SchemaFn,
}

/// An operation without parameters and bodies.
pub const EMPTY: Doc = Doc {
    parameters: &[],
    request: None,
    optional_request: None,
    response: None,
    others: &[],
    headers: &[],
    shell: PLAIN,
};

/// One command with the example, of which nothing is needed later.
pub const PLAIN: Shell = Shell { captures: &[], bodies: None, last: false };

impl Doc {
    pub const fn with_shell(mut self, shell: Shell) -> Self {
        self.shell = shell;
        self
    }

    /// The request body, and whether it is required.
    pub fn request_body(&self) -> Option<(&Payload, bool)> {
        let required = self.request.as_ref().map(|payload| (payload, true));
        required.or_else(|| self.optional_request.as_ref().map(|payload| (payload, false)))
    }
}

impl Shell {
    pub const fn capture(captures: &'static [(&'static str, &'static str)]) -> Self {
        Self { captures, ..PLAIN }
    }
}

impl Payload {
    /// A JSON body of this type.
    pub const fn json<T: JsonSchema>(description: &'static str, example: fn() -> Value) -> Self {
        Self { description, media: "application/json", schema: schema_of::<T>, example: Some(example) }
    }
}

pub static REQUEST_ID: Header =
    Header { name: "x-Request-ID", description: "The request id, as sent.", schema: schema_of::<String> };
pub static CORRELATION_ID: Header = Header {
    name: "X-Correlation-ID",
    description: "The bank's id of this request, for support.",
    schema: schema_of::<Uuid>,
};
pub static RETRY_AFTER: Header =
    Header { name: "Retry-After", description: "Seconds to wait before a retry.", schema: schema_of::<u32> };
pub static LOCATION: Header = Header {
    name: "Location",
    description: "The path of the new resource.",
    schema: |_| json_schema!({ "type": "string", "format": "uri-reference" }),
};
pub static REPLAY: Header = Header {
    name: "Idempotent-Replay",
    description: "`true` if this is the stored response of an earlier request with the same idempotency key.",
    schema: |_| one_of(["true"]),
};
pub static REMAINING: Header = Header {
    name: "X-Frequency-Remaining",
    description: "The number of reads left in 24 hours without the customer present.",
    schema: schema_of::<u32>,
};

/// A response as the value of an example.
pub fn value(body: &impl Serialize) -> Value {
    serde_json::to_value(body).expect("response types serialize without errors")
}
