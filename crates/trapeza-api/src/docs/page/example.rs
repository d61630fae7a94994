//! The examples of an operation: as curl commands and as calls of the clients for Python and TypeScript.
//!
//! All three use the same variables, so that they run one after another in a fresh sandbox. A test runs them.

use super::command::{self, is_shown};
use crate::docs::DocVariant;
use crate::docs::parameter::{BASKET_ID, Location, Parameter, REQUEST_ID};
use crate::docs::schema::Schemas;
use crate::docs::{index, parameters_of};
use serde_json::Value;
use trapeza_http::operation::{Access, Operation};

/// One example in one language.
pub struct Example {
    pub label: &'static str,
    /// The class of its block, by which the test finds it.
    pub class: &'static str,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Python,
    TypeScript,
}

const PYTHON_SETUP: &str = r#"import json
from datetime import date, timedelta
import trapeza

sheet = json.load(open("trapeza-data/sandbox.json"))
third, shop, customer = sheet["tpps"][0], sheet["merchants"][0], sheet["psus"][0]
tpp = trapeza.ThirdPartyClient(
    sheet["base_url"],
    subscription_key=third["subscription_key"],
    client_id=third["client_id"],
    certificate=third["certificate"],
)
application_id = shop["application_id"]
merchant = trapeza.MerchantClient(
    sheet["base_url"], subscription_key=shop["subscription_key"], application_id=application_id
)
bank = trapeza.BankClient(sheet["base_url"])
psu_id, method_id = customer["psu_id"], customer["methods"][0]["id"]
date_from = str(date.today() - timedelta(days=30))"#;

const TYPESCRIPT_SETUP: &str = r#"import { readFileSync } from "node:fs";
import { BankClient, MerchantClient, ThirdPartyClient } from "trapeza-client";

const sheet = JSON.parse(readFileSync("trapeza-data/sandbox.json", "utf8"));
const [third] = sheet.tpps;
const [shop] = sheet.merchants;
const [customer] = sheet.psus;
const tpp = new ThirdPartyClient(sheet.base_url, {
  subscriptionKey: third.subscription_key,
  clientId: third.client_id,
  certificate: third.certificate,
});
const applicationId = shop.application_id;
const merchant = new MerchantClient(sheet.base_url, { subscriptionKey: shop.subscription_key, applicationId });
const bank = new BankClient(sheet.base_url);
const psuId = customer.psu_id;
const methodId = customer.methods[0].id;
const dateFrom = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);"#;

/// What the examples of all operations need.
pub fn setup(shell: &str) -> Vec<Example> {
    examples(shell.to_owned(), PYTHON_SETUP.to_owned(), TYPESCRIPT_SETUP.to_owned())
}

pub fn of(variant: &DocVariant, operation: &'static Operation) -> Vec<Example> {
    examples(
        command::commands(variant, operation),
        calls(variant, operation, Language::Python),
        calls(variant, operation, Language::TypeScript),
    )
}

pub fn examples(shell: String, python: String, typescript: String) -> Vec<Example> {
    vec![
        Example { label: "curl", class: "shell", text: shell },
        Example { label: "Python", class: "python", text: python },
        Example { label: "TypeScript", class: "typescript", text: typescript },
    ]
}

/// The calls of an operation, and what sets the variables that later ones need.
fn calls(variant: &DocVariant, operation: &'static Operation, language: Language) -> String {
    let doc = index::of(operation).doc;
    let example = || doc.request.as_ref().and_then(|request| request.example).map(|example| example());
    let bodies: Vec<Option<Value>> = match doc.shell.bodies {
        Some(bodies) => bodies().into_iter().map(Some).collect(),
        None => vec![example()],
    };
    let calls: Vec<String> =
        bodies.iter().map(|body| call(variant, operation, body.as_ref(), language)).collect();
    let (assignment, end) = match language {
        Language::Python => ("response = ", ""),
        Language::TypeScript => ("const response = ", ";"),
    };
    let (last, earlier) = calls.split_last().expect("an operation has one call at least");
    let mut lines: Vec<String> = earlier.iter().map(|call| format!("{call}{end}")).collect();
    match doc.response.is_some() {
        true => lines.push(format!("{assignment}{last}{end}")),
        false => lines.push(format!("{last}{end}")),
    }
    for (name, filter) in doc.shell.captures {
        lines.push(match language {
            Language::Python => format!("{} = response{}", variable(name, language), subscripts(filter)),
            Language::TypeScript => format!("const {} = response{filter};", variable(name, language)),
        });
    }
    lines.join("\n")
}

