//! The OpenAPI 3.1 document of the dialect, generated from the list of operations and the types of `wire/`.

mod parameter;

use crate::link::{self, Links};
use crate::operation::{self as op, OPERATIONS};
use crate::wire::{account, authorisation, card, consent, funds, payment, signing_basket, transaction};
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::ptr;
use std::sync::{Arc, OnceLock};
use trapeza_app::UseCaseError;
use trapeza_domain::application::Role;
use trapeza_http::berlin_group::ErrorMessages;
use trapeza_http::extract::OpenRequest;
use trapeza_http::operation::{Access, MessageCodeList, Operation};
use trapeza_http::response;
use trapeza_http::schema::{SchemaFn, Schemas, schema_of};

const DESCRIPTION: &str = "NextGenPSD2 XS2A of the Berlin Group, version 1.3, as this bank offers it.\n\n\
    Requests and responses are `application/json`; the transactions of an account, and orders of the products `pain.001-…` and their status, are messages of ISO 20022 as `application/xml`. Fields without a value are omitted, unknown fields are ignored. \
    A resource of another caller is reported as unknown.";

/// What the document says about an operation beyond its path and access.
struct About {
    summary: &'static str,
    request: Option<SchemaFn>,
    response: Option<SchemaFn>,
}

/// `GET /openapi.json`. The document is rendered by the first request.
pub async fn openapi(request: OpenRequest, rendered: Arc<OnceLock<Bytes>>) -> Result<Response, UseCaseError> {
    let settings = &request.state.settings;
    let base = settings.berlin_group.as_ref().map(|dialect| dialect.base.as_str()).unwrap_or_default();
    let body = rendered.get_or_init(|| document(&settings.public_url, base).to_string().into());
    let json = HeaderValue::from_static("application/json");
    Ok(([(CONTENT_TYPE, json)], Body::from(body.clone())).into_response())
}

/// `GET` of the base. Clients that ask it whether the interface is there get the address of the document.
pub async fn base(request: OpenRequest) -> Result<Response, UseCaseError> {
    let links = Links::one("openapi", format!("{}/openapi.json", link::base(&request.state)));
    Ok(response::json(StatusCode::OK, &json!({ "_links": links })))
}

/// The document of a bank whose dialect has this base below this public URL.
pub fn document(public_url: &str, base: &str) -> Value {
    let mut schemas = Schemas::new();
    let mut paths = json!({});
    for operation in OPERATIONS.iter().copied() {
        let method = operation.method.as_str().to_ascii_lowercase();
        paths[operation.path][method] = entry(operation, &mut schemas);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Trapeza, dialect of the Berlin Group",
            "description": DESCRIPTION,
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "Apache 2.0", "identifier": env!("CARGO_PKG_LICENSE") },
        },
        "servers": [{ "url": format!("{}{base}", public_url.trim_end_matches('/')) }],
        "tags": TAGS.map(|(name, about)| json!({ "name": name, "description": about })),
        "paths": paths,
        "components": {
            "schemas": schemas.components(),
            "parameters": parameter::components(),
            "headers": headers(),
            "securitySchemes": { "certificate": {
                "type": "mutualTLS",
                "description": "The qualified certificate (QWAC) of the third party names its application.",
            } },
        },
        "security": [{ "certificate": [] }],
    })
}

const TAGS: [(&str, &str); 5] = [
    ("Account information", "Accounts, cards, balances and transactions under a consent."),
    ("Consents", "Consents to account information, and their authorisation."),
    ("Payments", "Payments, their authorisation and cancellation."),
    ("Signing baskets", "Payments and consents that the customer approves together."),
    ("Funds", "Confirmation of funds, and consents to it."),
];

fn tag(operation: &Operation) -> &'static str {
    match operation.access {
        _ if operation.message_codes == MessageCodeList::SigningBasket => "Signing baskets",
        Access::Tpp(Role::PaymentInitiation) => "Payments",
        Access::Tpp(Role::CardIssuing) => "Funds",
        _ if operation.path.starts_with("/v1/consents") => "Consents",
        _ => "Account information",
    }
}

