//! An operation as a curl command, built from its examples. Secrets and ids are shell variables.

use crate::docs::DocVariant;
use crate::docs::index;
use crate::docs::parameter::{self, Location, Parameter};
use crate::docs::parameters_of;
use axum::http::Method;
use trapeza_http::operation::{Access, Operation};

/// Sets the variables of the commands from the file that the sandbox writes.
pub const VARIABLES: &str = r#"sandbox() { jq -r "$1" trapeza-data/sandbox.json; }
CLIENT_ID=$(sandbox '.tpps[0].client_id')
SUBSCRIPTION_KEY=$(sandbox '.tpps[0].subscription_key')
CERTIFICATE=$(sandbox '.tpps[0].certificate')
PSU_ID=$(sandbox '.psus[0].psu_id')
APPLICATION_ID=$(sandbox '.merchants[0].application_id')
MERCHANT_KEY=$(sandbox '.merchants[0].subscription_key')"#;

pub fn curl(variant: &DocVariant, operation: &'static Operation) -> String {
    let parameters = parameters_of::operation(operation);
    let mut path = operation.path.to_owned();
    for parameter in parameters.iter().filter(|parameter| parameter.location == Location::Path) {
        path = path.replace(&format!("{{{}}}", parameter.name), value(operation, parameter));
    }
    let mut parts = vec![format!("curl \"{}{path}\"", variant.public_url)];
    if operation.method != Method::GET {
        parts.push(format!("-X {}", operation.method));
    }
    for parameter in parameters.iter().filter(|parameter| parameter.location == Location::Header) {
        // Of two optional parameters the one with a variable is shown.
        if parameter.required(variant) || (!parameter.required && parameter.shell.is_some()) {
            parts.push(format!("-H \"{}: {}\"", parameter.name, value(operation, parameter)));
        }
    }
    if let Some(request) = &index::of(operation).doc.request {
        parts.push(format!("-H \"Content-Type: {}\"", request.media));
        if let Some(example) = request.example {
            parts.push(format!("-d {}", quoted(&example().to_string())));
        }
    }
    parts.join(" \\\n  ")
}

/// Third parties and merchants have different keys, so that one shell can hold both.
fn value(operation: &Operation, parameter: &Parameter) -> &'static str {
    match operation.access {
        Access::Merchant | Access::Application if parameter.name == parameter::KEY.name => "$MERCHANT_KEY",
        _ => parameter.shell.unwrap_or(parameter.example),
    }
}

/// A quoted shell word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{CONSENT_CREATE, SANDBOX_CLOCK_ADVANCE};

    #[test]
    fn a_command_has_everything_a_call_needs() {
        let variant = DocVariant::sandbox();
        assert_eq!(
            curl(&variant, &SANDBOX_CLOCK_ADVANCE),
            "curl \"http://127.0.0.1:8080/sandbox/clock\" \\\n  -X POST \\\n  \
             -H \"Content-Type: application/json\" \\\n  -d '{\"advance\":\"P1D\"}'"
        );
        let consent = curl(&variant, &CONSENT_CREATE);
        for part in [
            "x-Request-ID: $(uuidgen || ",
            "Certificate: $CERTIFICATE",
            "ClientId: $CLIENT_ID",
            "PSU_ID: $PSU_ID",
        ] {
            assert!(consent.contains(part), "{consent}");
        }
    }

    #[test]
    fn a_quote_in_a_body_does_not_end_the_word() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
