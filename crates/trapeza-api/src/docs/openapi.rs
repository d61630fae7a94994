//! The OpenAPI 3.1 document, made from the table of operations. Nothing in it is written twice.

use super::asked;
use super::content::{CORRELATION_ID, Header, Payload, REQUEST_ID, RETRY_AFTER};
use super::envelope::{OPEN_BANKING_ERROR, PROBLEM};
use super::parameter::{self, Parameter};
use super::refusal::{self, Denial};
use super::schema::{Component, Schema};
use super::webhook::{self, WEBHOOKS, Webhook};
use super::{Edition, operations};
use crate::docs::index;
use crate::docs::index::TAGS;
use serde_json::{Map, Value, json};
use trapeza_http::operation::{Area, Operation, Right};
use trapeza_http::settings::CertificateMode;

const DESCRIPTION: &str = "Open banking (PSD2) and Pay Later on one bank.\n\n\
    Send and take `application/json`. Fields without a value are left out, fields that are not known are passed over. \
    An object that belongs to somebody else answers as one that does not exist.";

/// The whole document for one edition of the bank.
pub fn document(edition: &Edition) -> Value {
    let mut paths = json!({});
    for operation in operations(edition) {
        paths[operation.path][operation.method.as_str().to_ascii_lowercase()] = entry(operation);
    }
    let used = |tag: &str| operations(edition).any(|operation| index::of(operation).tag == tag);
    let tags = TAGS.iter().filter(|(name, _)| used(name));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Trapeza",
            "summary": "Open banking and Pay Later",
            "description": DESCRIPTION,
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "Apache 2.0", "identifier": env!("CARGO_PKG_LICENSE") },
        },
        "servers": [{ "url": edition.public_url }],
        "tags": tags.map(|(name, about)| json!({ "name": name, "description": about })).collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": WEBHOOKS.iter().map(|one| (one.id.to_owned(), called(one))).collect::<Map<_, _>>(),
        "components": {
            "schemas": schemas(edition),
            "parameters": parameters(edition),
            "headers": headers(edition),
            "securitySchemes": security_schemes(edition),
        },
    })
}

fn entry(operation: &'static Operation) -> Value {
    let parameters = asked::of(operation);
    let parameters = parameters
        .iter()
        .map(|parameter| json!({ "$ref": format!("#/components/parameters/{}", parameter.key()) }));
    let mut entry = json!({
        "operationId": operation.id,
        "tags": [index::of(operation).tag],
        "summary": index::of(operation).summary,
        "description": format!("Who may call: {}.", who(operation.right)),
        "parameters": parameters.collect::<Vec<_>>(),
        "security": security(operation.right),
    });
    if let Some(request) = &index::of(operation).doc.request {
        entry["requestBody"] = json!({
            "description": request.description,
            "required": true,
            "content": content(request),
        });
    }
    entry["responses"] = responses(operation);
    entry
}

/// What the bank calls, and what it takes for an answer.
fn called(webhook: &Webhook) -> Value {
    let parameters = webhook::PARAMETERS
        .iter()
        .map(|parameter| json!({ "$ref": format!("#/components/parameters/{}", parameter.key()) }));
    let answers = webhook::ANSWERS
        .iter()
        .map(|(status, about)| ((*status).to_owned(), json!({ "description": about })));
    json!({ "post": {
        "operationId": webhook.id,
        "tags": [webhook::TAG],
        "summary": webhook.summary,
        "description": webhook.description(),
        "parameters": parameters.collect::<Vec<_>>(),
        "requestBody": {
            "description": webhook.body.description,
            "required": true,
            "content": content(&webhook.body),
        },
        "responses": answers.collect::<Map<_, _>>(),
        "security": [],
    } })
}

/// Who may call, in words.
pub fn who(right: Right) -> String {
    match right {
        Right::Tpp(role) => format!("a third party whose certificate has the role {}", role.name()),
        Right::Merchant => "a merchant's application".to_owned(),
        Right::Application => "any registered application, about itself".to_owned(),
        Right::Open => "everybody".to_owned(),
    }
}

fn responses(operation: &'static Operation) -> Value {
    let doc = index::of(operation).doc;
    let own = doc.headers.iter().copied();
    let mut success = json!({
        "description": doc.answer.as_ref().map_or("Done; there is no body.", |answer| answer.description),
        "headers": header_references(operation, own),
    });
    if let Some(answer) = &doc.answer {
        success["content"] = content(answer);
    }
    let mut responses = json!({ operation.success.to_string(): success });
    for (status, payload) in doc.others {
        responses[status.to_string()] = json!({
            "description": payload.description,
            "headers": header_references(operation, std::iter::empty()),
            "content": content(payload),
        });
    }
    let denials = refusal::of(operation);
    for group in denials.chunk_by(|one, other| one.status == other.status) {
        responses[group[0].status.as_str()] = denied(operation, group);
    }
    responses
}