fn entry(operation: &'static Operation, schemas: &mut Schemas) -> Value {
    let About { summary, request, response } = about(operation);
    let is = |other: &'static Operation| ptr::eq(operation, other);
    let mut answers = Map::new();
    let mut success = json!({ "description": "Success", "headers": success_headers(operation) });
    if let Some(schema) = response {
        success["content"] = json!({ "application/json": { "schema": schemas.response(schema) } });
    }
    if operation.has_xml {
        success["content"]["application/xml"] = xml(match operation {
            _ if is(&op::PAYMENT_GET) => {
                "The message pain.001 in which the payment was ordered, as it was sent."
            }
            _ if is(&op::PAYMENT_STATUS) => "A message pain.002, for payments that were ordered as pain.001.",
            _ => "A message camt.053 or camt.052 of ISO 20022.",
        });
    }
    if is(&op::TRANSACTION_LIST) {
        success["headers"]["Link"] = header("Link");
    }
    answers.insert(operation.success.to_string(), success);
    // A payment that was not authorised yet is cancelled at once.
    if is(&op::PAYMENT_CANCEL) {
        answers.insert("204".to_owned(), json!({ "description": "The payment is cancelled." }));
    }
    let error = schemas.response(schema_of::<ErrorMessages>);
    for (status, text, has_body) in errors(operation) {
        let mut answer = json!({ "description": text, "headers": error_headers(operation, status) });
        if has_body {
            answer["content"] = json!({ "application/json": { "schema": error } });
        }
        answers.insert(status.to_string(), answer);
    }
    let mut entry = json!({
        "operationId": operation.id,
        "tags": [tag(operation)],
        "summary": summary,
        "parameters": parameter::of(operation),
        "responses": answers,
    });
    if let Some(schema) = request {
        let is_required = operation.path.rsplit('/').next() != Some("authorisations");
        entry["requestBody"] = json!({
            "required": is_required,
            "content": { "application/json": { "schema": schemas.request(schema) } },
        });
    }
    if is(&op::PAYMENT_INITIATE) {
        entry["requestBody"]["content"]["application/xml"] = xml(
            "A message pain.001.001.03 or pain.001.001.09 of ISO 20022, for the products whose names begin with pain.001.",
        );
    }
    entry
}

/// A body that is a message of ISO 20022.
fn xml(about: &str) -> Value {
    json!({ "schema": { "type": "string", "description": about } })
}

/// The errors of an operation: status, meaning, and whether there is a body.
fn errors(operation: &Operation) -> Vec<(u16, &'static str, bool)> {
    let is_account_information = operation.message_codes == MessageCodeList::AccountInformation;
    let mut all = vec![
        (400, "A header, parameter or field is wrong or not supported.", true),
        (
            401,
            "The certificate, its role, the customer's credentials or the consent do not allow this.",
            true,
        ),
        (403, "The object is unknown, or not one of this product.", true),
        (404, "The account, card or product is unknown.", true),
        (405, "The method or the service is not offered here.", true),
        (406, "This form of answers is not offered.", is_account_information),
        (408, "The body arrived too slowly.", false),
        (413, "The body is too large.", true),
        (429, "Too many requests, or more reads than the consent allows.", is_account_information),
        (500, "An error of the bank.", false),
        (503, "The bank is busy; repeat the request with the same id.", false),
    ];
    if operation.method == axum::http::Method::POST || operation.method == axum::http::Method::PUT {
        all.push((415, "The body must be JSON, or XML where the order is a message.", false));
    }
    if operation.method != axum::http::Method::GET {
        all.push((409, "The object is in a state that does not allow this.", true));
    }
    all.sort_by_key(|(status, ..)| *status);
    all
}

fn header(name: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{name}") })
}

fn success_headers(operation: &Operation) -> Value {
    let mut all = json!({ "X-Request-ID": header("X-Request-ID") });
    if operation.success == 201 {
        all["Location"] = header("Location");
    }
    if matches!(operation.success, 201 | 202) || operation.method == axum::http::Method::PUT {
        all["ASPSP-SCA-Approach"] = header("ASPSP-SCA-Approach");
    }
    if [&op::CONSENT_CREATE, &op::FUNDS_CONSENT_CREATE, &op::PAYMENT_INITIATE, &op::SIGNING_BASKET_CREATE]
        .into_iter()
        .any(|other| ptr::eq(operation, other))
    {
        all["ASPSP-Notification-Support"] = header("ASPSP-Notification-Support");
        all["ASPSP-Notification-Content"] = header("ASPSP-Notification-Content");
    }
    if tag(operation) == "Account information" {
        all["X-Frequency-Remaining"] = header("X-Frequency-Remaining");
    }
    all
}

fn error_headers(operation: &Operation, status: u16) -> Value {
    let mut all = json!({ "X-Request-ID": header("X-Request-ID") });
    if status == 429 && tag(operation) == "Account information" {
        all["X-Frequency-Remaining"] = header("X-Frequency-Remaining");
    }
    if matches!(status, 429 | 503) {
        all["Retry-After"] = header("Retry-After");
    }
    all
}