fn call(
    variant: &DocVariant,
    operation: &'static Operation,
    body: Option<&Value>,
    language: Language,
) -> String {
    let parameters = parameters_of::operation(operation);
    let argument = |parameter: &&'static Parameter| value(operation, parameter, language);
    let mut arguments: Vec<String> = parameters
        .iter()
        .filter(|one| one.location == Location::Path && !has_one_value(one))
        .map(argument)
        .collect();
    let is_own = |one: &&&'static Parameter| {
        one.location != Location::Path && !is_of_the_client(one) && is_shown(variant, one)
    };
    let options: Vec<String> = parameters
        .iter()
        .filter(is_own)
        .map(|one| {
            let (name, value) = (spelled(one.name, language), argument(one));
            match language {
                Language::Python => format!("{name}={value}"),
                Language::TypeScript if name == value => name,
                Language::TypeScript => format!("{name}: {value}"),
            }
        })
        .collect();
    match body {
        Some(body) => arguments.push(literal(body, language, 0)),
        // The options come after the body, also where it is left out.
        None if language == Language::TypeScript
            && index::of(operation).doc.request_body().is_some()
            && !options.is_empty() =>
        {
            arguments.push("undefined".to_owned());
        }
        None => {}
    }
    match language {
        Language::Python => arguments.extend(options),
        Language::TypeScript if options.is_empty() => {}
        Language::TypeScript => arguments.push(format!("{{ {} }}", options.join(", "))),
    }
    let client = match operation.access {
        Access::Tpp(_) => "tpp",
        Access::Merchant | Access::Application => "merchant",
        Access::Open => "bank",
    };
    let wait = if language == Language::TypeScript { "await " } else { "" };
    format!("{wait}{client}.{}({})", spelled(operation.id, language), arguments.join(", "))
}

/// Whether the client sends this header by itself.
fn is_of_the_client(parameter: &Parameter) -> bool {
    parameter.name == REQUEST_ID.name
        || ["Certificate", "ClientId", "Ocp-Apim-Subscription-Key", "X-Application-ID"]
            .contains(&parameter.name)
}

/// Whether a parameter has one value only, which the client sends by itself.
fn has_one_value(parameter: &Parameter) -> bool {
    let schema = Schemas::new().request(parameter.schema);
    schema["enum"].as_array().is_some_and(|values| values.len() == 1)
}

/// A parameter's variable, or its value as a literal.
fn value(operation: &Operation, parameter: &Parameter, language: Language) -> String {
    let text = command::value(operation, parameter);
    if text.starts_with("$(date") {
        return variable("DATE_FROM", language);
    }
    if let Some(name) = text.strip_prefix('$') {
        return variable(name, language);
    }
    let schema = Schemas::new().request(parameter.schema);
    match (schema["type"].as_str(), language) {
        (Some("boolean"), Language::Python) => if text == "true" { "True" } else { "False" }.to_owned(),
        (Some("boolean" | "integer"), _) => text.to_owned(),
        _ => format!("{text:?}"),
    }
}