/// All refusals that share a status.
fn denied(operation: &Operation, group: &[Denial]) -> Value {
    let examples: Map<String, Value> = group
        .iter()
        .map(|denial| (denial.key.clone(), json!({ "summary": denial.text, "value": denial.body })))
        .collect();
    let retry = group.iter().any(|denial| denial.retry).then_some(&RETRY_AFTER);
    let mut names: Vec<&str> = Vec::new();
    for denial in group {
        if !names.contains(&denial.name) {
            names.push(denial.name);
        }
    }
    let title = group[0].status.canonical_reason().unwrap_or("Error");
    json!({
        "description": format!("{title}: {}", names.join(", ")),
        "headers": header_references(operation, retry.into_iter()),
        "content": { "application/json": {
            "schema": Schema::Component(error(operation.area)).json(),
            "examples": examples,
        } },
    })
}

fn error(area: Area) -> &'static Component {
    match area {
        Area::OpenBanking => &OPEN_BANKING_ERROR,
        Area::PayLater => &PROBLEM,
    }
}

fn content(payload: &Payload) -> Value {
    let mut media = json!({ "schema": (payload.schema)().json() });
    if let Some(example) = payload.example {
        media["example"] = example();
    }
    json!({ payload.media: media })
}

/// Every answer has the bank's id, and the caller's where the caller has to send one.
fn header_references(operation: &Operation, own: impl Iterator<Item = &'static Header>) -> Value {
    let echo = matches!(operation.right, Right::Tpp(_)).then_some(&REQUEST_ID);
    let all = [&CORRELATION_ID].into_iter().chain(echo).chain(own);
    all.map(|header| {
        (header.name.to_owned(), json!({ "$ref": format!("#/components/headers/{}", header.name) }))
    })
    .collect::<Map<_, _>>()
    .into()
}

fn schemas(edition: &Edition) -> Value {
    let mut found = Vec::new();
    for operation in operations(edition) {
        let doc = index::of(operation).doc;
        let others = doc.others.iter().map(|(_, payload)| payload);
        for payload in doc.request.iter().chain(&doc.answer).chain(others) {
            (payload.schema)().components(&mut found);
        }
        Schema::Component(error(operation.area)).components(&mut found);
    }
    WEBHOOKS.iter().for_each(|webhook| (webhook.body.schema)().components(&mut found));
    found.sort_by_key(|component| component.name);
    found.iter().map(|component| (component.name.to_owned(), component.json())).collect::<Map<_, _>>().into()
}

fn parameters(edition: &Edition) -> Value {
    let all = operations(edition).flat_map(asked::of).chain(webhook::PARAMETERS.iter().copied());
    let mut found: Vec<&Parameter> = all.collect();
    found.sort_by_key(|parameter| parameter.key());
    found.dedup_by_key(|parameter| parameter.key());
    found.iter().map(|parameter| (parameter.key(), parameter.json(edition))).collect::<Map<_, _>>().into()
}

fn headers(edition: &Edition) -> Value {
    let mut found: Vec<&Header> = vec![&REQUEST_ID, &CORRELATION_ID, &RETRY_AFTER];
    found.extend(operations(edition).flat_map(|operation| index::of(operation).doc.headers));
    found.sort_by_key(|header| header.name);
    found.dedup_by_key(|header| header.name);
    let json =
        |header: &Header| json!({ "description": header.description, "schema": (header.schema)().json() });
    found.into_iter().map(|header| (header.name.to_owned(), json(header))).collect::<Map<_, _>>().into()
}

fn security(right: Right) -> Value {
    match right {
        Right::Tpp(_) => json!([{ "subscriptionKey": [], "clientId": [], "certificate": [] }]),
        Right::Merchant => json!([{ "subscriptionKey": [], "applicationId": [] }]),
        Right::Application => json!([
            { "subscriptionKey": [], "clientId": [] },
            { "subscriptionKey": [], "applicationId": [] },
        ]),
        Right::Open => json!([]),
    }
}

fn security_schemes(edition: &Edition) -> Value {
    let header = |parameter: &Parameter| json!({ "type": "apiKey", "in": "header", "name": parameter.name, "description": parameter.description });
    let certificate = match edition.certificates {
        CertificateMode::Header => header(&parameter::CERTIFICATE),
        CertificateMode::Mtls => json!({
            "type": "mutualTLS",
            "description": "The connection is made with your certificate.",
        }),
    };
    json!({
        "subscriptionKey": header(&parameter::KEY),
        "clientId": header(&parameter::CLIENT_ID),
        "applicationId": header(&parameter::APPLICATION_ID),
        "certificate": certificate,
    })
}