fn headers() -> Value {
    let header = |text: &str, schema: Value| json!({ "description": text, "schema": schema });
    json!({
        "X-Request-ID": header("The id of the request.", json!({ "type": "string" })),
        "Location": header("The new resource.", json!({ "type": "string" })),
        "ASPSP-SCA-Approach": header(
            "The approach of the authorisation.",
            json!({ "type": "string", "enum": ["EMBEDDED", "REDIRECT", "DECOUPLED"] }),
        ),
        "ASPSP-Notification-Support": header(
            "Whether changes of status are reported; absent when that was not asked for.",
            json!({ "type": "boolean" }),
        ),
        "ASPSP-Notification-Content": header(
            "Which changes of status are reported: `status=` and a list of SCA, PROCESS and LAST.",
            json!({ "type": "string" }),
        ),
        "X-Frequency-Remaining": header(
            "How many reads of this kind are left today without the customer.",
            json!({ "type": "integer", "minimum": 0 }),
        ),
        "Link": header(
            "The next page of a list as XML, with rel=\"next\"; absent on the last one.",
            json!({ "type": "string" }),
        ),
        "Retry-After": header("When to try again, in seconds.", json!({ "type": "integer", "minimum": 1 })),
    })
}

/// A single or periodic payment, or a bulk of them.
fn payment_or_bulk_request(generator: &mut SchemaGenerator) -> Schema {
    let either = [
        generator.subschema_for::<payment::PaymentRequest<'_>>(),
        generator.subschema_for::<payment::PeriodicPaymentRequest>(),
        generator.subschema_for::<payment::BulkPaymentRequest<'_>>(),
    ];
    json_schema!({ "anyOf": either })
}

fn payment_or_bulk(generator: &mut SchemaGenerator) -> Schema {
    let either = [
        generator.subschema_for::<payment::Details<'_>>(),
        generator.subschema_for::<payment::BulkDetails<'_>>(),
    ];
    json_schema!({ "anyOf": either })
}

