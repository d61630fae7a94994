//! Documentation of health checks, metrics and the documentation itself.

use super::content::{Doc, EMPTY, Payload};
use super::parameter::{DOCS_PAGE, SEARCH};
use super::schema::schema_of;
use crate::handler::health::Health;
use schemars::json_schema;
use serde_json::json;

pub static LIVE: Doc = Doc {
    response: Some(Payload::json::<Health>("The process runs.", || json!({ "status": "alive" }))),
    ..EMPTY
};

pub static READY: Doc = Doc {
    response: Some(Payload::json::<Health>("The process is ready.", || json!({ "status": "ready" }))),
    others: &[(
        503,
        Payload::json::<Health>(
            "The process is shutting down, or its database does not respond.",
            || json!({ "status": "shutting down" }),
        ),
    )],
    ..EMPTY
};

pub static METRICS: Doc = Doc {
    response: Some(Payload {
        description: "Metrics in the text format of Prometheus.",
        media: "text/plain",
        schema: schema_of::<String>,
        example: None,
    }),
    ..EMPTY
};

pub static OPENAPI: Doc = Doc {
    response: Some(Payload {
        description: "An OpenAPI 3.1 document.",
        media: "application/json",
        schema: |_| json_schema!({ "type": "object" }),
        example: None,
    }),
    ..EMPTY
};

const HTML: Payload = Payload {
    description: "A page without scripts and external resources.",
    media: "text/html",
    schema: schema_of::<String>,
    example: None,
};

pub static INDEX_PAGE: Doc = Doc { parameters: &[&SEARCH], response: Some(HTML), ..EMPTY };
pub static PAGE: Doc = Doc { parameters: &[&DOCS_PAGE], response: Some(HTML), ..EMPTY };
