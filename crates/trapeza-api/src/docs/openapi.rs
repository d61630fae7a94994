//! The OpenAPI 3.1 document, generated from the list of operations.

use super::content::{CORRELATION_ID, Header, Payload, REMAINING, REQUEST_ID, RETRY_AFTER};
use super::parameter::{self, Parameter};
use super::parameters_of;
use super::refusal::{self, ErrorExample};
use super::schema::{SchemaFn, Schemas, schema_of};
use super::webhook::{self, WEBHOOKS, Webhook};
use super::{DocVariant, operations, signature};
use crate::docs::index;
use crate::docs::index::TAGS;
use serde_json::{Map, Value, json};
use trapeza_http::error_response::{MessageEnvelope, Problem};
use trapeza_http::operation::{Access, ApiFamily, Operation};
use trapeza_http::settings::CertificateMode;

const DESCRIPTION: &str = "Open banking (PSD2) and Pay Later on one bank.\n\n\
    Requests and responses are `application/json`. Fields without a value are omitted, unknown fields are ignored. \
    A resource of another caller is reported as unknown.";

/// The document of one variant.
pub fn document(variant: &DocVariant) -> Value {
    let mut schemas = Schemas::new();
    let mut paths = json!({});
    for operation in operations(variant) {
        let method = operation.method.as_str().to_ascii_lowercase();
        paths[operation.path][method] = entry(operation, &mut schemas);
    }
    let webhooks = WEBHOOKS.iter().map(|one| (one.id.to_owned(), called(one, &mut schemas)));
    let webhooks = webhooks.collect::<Map<_, _>>();
    let (parameters, headers) = (parameters(variant, &mut schemas), headers(variant, &mut schemas));
    let used = |tag: &str| operations(variant).any(|operation| index::of(operation).tag == tag);
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
        "servers": [{ "url": variant.public_url }],
        "tags": tags.map(|(name, about)| json!({ "name": name, "description": about })).collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": schemas.components(),
            "parameters": parameters,
            "headers": headers,
            "securitySchemes": security_schemes(variant),
        },
    })
}

fn entry(operation: &'static Operation, schemas: &mut Schemas) -> Value {
    let parameters = parameters_of::operation(operation);
    let parameters = parameters
        .iter()
        .map(|parameter| json!({ "$ref": format!("#/components/parameters/{}", parameter.key()) }));
    let mut entry = json!({
        "operationId": operation.id,
        "tags": [index::of(operation).tag],
        "summary": index::of(operation).summary,
        "description": format!("Access: {}.", describe_access(operation.access)),
        "parameters": parameters.collect::<Vec<_>>(),
        "security": security(operation.access),
    });
    if let Some((request, required)) = index::of(operation).doc.request_body() {
        entry["requestBody"] = json!({
            "description": request.description,
            "required": required,
            "content": content(request, schemas.request(request.schema)),
        });
    }
    entry["responses"] = responses(operation, schemas);
    entry
}

/// A webhook with its responses.
fn called(webhook: &Webhook, schemas: &mut Schemas) -> Value {
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
            "content": content(&webhook.body, schemas.response(webhook.body.schema)),
        },
        "responses": answers.collect::<Map<_, _>>(),
        "security": [],
    } })
}

/// The access of an operation, in words.
pub fn describe_access(right: Access) -> String {
    match right {
        Access::Tpp(role) => format!("a third party whose certificate has the role {}", role.name()),
        Access::Merchant => "a merchant's application".to_owned(),
        Access::Application => "any registered application, on itself".to_owned(),
        Access::Open => "anyone".to_owned(),
    }
}

fn responses(operation: &'static Operation, schemas: &mut Schemas) -> Value {
    let doc = index::of(operation).doc;
    let own = doc.headers.iter().copied();
    let mut success = json!({
        "description": doc.response.as_ref().map_or("Success without a body.", |answer| answer.description),
        "headers": header_references(operation, own),
    });
    if let Some(answer) = &doc.response {
        success["content"] = content(answer, schemas.response(answer.schema));
    }
    let mut responses = json!({ operation.success.to_string(): success });
    for (status, payload) in doc.others {
        responses[status.to_string()] = json!({
            "description": payload.description,
            "headers": header_references(operation, std::iter::empty()),
            "content": content(payload, schemas.response(payload.schema)),
        });
    }
    let errors = refusal::of(operation);
    for group in errors.chunk_by(|one, other| one.status == other.status) {
        responses[group[0].status.as_str()] = error_group(operation, group, schemas);
    }
    responses
}