/// The summary and the bodies of an operation.
#[rustfmt::skip]
fn about(operation: &'static Operation) -> About {
    let is = |other: &'static Operation| ptr::eq(operation, other);
    let read = |summary, response| About { summary, request: None, response: Some(response) };
    let write = |summary, request, response| About { summary, request: Some(request), response: Some(response) };
    let starts = [&op::CONSENT_AUTHORISATION_START, &op::FUNDS_CONSENT_AUTHORISATION_START, &op::PAYMENT_AUTHORISATION_START, &op::CANCELLATION_AUTHORISATION_START, &op::SIGNING_BASKET_AUTHORISATION_START];
    let lists = [&op::CONSENT_AUTHORISATION_LIST, &op::FUNDS_CONSENT_AUTHORISATION_LIST, &op::PAYMENT_AUTHORISATION_LIST, &op::CANCELLATION_AUTHORISATION_LIST, &op::SIGNING_BASKET_AUTHORISATION_LIST];
    let gets = [&op::CONSENT_AUTHORISATION_GET, &op::FUNDS_CONSENT_AUTHORISATION_GET, &op::PAYMENT_AUTHORISATION_GET, &op::CANCELLATION_AUTHORISATION_GET, &op::SIGNING_BASKET_AUTHORISATION_GET];
    let updates = [&op::CONSENT_AUTHORISATION_UPDATE, &op::FUNDS_CONSENT_AUTHORISATION_UPDATE, &op::PAYMENT_AUTHORISATION_UPDATE, &op::CANCELLATION_AUTHORISATION_UPDATE, &op::SIGNING_BASKET_AUTHORISATION_UPDATE];
    let among = |all: [&'static Operation; 5]| all.into_iter().any(is);
    match () {
        () if is(&op::CONSENT_CREATE) => write("Create a consent", schema_of::<consent::ConsentRequest<'_>>, schema_of::<consent::Created<'_>>),
        () if is(&op::CONSENT_GET) => read("Read a consent", schema_of::<consent::Details<'_>>),
        () if is(&op::CONSENT_STATUS) => read("Read the status of a consent", schema_of::<consent::Status>),
        () if is(&op::FUNDS_CONSENT_CREATE) => write("Create a funds consent", schema_of::<funds::ConsentRequest<'_>>, schema_of::<consent::Created<'_>>),
        () if is(&op::FUNDS_CONSENT_GET) => read("Read a funds consent", schema_of::<funds::Details<'_>>),
        () if is(&op::FUNDS_CONSENT_STATUS) => read("Read the status of a funds consent", schema_of::<consent::Status>),
        () if is(&op::FUNDS_CONFIRMATION) => write("Confirm funds", schema_of::<funds::ConfirmationRequest<'_>>, schema_of::<funds::Confirmation>),
        () if is(&op::CONSENT_DELETE) || is(&op::FUNDS_CONSENT_DELETE) => About { summary: "End a consent", request: None, response: None },
        () if is(&op::ACCOUNT_LIST) => read("List accounts", schema_of::<account::AccountList<'_>>),
        () if is(&op::ACCOUNT_DETAILS) => read("Read an account", schema_of::<account::AccountDetails<'_>>),
        () if is(&op::ACCOUNT_BALANCES) => read("Read the balances of an account", schema_of::<account::AccountBalances<'_>>),
        () if is(&op::TRANSACTION_LIST) => read("List the transactions of an account", schema_of::<transaction::Statement<'_>>),
        () if is(&op::TRANSACTION_DETAILS) => read("Read a transaction", schema_of::<transaction::Details<'_>>),
        () if is(&op::CARD_ACCOUNT_LIST) => read("List card accounts", schema_of::<card::CardAccountList<'_>>),
        () if is(&op::CARD_ACCOUNT_DETAILS) => read("Read a card account", schema_of::<card::CardAccountDetails<'_>>),
        () if is(&op::CARD_ACCOUNT_BALANCES) => read("Read the balances of a card account", schema_of::<card::CardAccountBalances<'_>>),
        () if is(&op::CARD_ACCOUNT_TRANSACTIONS) => read("List the transactions of a card account", schema_of::<card::CardAccountStatement<'_>>),
        () if is(&op::CARD_LIST) => read("List cards", schema_of::<card::CardList<'_>>),
        () if is(&op::CARD_DETAILS) => read("Read a card", schema_of::<card::CardDetails<'_>>),
        () if is(&op::CARD_BALANCES) => read("Read the balances of a card", schema_of::<card::CardBalances<'_>>),
        () if is(&op::CARD_TRANSACTIONS) => read("List the transactions of a card", schema_of::<card::CardStatement<'_>>),
        () if is(&op::PAYMENT_INITIATE) => write("Initiate a payment", payment_or_bulk_request, schema_of::<payment::Initiated<'_>>),
        () if is(&op::PAYMENT_GET) => read("Read a payment", payment_or_bulk),
        () if is(&op::PAYMENT_STATUS) => read("Read the status of a payment", schema_of::<payment::Status<'_>>),
        () if is(&op::PAYMENT_EXTENDED_STATUS) => read("Read the status of a bulk payment and its rejected lines", schema_of::<payment::ExtendedStatus>),
        () if is(&op::PAYMENT_CANCEL) => read("Cancel a payment", schema_of::<payment::Cancelled<'_>>),
        () if is(&op::SIGNING_BASKET_CREATE) => write("Create a signing basket", schema_of::<signing_basket::BasketRequest<'_>>, schema_of::<signing_basket::Created<'_>>),
        () if is(&op::SIGNING_BASKET_GET) => read("Read a signing basket", schema_of::<signing_basket::Details>),
        () if is(&op::SIGNING_BASKET_STATUS) => read("Read the status of a signing basket", schema_of::<signing_basket::Status>),
        () if is(&op::SIGNING_BASKET_DELETE) => About { summary: "Delete a signing basket", request: None, response: None },
        () if among(starts) => write("Start an authorisation", schema_of::<authorisation::StepRequest<'_>>, schema_of::<authorisation::Progress<'_>>),
        () if among(lists) => read("List authorisations", schema_of::<authorisation::List>),
        () if among(gets) => read("Read the status of an authorisation", schema_of::<authorisation::Status>),
        () if among(updates) => write("Take a step of an authorisation", schema_of::<authorisation::StepRequest<'_>>, schema_of::<authorisation::Progress<'_>>),
        () => About { summary: "", request: None, response: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_summary_and_every_reference_leads_somewhere() {
        let document = document("https://bank.example", "/berlin-group");
        for operation in OPERATIONS {
            assert!(!about(operation).summary.is_empty(), "{}", operation.id);
        }
        let mut ids: Vec<&str> = OPERATIONS.iter().map(|operation| operation.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), OPERATIONS.len(), "operation ids are unique");
        let text = document.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
    }
}
