//! An operation as curl commands, built from its examples. Secrets and ids are shell variables. A test runs all commands of
//! the page in a fresh sandbox.

use crate::docs::DocVariant;
use crate::docs::index;
use crate::docs::parameter::{self, Location, Parameter};
use crate::docs::parameters_of;
use axum::http::Method;
use serde_json::Value;
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
    let example = || doc.request.as_ref().and_then(|request| request.example).map(|example| example());
    let commands: Vec<String> = match doc.shell.bodies {
        Some(bodies) => bodies().iter().map(|body| curl(variant, operation, Some(body))).collect(),
        None => vec![curl(variant, operation, example().as_ref())],
    };
    let mut text = commands.join("\n");
    if !doc.shell.captures.is_empty() {
        text.push_str(" | tee response.json");
    }
    for (name, filter) in doc.shell.captures {
        text.push_str(&format!("\n{name}=$(jq -r '{filter}' response.json)"));
    }
    text
}

fn curl(variant: &DocVariant, operation: &'static Operation, body: Option<&Value>) -> String {
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
    let mut parts = vec![format!("curl -s \"{}{path}\"", variant.public_url)];
    if operation.method != Method::GET {
        parts.push(format!("-X {}", operation.method));
    }
    for parameter in located(Location::Header).filter(is_shown) {
        parts.push(format!("-H \"{}: {}\"", parameter.name, value(operation, parameter)));
    }
    if let Some(request) = &index::of(operation).doc.request {
        parts.push(format!("-H \"Content-Type: {}\"", request.media));
    }
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

/// A JSON body as a shell word. Ids of the examples become variables, request ids new ones.
fn body_word(body: &Value) -> String {
    let mut text = body.to_string();
    for parameter in [&parameter::REQUEST_ID, &parameter::BASKET_ID] {
        text = text.replace(parameter.example, parameter.shell.unwrap_or(parameter.example));
    }
    let mut word = quoted(&text);
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
    fn quote_in_a_body_does_not_end_the_word() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