/// All errors with the same status.
fn error_group(operation: &Operation, group: &[ErrorExample], schemas: &mut Schemas) -> Value {
    let examples: Map<String, Value> = group
        .iter()
        .map(|error| (error.key.clone(), json!({ "summary": error.text, "value": error.body })))
        .collect();
    let retry = group.iter().any(|error| error.retry).then_some(&RETRY_AFTER);
    let is_metered = index::of(operation).doc.headers.iter().any(|header| header.name == REMAINING.name);
    let remaining = (is_metered && group[0].status == 429).then_some(&REMAINING);
    let mut names: Vec<&str> = Vec::new();
    for error in group {
        if !names.contains(&error.name) {
            names.push(error.name);
        }
    }
    let title = group[0].status.canonical_reason().unwrap_or("Error");
    json!({
        "description": format!("{title}: {}", names.join(", ")),
        "headers": header_references(operation, retry.into_iter().chain(remaining)),
        "content": { "application/json": {
            "schema": schemas.response(error_schema(operation.family)),
            "examples": examples,
        } },
    })
}

fn error_schema(family: ApiFamily) -> SchemaFn {
    match family {
        // This document has no operation of the Berlin Group's dialect.
        ApiFamily::OpenBanking | ApiFamily::BerlinGroup => schema_of::<MessageEnvelope>,
        ApiFamily::PayLater => schema_of::<Problem>,
    }
}

fn content(payload: &Payload, schema: Value) -> Value {
    let mut media = json!({ "schema": schema });
    if let Some(example) = payload.example {
        media["example"] = example();
    }
    json!({ payload.media: media })
}

/// Every response has the correlation id; one to a third party has the request id and may be signed.
fn header_references(operation: &Operation, own: impl Iterator<Item = &'static Header>) -> Value {
    let is_for_third_parties = matches!(operation.access, Access::Tpp(_));
    let echo = is_for_third_parties.then_some(&REQUEST_ID);
    let signature = signature::HEADERS.into_iter().filter(|_| is_for_third_parties);
    let all = [&CORRELATION_ID].into_iter().chain(echo).chain(own).chain(signature);
    all.map(|header| {
        (header.name.to_owned(), json!({ "$ref": format!("#/components/headers/{}", header.name) }))
    })
    .collect::<Map<_, _>>()
    .into()
}

fn parameters(variant: &DocVariant, schemas: &mut Schemas) -> Value {
    let all =
        operations(variant).flat_map(parameters_of::operation).chain(webhook::PARAMETERS.iter().copied());
    let mut found: Vec<&Parameter> = all.collect();
    found.sort_by_key(|parameter| parameter.key());
    found.dedup_by_key(|parameter| parameter.key());
    let found = found.iter().map(|parameter| (parameter.key(), parameter.json(variant, schemas)));
    found.collect::<Map<_, _>>().into()
}

fn headers(variant: &DocVariant, schemas: &mut Schemas) -> Value {
    let mut found: Vec<&Header> = vec![&REQUEST_ID, &CORRELATION_ID, &RETRY_AFTER];
    found.extend(signature::HEADERS);
    found.extend(operations(variant).flat_map(|operation| index::of(operation).doc.headers));
    found.sort_by_key(|header| header.name);
    found.dedup_by_key(|header| header.name);
    let mut json = |header: &Header| {
        let schema = schemas.response(header.schema);
        (header.name.to_owned(), json!({ "description": header.description, "schema": schema }))
    };
    found.into_iter().map(&mut json).collect::<Map<_, _>>().into()
}

fn security(right: Access) -> Value {
    match right {
        Access::Tpp(_) => json!([{ "subscriptionKey": [], "clientId": [], "certificate": [] }]),
        Access::Merchant => json!([{ "subscriptionKey": [], "applicationId": [] }]),
        Access::Application => json!([
            { "subscriptionKey": [], "clientId": [] },
            { "subscriptionKey": [], "applicationId": [] },
        ]),
        Access::Open => json!([]),
    }
}

fn security_schemes(variant: &DocVariant) -> Value {
    let header = |parameter: &Parameter| json!({ "type": "apiKey", "in": "header", "name": parameter.name, "description": parameter.description });
    let certificate = match variant.certificates {
        CertificateMode::Header => header(&parameter::CERTIFICATE),
        CertificateMode::Mtls | CertificateMode::Proxy => json!({
            "type": "mutualTLS",
            "description": "The TLS connection uses your client certificate.",
        }),
    };
    json!({
        "subscriptionKey": header(&parameter::KEY),
        "clientId": header(&parameter::CLIENT_ID),
        "applicationId": header(&parameter::APPLICATION_ID),
        "certificate": certificate,
    })
}
