//! The documentation as one page. It needs no script and nothing from elsewhere; the template escapes all it is given.

mod command;
mod field;

use super::asked;
use super::content::Payload;
use super::openapi::who;
use super::parameter::Parameter;
use super::refusal;
use super::webhook::{self, WEBHOOKS, Webhook};
use super::{Edition, operations};
use crate::docs::index;
use crate::docs::index::TAGS;
use askama::Template;
use axum::http::HeaderValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use field::FieldRow;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;
use trapeza_http::operation::{Area, Operation};

const STYLE: &str = include_str!("../../../templates/docs.css");

#[derive(Template)]
#[template(path = "docs.html")]
struct Page<'a> {
    style: &'a str,
    version: &'a str,
    public_url: &'a str,
    /// How the variables of the commands are set, where that is known.
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

/// What the bank calls elsewhere.
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
    denials: Vec<DenialRow>,
    has_numbers: bool,
    command: String,
}

struct ParameterRow {
    name: &'static str,
    place: &'static str,
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

/// The page for one edition of the bank.
pub fn page(edition: &Edition) -> String {
    let groups = TAGS.iter().map(|(name, about)| Group {
        name,
        about,
        anchor: name.to_lowercase().replace(' ', "-"),
        entries: operations(edition)
            .filter(|operation| index::of(operation).tag == *name)
            .map(|operation| entry(edition, operation))
            .collect(),
        calls: WEBHOOKS.iter().filter(|_| *name == webhook::TAG).map(|one| call(edition, one)).collect(),
    });
    let page = Page {
        style: STYLE,
        version: env!("CARGO_PKG_VERSION"),
        public_url: &edition.public_url,
        variables: edition.sandbox.then_some(command::VARIABLES),
        groups: groups.filter(|group| !group.entries.is_empty()).collect(),
    };
    page.render().expect("the template writes into a String, which cannot fail")
}

/// Nothing but the page's own style, which is known by its hash.
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

fn entry(edition: &Edition, operation: &'static Operation) -> Entry {
    let doc = index::of(operation).doc;
    let success = doc.answer.as_ref().map_or_else(nothing, sample);
    let others = doc.others.iter().map(|(status, payload)| (*status, sample(payload)));
    Entry {
        id: operation.id,
        method: operation.method.to_string(),
        path: operation.path,
        summary: index::of(operation).summary,
        who: who(operation.right),
        parameters: asked::of(operation).into_iter().map(|one| parameter_row(edition, one)).collect(),
        request: doc.request.as_ref().map(sample),
        answers: std::iter::once((operation.success, success)).chain(others).collect(),
        denials: denials(operation),
        has_numbers: operation.area == Area::OpenBanking,
        command: command::curl(edition, operation),
    }
}

fn call(edition: &Edition, webhook: &'static Webhook) -> Call {
    Call {
        id: webhook.id,
        address: webhook.address(),
        summary: webhook.summary,
        description: webhook.description(),
        parameters: webhook::PARAMETERS.iter().map(|one| parameter_row(edition, one)).collect(),
        request: sample(&webhook.body),
        answers: webhook::ANSWERS,
    }
}

fn parameter_row(edition: &Edition, parameter: &'static Parameter) -> ParameterRow {
    ParameterRow {
        name: parameter.name,
        place: parameter.place.name(),
        required: parameter.required(edition),
        kind: (parameter.schema)().words(),
        description: parameter.description,
    }
}

fn sample(payload: &Payload) -> Sample {
    let pretty = |example: fn() -> Value| format!("{:#}", example());
    Sample {
        description: payload.description,
        media: payload.media,
        example: payload.example.map(pretty),
        fields: field::rows(&(payload.schema)()),
    }
}

fn nothing() -> Sample {
    Sample { description: "Done; there is no body.", media: "", example: None, fields: Vec::new() }
}

fn denials(operation: &'static Operation) -> Vec<DenialRow> {
    let rows = refusal::of(operation).into_iter().map(|denial| DenialRow {
        status: denial.status.as_u16(),
        name: denial.name,
        number: denial.number.map_or("–".to_owned(), |number| number.to_string()),
        text: denial.text,
    });
    rows.collect()
}
