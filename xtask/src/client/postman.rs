//! The Postman collection (format 2.1) and the environment for a sandbox.
//!
//! Keys and ids are variables. A request that creates an object stores its id, so that a folder can be run from its first request on.

use super::model::{Api, Caller, Operation, Parameter, snake};
use serde_json::{Value, json};

const SCHEMA: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/// The variables that a reader sets, with the place of their values in `sandbox.json`.
const VARIABLES: [(&str, &str); 9] = [
    ("subscription_key", "tpps[0].subscription_key"),
    ("client_id", "tpps[0].client_id"),
    ("certificate", "tpps[0].certificate"),
    ("psu_id", "psus[0].psu_id"),
    ("password", "psus[0].password"),
    ("otp", "otp"),
    ("method_id", "psus[0].methods[0].id"),
    ("merchant_key", "merchants[0].subscription_key"),
    ("application_id", "merchants[0].application_id"),
];

/// The fields of responses that later requests need, and the variables that hold them.
const CAPTURES: [(&str, &str, &str); 12] = [
    ("createConsent", "body.consentId", "consent_id"),
    ("createFundsConsent", "body.consentId", "funds_consent_id"),
    ("initiatePayment", "body.paymentId", "payment_id"),
    ("startConsentAuthorisation", "body.authorisationId", "authorisation_id"),
    ("startFundsConsentAuthorisation", "body.authorisationId", "authorisation_id"),
    ("startPaymentAuthorisation", "body.authorisationId", "authorisation_id"),
    ("startCancellationAuthorisation", "body.authorisationId", "authorisation_id"),
    ("listAccounts", "body.accounts[0].resourceId", "account_id"),
    ("listTransactions", "body.transactions.booked[0].transactionId", "transaction_id"),
    ("listCards", "body.cards[0].resourceId", "card_id"),
    ("createBasket", "body.publicBasketId", "public_basket_id"),
    ("createBasket", "body.basketId", "basket_number"),
];

pub fn collection(api: &Api) -> String {
    let folders: Vec<Value> = api
        .tags
        .iter()
        .map(|(tag, about)| {
            let operations = api.operations.iter().filter(|operation| operation.tag == *tag && !ends(operation));
            json!({ "name": tag, "description": about, "item": operations.flat_map(items).collect::<Vec<_>>() })
        })
        .chain(std::iter::once(ending(api)))
        .filter(|folder| folder["item"].as_array().is_some_and(|items| !items.is_empty()))
        .collect();
    let captured = CAPTURES.map(|(_, _, variable)| json!({ "key": variable, "value": "" }));
    let mut variables = vec![json!({ "key": "base_url", "value": "http://127.0.0.1:8080" })];
    for variable in captured {
        if !variables.contains(&variable) {
            variables.push(variable);
        }
    }
    let collection = json!({
        "info": {
            "name": "Trapeza",
            "description": "Open banking and Pay Later. Generated from docs/openapi.json; the variables of the environment come from sandbox.json.",
            "version": api.version,
            "schema": SCHEMA,
        },
        "item": folders,
        "variable": variables,
    });
    format!("{collection:#}\n")
}

pub fn environment() -> String {
    let base =
        json!({ "key": "base_url", "value": "http://127.0.0.1:8080", "type": "default", "enabled": true });
    let values = VARIABLES.map(|(name, place)| {
        json!({ "key": name, "value": "", "type": "secret", "enabled": true, "description": format!("{place} of sandbox.json") })
    });
    let values: Vec<Value> = std::iter::once(base).chain(values).collect();
    let environment =
        json!({ "name": "Trapeza sandbox", "values": values, "_postman_variable_scope": "environment" });
    format!("{environment:#}\n")
}

/// Whether a request ends what the requests of other folders need.
fn ends(operation: &Operation) -> bool {
    // A payment cannot be cancelled after a day, and a replaced bank has none of the others.
    let by_name = ["voidBasket", "advanceClock", "importBank", "resetBank"].contains(&operation.id.as_str());
    operation.method == "DELETE" || operation.path.contains("cancellation") || by_name
}

fn ending(api: &Api) -> Value {
    let operations = api.operations.iter().filter(|operation| ends(operation));
    json!({
        "name": "Revoke, cancel and void",
        "description": "Requests that end what the other folders have created.",
        "item": operations.flat_map(items).collect::<Vec<_>>(),
    })
}

/// The requests of an operation: an authorisation is updated twice, with the method and with the code.
fn items(operation: &Operation) -> Vec<Value> {
    let is_step = operation.body.as_ref().is_some_and(|body| body.example["psuData"].is_object());
    let body = operation.body.as_ref().map(|body| with_variables(operation, &body.example));
    match (is_step, operation.method.as_str()) {
        (true, "PUT") => vec![
            item(operation, ": method", Some(json!({ "authenticationMethodId": "{{method_id}}" }))),
            item(operation, ": code", Some(json!({ "scaAuthenticationData": "{{otp}}" }))),
        ],
        (true, _) => vec![item(operation, "", Some(json!({ "psuData": { "password": "{{password}}" } })))],
        _ => vec![item(operation, "", body)],
    }
}

