//! The documentation as one HTML page without scripts and external resources. The template escapes all values.

mod command;
mod field;

use super::content::Payload;
use super::openapi::describe_access;
use super::parameter::Parameter;
use super::parameters_of;
use super::refusal;
use super::schema::{Schemas, describe};
use super::webhook::{self, WEBHOOKS, Webhook};
use super::{DocVariant, operations};
use crate::docs::index;
use crate::docs::index::TAGS;
use askama::Template;
use axum::http::HeaderValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use field::FieldRow;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;
use trapeza_http::operation::{ApiFamily, Operation};

const STYLE: &str = include_str!("../../../templates/docs.css");

#[derive(Template)]
#[template(path = "docs.html")]
struct Page<'a> {
    style: &'a str,
    version: &'a str,
    public_url: &'a str,
    /// The commands that set the variables, in the sandbox.
    variables: Option<&'a str>,
    groups: Vec<Group>,
}

struct Group {
    name: &'static str,
    about: &'static str,
    anchor: String,
    entries: Vec<Entry>,
    calls: Vec<Call>,
}

/// A webhook as the page shows it.
struct Call {
    id: &'static str,
    address: &'static str,
    summary: &'static str,
    description: String,
    parameters: Vec<ParameterRow>,
    request: Sample,
    answers: &'static [(&'static str, &'static str)],
}

/// An operation as the page shows it.
struct Entry {
    id: &'static str,
    method: String,
    path: &'static str,
    summary: &'static str,
    who: String,
    parameters: Vec<ParameterRow>,
    request: Option<Sample>,
    answers: Vec<(u16, Sample)>,
    errors: Vec<DenialRow>,
    has_numbers: bool,
    commands: String,
    /// The command ends what other commands need.
    last: bool,
}

struct ParameterRow {
    name: &'static str,
    location: &'static str,
    required: bool,
    kind: String,
    description: &'static str,
}

struct Sample {
    description: &'static str,
    media: &'static str,
    example: Option<String>,
    fields: Vec<FieldRow>,
}

struct DenialRow {
    status: u16,
    name: &'static str,
    number: String,
    text: String,
}

/// The page of one variant.
pub fn page(variant: &DocVariant) -> String {
    let components = components(variant);
    let components = &components;
    let groups = TAGS.iter().map(|(name, about)| Group {
        name,
        about,
        anchor: name.to_lowercase().replace(' ', "-"),
        entries: operations(variant)
            .filter(|operation| index::of(operation).tag == *name)
            .map(|operation| entry(variant, operation, components))
            .collect(),
        calls: WEBHOOKS
            .iter()
            .filter(|_| *name == webhook::TAG)
            .map(|one| call(variant, one, components))
            .collect(),
    });
    let page = Page {
        style: STYLE,
        version: env!("CARGO_PKG_VERSION"),
        public_url: &variant.public_url,
        variables: variant.sandbox.then_some(command::VARIABLES),
        groups: groups.filter(|group| !group.entries.is_empty()).collect(),
    };
    page.render().expect("the template writes into a String, which cannot fail")
}

/// The content security policy: only the page's own style, by its hash.
pub fn policy() -> HeaderValue {
    static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
        let hash = STANDARD.encode(Sha256::digest(STYLE));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        HeaderValue::try_from(policy).expect("a hash in base64 is plain text")
    });
    POLICY.clone()
}

/// The components of the whole document, which the tables of fields expand.
fn components(variant: &DocVariant) -> Map<String, Value> {
    let mut document = super::document(variant);
    match document["components"]["schemas"].take() {
        Value::Object(components) => components,
        _ => Map::new(),
    }
}

fn entry(variant: &DocVariant, operation: &'static Operation, components: &Map<String, Value>) -> Entry {
    let doc = index::of(operation).doc;
    let response = |payload: &Payload| sample(payload, &Schemas::new().response(payload.schema), components);
    let request = |payload: &Payload| sample(payload, &Schemas::new().request(payload.schema), components);
    let success = doc.response.as_ref().map_or_else(nothing, response);
    let others = doc.others.iter().map(|(status, payload)| (*status, response(payload)));
    Entry {
        id: operation.id,
        method: operation.method.to_string(),
        path: operation.path,
        summary: index::of(operation).summary,
        who: describe_access(operation.access),
        parameters: parameters_of::operation(operation)
            .into_iter()
            .map(|one| parameter_row(variant, one))
            .collect(),
        request: doc.request_body().map(|(payload, _)| request(payload)),
        answers: std::iter::once((operation.success, success)).chain(others).collect(),
        errors: errors(operation),
        has_numbers: operation.family == ApiFamily::OpenBanking,
        commands: command::commands(variant, operation),
        last: doc.shell.last,
    }
}

fn call(variant: &DocVariant, webhook: &'static Webhook, components: &Map<String, Value>) -> Call {
    Call {
        id: webhook.id,
        address: webhook.address(),
        summary: webhook.summary,
        description: webhook.description(),
        parameters: webhook::PARAMETERS.iter().map(|one| parameter_row(variant, one)).collect(),
        request: sample(&webhook.body, &Schemas::new().response(webhook.body.schema), components),
        answers: webhook::ANSWERS,
    }
}

fn parameter_row(variant: &DocVariant, parameter: &'static Parameter) -> ParameterRow {
    ParameterRow {
        name: parameter.name,
        location: parameter.location.name(),
        required: parameter.required(variant),
        kind: describe(&Schemas::new().request(parameter.schema)),
        description: parameter.description,
    }
}

fn sample(payload: &Payload, schema: &Value, components: &Map<String, Value>) -> Sample {
    let pretty = |example: fn() -> Value| format!("{:#}", example());
    Sample {
        description: payload.description,
        media: payload.media,
        example: payload.example.map(pretty),
        fields: field::rows(schema, components),
    }
}

fn nothing() -> Sample {
    Sample { description: "Success without a body.", media: "", example: None, fields: Vec::new() }
}

fn errors(operation: &'static Operation) -> Vec<DenialRow> {
    let rows = refusal::of(operation).into_iter().map(|error| DenialRow {
        status: error.status.as_u16(),
        name: error.name,
        number: error.number.map_or("–".to_owned(), |number| number.to_string()),
        text: error.text,
    });
    rows.collect()
}
