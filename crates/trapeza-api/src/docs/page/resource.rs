//! The page of a resource: its operations and webhooks, request and response side by side, with examples.

use super::command;
use super::example::{self, Example};
use super::field::{self, FieldRow};
use super::layout::{Layout, slug};
use crate::docs::content::Payload;
use crate::docs::index::{self, TAGS};
use crate::docs::openapi::describe_access;
use crate::docs::parameter::Parameter;
use crate::docs::schema::{Schemas, describe};
use crate::docs::webhook::{self, WEBHOOKS, Webhook};
use crate::docs::{DocVariant, document, operations, parameters_of, refusal};
use askama::Template;
use serde_json::{Map, Value};
use std::collections::HashSet;
use trapeza_http::operation::{ApiFamily, Operation};

#[derive(Template)]
#[template(path = "docs_resource.html")]
struct ResourcePage {
    layout: Layout,
    /// What sets the variables of the examples, in the sandbox.
    setup: Vec<Example>,
    group: Group,
}

pub struct Group {
    pub name: &'static str,
    about: &'static str,
    pub slug: String,
    pub entries: Vec<Entry>,
    pub calls: Vec<Call>,
}

/// A webhook as the page shows it.
pub struct Call {
    pub id: &'static str,
    pub address: &'static str,
    pub summary: &'static str,
    description: String,
    parameters: Vec<ParameterRow>,
    request: Sample,
    answers: &'static [(&'static str, &'static str)],
}

/// An operation as the page shows it.
pub struct Entry {
    pub id: &'static str,
    pub method: String,
    pub path: &'static str,
    pub summary: &'static str,
    who: String,
    pub parameters: Vec<ParameterRow>,
    pub request: Option<Sample>,
    pub answers: Vec<(u16, Sample)>,
    pub errors: Vec<DenialRow>,
    has_numbers: bool,
    examples: Vec<Example>,
    /// The requests that the page can run.
    run: String,
    /// The command ends what other commands need.
    last: bool,
}

pub struct ParameterRow {
    pub name: &'static str,
    anchor: String,
    location: &'static str,
    required: bool,
    kind: String,
    description: &'static str,
}

pub struct Sample {
    description: &'static str,
    media: &'static str,
    example: Option<String>,
    pub fields: Vec<FieldRow>,
}

pub struct DenialRow {
    status: u16,
    pub name: &'static str,
    number: String,
    text: String,
}

/// The resources of a variant, in the order of the documentation.
pub fn all(variant: &DocVariant) -> Vec<Group> {
    let components = components(variant);
    let components = &components;
    let groups = TAGS.iter().map(|(name, about)| Group {
        name,
        about,
        slug: slug(name),
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
    groups.filter(|group| !group.entries.is_empty()).collect()
}

pub fn page(variant: &DocVariant, group: Group) -> String {
    let setup = if variant.sandbox { example::setup(command::VARIABLES) } else { Vec::new() };
    let page = ResourcePage { layout: Layout::new(variant, group.name, &group.slug), setup, group };
    page.render().expect("the template writes into a String, which cannot fail")
}

/// The components of the whole document, which the tables of fields expand.
fn components(variant: &DocVariant) -> Map<String, Value> {
    let mut document = document(variant);
    match document["components"]["schemas"].take() {
        Value::Object(components) => components,
        _ => Map::new(),
    }
}

fn entry(variant: &DocVariant, operation: &'static Operation, components: &Map<String, Value>) -> Entry {
    let doc = index::of(operation).doc;
    let response = |status: u16, payload: &Payload| {
        let schema = Schemas::new().response(payload.schema);
        sample(payload, &schema, components, &format!("{}.{status}", operation.id))
    };
    let request = |payload: &Payload| {
        let schema = Schemas::new().request(payload.schema);
        sample(payload, &schema, components, &format!("{}.request", operation.id))
    };
    let success = doc.response.as_ref().map_or_else(nothing, |payload| response(operation.success, payload));
    let others = doc.others.iter().map(|(status, payload)| (*status, response(*status, payload)));
    Entry {
        id: operation.id,
        method: operation.method.to_string(),
        path: operation.path,
        summary: index::of(operation).summary,
        who: describe_access(operation.access),
        parameters: parameters_of::operation(operation)
            .into_iter()
            .map(|one| parameter_row(variant, operation.id, one))
            .collect(),
        request: doc.request_body().map(|(payload, _)| request(payload)),
        answers: std::iter::once((operation.success, success)).chain(others).collect(),
        errors: errors(operation),
        has_numbers: operation.family == ApiFamily::OpenBanking,
        examples: example::of(variant, operation),
        run: command::requests(variant, operation),
        last: doc.shell.last,
    }
}

fn call(variant: &DocVariant, webhook: &'static Webhook, components: &Map<String, Value>) -> Call {
    Call {
        id: webhook.id,
        address: webhook.address(),
        summary: webhook.summary,
        description: webhook.description(),
        parameters: webhook::PARAMETERS.iter().map(|one| parameter_row(variant, webhook.id, one)).collect(),
        request: sample(
            &webhook.body,
            &Schemas::new().response(webhook.body.schema),
            components,
            &format!("{}.request", webhook.id),
        ),
        answers: webhook::ANSWERS,
    }
}

fn parameter_row(variant: &DocVariant, id: &str, parameter: &'static Parameter) -> ParameterRow {
    ParameterRow {
        name: parameter.name,
        anchor: anchor(&format!("{id}.{}", parameter.location.name()), parameter.name),
        location: parameter.location.name(),
        required: parameter.required(variant),
        kind: describe(&Schemas::new().request(parameter.schema)),
        description: parameter.description,
    }
}

/// `place` is where the anchors of the fields begin.
fn sample(payload: &Payload, schema: &Value, components: &Map<String, Value>, place: &str) -> Sample {
    let pretty = |example: fn() -> Value| format!("{:#}", example());
    let mut fields = field::rows(schema, components);
    let mut used = HashSet::new();
    for field in &mut fields {
        field.anchor = anchor(place, &field.path);
        // Alternatives may have fields of the same name.
        while !used.insert(field.anchor.clone()) {
            field.anchor.push('_');
        }
    }
    Sample {
        description: payload.description,
        media: payload.media,
        example: payload.example.map(pretty),
        fields,
    }
}

/// The id of a field's row: a letter, digit, full stop or hyphen each.
fn anchor(place: &str, path: &str) -> String {
    let plain = |one: char| if one.is_ascii_alphanumeric() || one == '.' { one } else { '-' };
    format!("{place}.{}", path.chars().map(plain).collect::<String>())
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