fn item(operation: &Operation, step: &str, body: Option<Value>) -> Value {
    let mut item = json!({
        "name": format!("{}{step}", operation.summary),
        "id": format!("{}{}", operation.id, step.replace(": ", "-")),
        "request": {
            "method": operation.method,
            "description": format!("operationId: {}", operation.id),
            "header": headers(operation),
            "url": url(operation),
        },
        "response": [],
    });
    if let Some(body) = body {
        let raw = format!("{body:#}");
        item["request"]["body"] =
            json!({ "mode": "raw", "raw": raw, "options": { "raw": { "language": "json" } } });
    }
    item["event"] =
        json!([{ "listen": "test", "script": { "type": "text/javascript", "exec": tests(operation) } }]);
    item
}

/// The request must succeed; its ids are stored.
fn tests(operation: &Operation) -> Vec<String> {
    let mut lines = vec![
        "pm.test(\"the request succeeds\", () => pm.expect(pm.response.code).to.be.within(200, 299));"
            .to_owned(),
    ];
    let captures: Vec<String> = CAPTURES
        .iter()
        .filter(|(id, _, _)| *id == operation.id)
        .map(|(_, path, variable)| format!("  pm.collectionVariables.set(\"{variable}\", {path});"))
        .collect();
    if !captures.is_empty() {
        lines.push("if (pm.response.code < 300) {".to_owned());
        lines.push("  const body = pm.response.json();".to_owned());
        lines.extend(captures);
        lines.push("}".to_owned());
    }
    lines
}

fn headers(operation: &Operation) -> Vec<Value> {
    let header = |key: &str, value: &str| json!({ "key": key, "value": value });
    let mut headers = Vec::new();
    match operation.callers.last() {
        Some(Caller::ThirdParty) => headers.extend([
            header("Ocp-Apim-Subscription-Key", "{{subscription_key}}"),
            header("ClientId", "{{client_id}}"),
            header("Certificate", "{{certificate}}"),
        ]),
        Some(Caller::Merchant) => headers.extend([
            header("Ocp-Apim-Subscription-Key", "{{merchant_key}}"),
            header("X-Application-ID", "{{application_id}}"),
        ]),
        _ => {}
    }
    if operation.has_request_id {
        headers.push(header("x-Request-ID", "{{$guid}}"));
    }
    for parameter in &operation.headers {
        let mut header = header(&parameter.name, &value(operation, parameter));
        if !parameter.required {
            header["disabled"] = json!(true);
        }
        headers.push(header);
    }
    if operation.body.is_some() {
        headers.push(header("Content-Type", "application/json"));
    }
    headers
}

fn url(operation: &Operation) -> Value {
    let mut path = operation.path.clone();
    for parameter in &operation.path_parameters {
        path = path.replace(&format!("{{{}}}", parameter.name), &value(operation, parameter));
    }
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let query: Vec<Value> = operation
        .query
        .iter()
        .map(|parameter| {
            // Of transactions the first date is required, unless the position in the statement is given.
            let shown = parameter.required || parameter.name == "dateFrom";
            let value = value(operation, parameter);
            json!({ "key": parameter.name, "value": value, "description": parameter.description, "disabled": !shown })
        })
        .collect();
    let shown: Vec<String> = query
        .iter()
        .filter(|one| one["disabled"] == false)
        .map(|one| {
            format!(
                "{}={}",
                one["key"].as_str().unwrap_or_default(),
                one["value"].as_str().unwrap_or_default()
            )
        })
        .collect();
    let suffix = if shown.is_empty() { String::new() } else { format!("?{}", shown.join("&")) };
    json!({ "raw": format!("{{{{base_url}}}}{path}{suffix}"), "host": ["{{base_url}}"], "path": segments, "query": query })
}

/// The variable of a parameter, or its example.
fn value(operation: &Operation, parameter: &Parameter) -> String {
    let name = snake(&parameter.name);
    let is_funds = operation.id.contains("Funds");
    match name.as_str() {
        "payment_product" => "sepa-credit-transfers".to_owned(),
        "consent_id" if is_funds => "{{funds_consent_id}}".to_owned(),
        "basket_id" if parameter.schema["type"] == "integer" => "{{basket_number}}".to_owned(),
        "basket_id" => "{{public_basket_id}}".to_owned(),
        "consent_id" | "payment_id" | "authorisation_id" | "account_id" | "transaction_id" | "card_id"
        | "psu_id" | "application_id" => format!("{{{{{name}}}}}"),
        _ => parameter.example.as_str().map_or_else(|| parameter.example.to_string(), str::to_owned),
    }
}

/// The example of a body with variables for ids and new idempotency keys.
fn with_variables(operation: &Operation, example: &Value) -> Value {
    let mut body = example.clone();
    if body["requestId"].is_string() {
        body["requestId"] = json!("{{$guid}}");
    }
    if body["basketId"].is_string() {
        body["basketId"] = json!("{{public_basket_id}}");
    }
    if body["authenticationMethodId"].is_string() {
        body["authenticationMethodId"] = json!("{{method_id}}");
    }
    if operation.id == "createConsent" {
        body["validUntil"] = json!("2099-12-31");
    }
    if operation.id == "initiatePayment" {
        // The sandbox submits this payment after an hour, so that it can be cancelled until then.
        body["creditorAccount"]["iban"] = json!("DE89370400440532013000");
        body["creditorName"] = json!("HOLD");
    }
    body
}
