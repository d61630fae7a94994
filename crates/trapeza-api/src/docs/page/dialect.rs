//! The page of the Berlin Group's dialect, made from its OpenAPI document.

use super::field::{self, FieldRow};
use super::layout::{DIALECT, DIALECT_NAME, Layout};
use crate::docs::DocVariant;
use crate::docs::schema::describe;
use askama::Template;
use serde_json::{Map, Value};

#[derive(Template)]
#[template(path = "docs_dialect.html")]
struct DialectPage<'a> {
    layout: Layout,
    about: Vec<&'a str>,
    /// The address before the paths.
    address: &'a str,
    groups: Vec<Group<'a>>,
}

struct Group<'a> {
    name: &'a str,
    about: &'a str,
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    id: &'a str,
    method: String,
    path: &'a str,
    summary: &'a str,
    parameters: Vec<ParameterRow<'a>>,
    request: Vec<FieldRow>,
    answers: Vec<Answer<'a>>,
    /// Status and meaning of the refusals.
    errors: Vec<(&'a str, &'a str)>,
}

struct ParameterRow<'a> {
    name: &'a str,
    location: &'a str,
    required: bool,
    kind: String,
    description: &'a str,
}

struct Answer<'a> {
    status: &'a str,
    description: &'a str,
    /// The forms beside JSON.
    media: Vec<&'a str>,
    fields: Vec<FieldRow>,
}

pub fn page(variant: &DocVariant, document: &Value) -> String {
    let groups = document["tags"].as_array().into_iter().flatten().map(|tag| Group {
        name: text(&tag["name"]),
        about: text(&tag["description"]),
        entries: entries(document, text(&tag["name"])),
    });
    let page = DialectPage {
        layout: Layout::new(variant, DIALECT_NAME, DIALECT),
        about: text(&document["info"]["description"]).split("\n\n").collect(),
        address: text(&document["servers"][0]["url"]),
        groups: groups.collect(),
    };
    page.render().expect("the template writes into a String, which cannot fail")
}

fn entries<'a>(document: &'a Value, tag: &str) -> Vec<Entry<'a>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| (path, method, operation))
    });
    let own = operations.filter(|(_, _, operation)| text(&operation["tags"][0]) == tag);
    own.map(|(path, method, operation)| entry(document, path, method, operation)).collect()
}

fn entry<'a>(document: &'a Value, path: &'a str, method: &str, operation: &'a Value) -> Entry<'a> {
    let components = document["components"]["schemas"].as_object();
    let none = Map::new();
    let components = components.unwrap_or(&none);
    let fields = |body: &Value| field::rows(&body["content"]["application/json"]["schema"], components);
    let answers = operation["responses"].as_object().into_iter().flatten();
    let (successes, errors): (Vec<_>, Vec<_>) = answers.partition(|(status, _)| status.starts_with('2'));
    let answer = |(status, answer): (&'a String, &'a Value)| {
        let media = answer["content"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
        Answer {
            status,
            description: text(&answer["description"]),
            media: media.filter(|name| *name != "application/json").collect(),
            fields: fields(answer),
        }
    };
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    Entry {
        id: text(&operation["operationId"]),
        method: method.to_uppercase(),
        path,
        summary: text(&operation["summary"]),
        parameters: parameters.map(|parameter| parameter_row(document, parameter)).collect(),
        request: fields(&operation["requestBody"]),
        answers: successes.into_iter().map(answer).collect(),
        errors: errors
            .into_iter()
            .map(|(status, answer)| (status.as_str(), text(&answer["description"])))
            .collect(),
    }
}

fn parameter_row<'a>(document: &'a Value, reference: &Value) -> ParameterRow<'a> {
    let name = text(&reference["$ref"]).rsplit('/').next().unwrap_or_default();
    let parameter = &document["components"]["parameters"][name];
    ParameterRow {
        name: text(&parameter["name"]),
        location: text(&parameter["in"]),
        required: parameter["required"].as_bool().unwrap_or_default(),
        kind: describe(&parameter["schema"]),
        description: text(&parameter["description"]),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