/// A JSON value as a literal. Ids of the examples become variables, and the client adds the idempotency key.
fn literal(value: &Value, language: Language, depth: usize) -> String {
    let inner = |value: &Value| literal(value, language, depth + 1);
    match value {
        Value::Null if language == Language::Python => "None".to_owned(),
        Value::Bool(flag) if language == Language::Python => if *flag { "True" } else { "False" }.to_owned(),
        Value::String(text) if text == BASKET_ID.example => variable("PUBLIC_BASKET_ID", language),
        Value::String(text) if text == "$METHOD_ID" => variable("METHOD_ID", language),
        Value::Array(items) => enclosed('[', ']', items.iter().map(inner).collect(), depth),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| *value != REQUEST_ID.example);
            let fields = fields.map(|(name, value)| format!("{}: {}", key(name, language), inner(value)));
            enclosed('{', '}', fields.collect(), depth)
        }
        other => other.to_string(),
    }
}

/// On one line if it is short.
fn enclosed(open: char, close: char, parts: Vec<String>, depth: usize) -> String {
    let line = parts.join(", ");
    if line.len() <= 60 && !line.contains('\n') {
        return format!("{open}{line}{close}");
    }
    let indent = "    ".repeat(depth + 1);
    let lines: String = parts.iter().map(|part| format!("{indent}{part},\n")).collect();
    format!("{open}\n{lines}{}{close}", "    ".repeat(depth))
}

fn key(name: &str, language: Language) -> String {
    let is_identifier = name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    if language == Language::TypeScript && is_identifier { name.to_owned() } else { format!("{name:?}") }
}

/// A variable of the shell in the spelling of the language.
fn variable(name: &str, language: Language) -> String {
    spelled(&name.to_lowercase().replace('_', "-"), language)
}

/// A name of the API as the clients spell it: `consentID` is `consent_id` and `consentId`.
fn spelled(name: &str, language: Language) -> String {
    let name = if name == "pSUIPAddress" { "psu-ip-address" } else { name };
    let mut words: Vec<String> = vec![String::new()];
    let mut last_lower = false;
    for character in name.chars() {
        let separates = !character.is_ascii_alphanumeric();
        if separates || (character.is_ascii_uppercase() && last_lower) {
            words.push(String::new());
        }
        if let (false, Some(word)) = (separates, words.last_mut()) {
            let first = word.is_empty() && language == Language::TypeScript;
            word.push(if first { character.to_ascii_uppercase() } else { character.to_ascii_lowercase() });
        }
        last_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    match language {
        Language::Python => words.join("_"),
        Language::TypeScript => {
            if let Some(first) = words.first_mut() {
                *first = first.to_lowercase();
            }
            words.concat()
        }
    }
}

/// A jq filter as subscripts: `.accounts[0].resourceId` is `["accounts"][0]["resourceId"]`.
fn subscripts(filter: &str) -> String {
    let parts = filter.trim_start_matches('.').split('.');
    let subscript = |part: &str| match part.split_once('[') {
        Some((name, index)) => format!("[{name:?}][{index}"),
        None => format!("[{part:?}]"),
    };
    parts.map(subscript).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{BASKET_CREATE, CONSENT_AUTHORISATION, TRANSACTION_LIST};

    fn texts(operation: &'static Operation) -> [String; 2] {
        let variant = DocVariant::sandbox();
        [Language::Python, Language::TypeScript].map(|language| calls(&variant, operation, language))
    }

    #[test]
    fn call_has_the_spelling_of_its_language() {
        let [python, typescript] = texts(&TRANSACTION_LIST);
        assert!(
            python.starts_with("response = tpp.list_transactions(account_id, consent_id=consent_id"),
            "{python}"
        );
        assert!(
            python.ends_with(r#"transaction_id = response["transactions"]["booked"][0]["transactionId"]"#),
            "{python}"
        );
        assert!(
            typescript.starts_with("const response = await tpp.listTransactions(accountId, { consentId"),
            "{typescript}"
        );
    }

    #[test]
    fn client_adds_the_idempotency_key() {
        for text in texts(&BASKET_CREATE) {
            assert!(!text.contains("requestId"), "{text}");
        }
    }

    #[test]
    fn options_follow_a_body_that_is_left_out() {
        let [_, typescript] = texts(&CONSENT_AUTHORISATION.start);
        assert!(typescript.contains("(consentId, undefined, { psuId })"), "{typescript}");
    }
}
