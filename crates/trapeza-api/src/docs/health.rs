//! Documentation of health checks, metrics and the documentation itself.

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
        "The process is ready.",
        || Schema::Component(&HEALTH),
        || json!({ "status": "ready" }),
    )),
    others: &[(
        503,
        Payload::json(
            "The process is shutting down, or its database does not respond.",
            || Schema::Component(&HEALTH),
            || json!({ "status": "shutting down" }),
        ),
    )],
    ..EMPTY
};

pub static METRICS: Doc = Doc {
    answer: Some(Payload {
        description: "Metrics in the text format of Prometheus.",
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
        description: "A page without scripts and external resources.",
        media: "text/html",
        schema: || Text,
        example: None,
    }),
    ..EMPTY
};

static HEALTH: Component = Component {
    name: "Health",
    description: "The state of the process.",
    schema: || Schema::Object(vec![required("status", Text, "The state in a few words.")]),
};
