//! An operation as curl commands, built from its examples, and as the requests that the page can run. Secrets and ids are shell
//! variables. A test runs all commands of the page in a fresh sandbox.

use crate::docs::DocVariant;
use crate::docs::index;
use crate::docs::parameter::{self, Location, Parameter};
use crate::docs::parameters_of;
use axum::http::Method;
use serde_json::{Value, json};
use trapeza_http::operation::{Access, Operation};

/// Sets the variables of the commands from the file that the sandbox writes.
pub const VARIABLES: &str = r#"command -v uuidgen > /dev/null || uuidgen() { cat /proc/sys/kernel/random/uuid; }
sandbox() { jq -r "$1" trapeza-data/sandbox.json; }
CLIENT_ID=$(sandbox '.tpps[0].client_id')
SUBSCRIPTION_KEY=$(sandbox '.tpps[0].subscription_key')
CERTIFICATE=$(sandbox '.tpps[0].certificate')
PSU_ID=$(sandbox '.psus[0].psu_id')
METHOD_ID=$(sandbox '.psus[0].methods[0].id')
APPLICATION_ID=$(sandbox '.merchants[0].application_id')
MERCHANT_KEY=$(sandbox '.merchants[0].subscription_key')"#;

/// The commands of an operation, and what sets the variables that later commands need.
pub fn commands(variant: &DocVariant, operation: &'static Operation) -> String {
    let doc = index::of(operation).doc;
    let commands = bodies(operation).into_iter().map(|body| curl(variant, operation, body.as_ref()));
    let mut text = commands.collect::<Vec<_>>().join("\n");
    if !doc.shell.captures.is_empty() {
        text.push_str(" | tee response.json");
    }
    for (name, filter) in doc.shell.captures {
        text.push_str(&format!("\n{name}=$(jq -r '{filter}' response.json)"));
    }
    text
}

/// The same requests as JSON, for the script of the page.
pub fn requests(variant: &DocVariant, operation: &'static Operation) -> String {
    let request = |body: Option<Value>| {
        let (path, headers) = target(variant, operation);
        let body = body.map(|body| with_variables(&body));
        json!({ "method": operation.method.as_str(), "path": path, "headers": headers, "body": body })
    };
    let example = json!({
        "changes": operation.method != Method::GET,
        "requests": bodies(operation).into_iter().map(request).collect::<Value>(),
        "captures": index::of(operation).doc.shell.captures,
    });
    example.to_string()
}

/// The bodies of the requests of an example, one after another.
fn bodies(operation: &Operation) -> Vec<Option<Value>> {
    let doc = index::of(operation).doc;
    let example = || doc.request.as_ref().and_then(|request| request.example).map(|example| example());
    match doc.shell.bodies {
        Some(bodies) => bodies().into_iter().map(Some).collect(),
        None => vec![example()],
    }
}

/// Path and query, and the headers.
fn target(
    variant: &DocVariant,
    operation: &'static Operation,
) -> (String, Vec<(&'static str, &'static str)>) {
    let parameters = parameters_of::operation(operation);
    let located = |location: Location| parameters.iter().filter(move |one| one.location == location);
    let is_shown = |one: &&&'static Parameter| is_shown(variant, one);
    let mut path = operation.path.to_owned();
    for parameter in located(Location::Path) {
        path = path.replace(&format!("{{{}}}", parameter.name), value(operation, parameter));
    }
    let query = located(Location::Query).filter(is_shown);
    let query: Vec<String> = query.map(|one| format!("{}={}", one.name, value(operation, one))).collect();
    if !query.is_empty() {
        path = format!("{path}?{}", query.join("&"));
    }
    let headers = located(Location::Header).filter(is_shown).map(|one| (one.name, value(operation, one)));
    let media = index::of(operation).doc.request.as_ref().map(|request| ("Content-Type", request.media));
    (path, headers.chain(media).collect())
}

fn curl(variant: &DocVariant, operation: &'static Operation, body: Option<&Value>) -> String {
    let (path, headers) = target(variant, operation);
    let mut parts = vec![format!("curl -s \"{}{path}\"", variant.public_url)];
    if operation.method != Method::GET {
        parts.push(format!("-X {}", operation.method));
    }
    parts.extend(headers.into_iter().map(|(name, value)| format!("-H \"{name}: {value}\"")));
    if let Some(body) = body {
        parts.push(format!("-d {}", body_word(body)));
    }
    parts.join(" \\\n  ")
}

