//! What the operator's machines ask, and this documentation itself, documented.

use super::content::{Doc, EMPTY, Payload};
use super::schema::Schema::{self, AnyObject, Text};
use super::schema::{Component, required};
use serde_json::json;

pub static LIVE: Doc = Doc {
    answer: Some(Payload::json(
        "The process runs.",
        || Schema::Component(&HEALTH),
        || json!({ "status": "alive" }),
    )),
    ..EMPTY
};

pub static READY: Doc = Doc {
    answer: Some(Payload::json(
        "The process takes requests.",
        || Schema::Component(&HEALTH),
        || json!({ "status": "ready" }),
    )),
    others: &[(
        503,
        Payload::json(
            "It does not: it is shutting down, or its store does not answer.",
            || Schema::Component(&HEALTH),
            || json!({ "status": "shutting down" }),
        ),
    )],
    ..EMPTY
};

pub static METRICS: Doc = Doc {
    answer: Some(Payload {
        description: "Prometheus's text format.",
        media: "text/plain",
        schema: || Text,
        example: None,
    }),
    ..EMPTY
};

pub static OPENAPI: Doc = Doc {
    answer: Some(Payload {
        description: "An OpenAPI 3.1 document.",
        media: "application/json",
        schema: || AnyObject,
        example: None,
    }),
    ..EMPTY
};

pub static PAGE: Doc = Doc {
    answer: Some(Payload {
        description: "A page that needs neither scripts nor anything from elsewhere.",
        media: "text/html",
        schema: || Text,
        example: None,
    }),
    ..EMPTY
};

static HEALTH: Component = Component {
    name: "Health",
    description: "How the process is.",
    schema: || Schema::Object(vec![required("status", Text, "In a word or two.")]),
};