/// Of two optional parameters the one with a variable is shown.
pub fn is_shown(variant: &DocVariant, parameter: &Parameter) -> bool {
    parameter.required(variant) || (!parameter.required && parameter.shell.is_some())
}

/// Third parties and merchants have different keys, and the consents of both kinds different ids, so that one shell can
/// hold all of them.
pub fn value(operation: &Operation, parameter: &Parameter) -> &'static str {
    match operation.access {
        Access::Merchant | Access::Application if parameter.name == parameter::KEY.name => "$MERCHANT_KEY",
        _ if operation.path.starts_with("/v2/") && parameter.name == parameter::CONSENT_PATH.name => {
            "$FUNDS_CONSENT_ID"
        }
        _ => parameter.shell.unwrap_or(parameter.example),
    }
}

/// A JSON body in which ids of the examples are variables, and request ids new ones.
fn with_variables(body: &Value) -> String {
    let mut text = body.to_string();
    for parameter in [&parameter::REQUEST_ID, &parameter::BASKET_ID] {
        text = text.replace(parameter.example, parameter.shell.unwrap_or(parameter.example));
    }
    text
}

/// The same as a shell word.
fn body_word(body: &Value) -> String {
    let mut word = quoted(&with_variables(body));
    for expansion in ["$(uuidgen)", "$PUBLIC_BASKET_ID", "$METHOD_ID"] {
        word = word.replace(expansion, &format!("'\"{expansion}\"'"));
    }
    word
}

/// A quoted shell word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{BASKET_VOID, CONSENT_AUTHORISATION, CONSENT_CREATE, SANDBOX_CLOCK_ADVANCE};

    #[test]
    fn command_has_everything_that_a_request_needs() {
        let variant = DocVariant::sandbox();
        assert_eq!(
            commands(&variant, &SANDBOX_CLOCK_ADVANCE),
            "curl -s \"http://127.0.0.1:8080/sandbox/clock\" \\\n  -X POST \\\n  \
             -H \"Content-Type: application/json\" \\\n  -d '{\"advance\":\"P1D\"}'"
        );
        let consent = commands(&variant, &CONSENT_CREATE);
        for part in [
            "x-Request-ID: $(uuidgen)",
            "Certificate: $CERTIFICATE",
            "ClientId: $CLIENT_ID",
            "PSU_ID: $PSU_ID",
            "CONSENT_ID=$(jq -r '.consentId' response.json)",
        ] {
            assert!(consent.contains(part), "{consent}");
        }
    }

    #[test]
    fn body_with_variables_is_expanded_by_the_shell() {
        let void = commands(&DocVariant::sandbox(), &BASKET_VOID);
        assert!(void.contains(r#""basketId":"'"$PUBLIC_BASKET_ID"'""#), "{void}");
        assert!(void.contains(r#""requestId":"'"$(uuidgen)"'""#), "{void}");
        let steps = commands(&DocVariant::sandbox(), &CONSENT_AUTHORISATION.update);
        assert_eq!(steps.matches("curl ").count(), 3, "{steps}");
    }

    #[test]
    fn requests_of_the_page_are_those_of_the_commands() {
        let text = requests(&DocVariant::sandbox(), &CONSENT_CREATE);
        let example: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(example["changes"], true);
        assert_eq!(example["captures"], json!([["CONSENT_ID", ".consentId"]]));
        let request = &example["requests"][0];
        assert_eq!((&request["method"], &request["path"]), (&json!("POST"), &json!("/v1/consents")));
        assert!(request["headers"].as_array().unwrap().contains(&json!(["x-Request-ID", "$(uuidgen)"])));
        let void = requests(&DocVariant::sandbox(), &BASKET_VOID);
        assert!(void.contains(r#"\"basketId\":\"$PUBLIC_BASKET_ID\""#), "{void}");
    }

    #[test]
    fn quote_in_a_body_does_not_end_the_word() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
