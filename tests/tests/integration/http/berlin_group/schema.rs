//! Every answer of these tests is checked against the schemas of the dialect's OpenAPI document, without undescribed fields, and against
//! what the standard requires (`standard`).

use super::{BASE, standard};
use jsonschema::Validator;
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiResponse, TestBank};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| trapeza_berlin_group::document("http://127.0.0.1", BASE));
static COMPILED: LazyLock<Mutex<HashMap<String, Validator>>> = LazyLock::new(Mutex::default);

/// Panics where an answer is not one that the document describes. Paths outside of the document are not checked.
pub fn check(method: &Method, path: &str, answer: &ApiResponse) {
    let path = path.split('?').next().unwrap_or_default();
    let Some(path) = path.strip_prefix(BASE) else { return };
    let name = method.as_str().to_ascii_lowercase();
    let found = DOCUMENT["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .filter(|(template, operations)| operations.get(&name).is_some() && fits(template, path))
        // As the router does: a path with fewer parameters goes before.
        .min_by_key(|(template, _)| template.matches('{').count());
    let Some((template, operations)) = found else { return };
    let described = &operations[&name]["responses"][answer.status.to_string()];
    assert!(described.is_object(), "{method} {template} does not describe {answer:?}");
    if answer.headers.get("content-type").is_some_and(|kind| kind == "application/xml") {
        let schema = &described["content"]["application/xml"]["schema"];
        assert_eq!(schema["type"], "string", "{method} {template} is not described as XML: {answer:?}");
        return;
    }
    standard::check(method, template, answer);
    match &described["content"]["application/json"]["schema"] {
        Value::Null => assert_eq!(answer.body, Value::Null, "{method} {template} has no body: {answer:?}"),
        schema => {
            let errors = errors(schema, &answer.body);
            assert!(errors.is_empty(), "{method} {template}: {errors:#?} {answer:?}");
        }
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template.iter().zip(&path).all(|(expected, given)| expected.starts_with('{') || expected == given)
}

fn errors(schema: &Value, body: &Value) -> Vec<String> {
    let mut compiled = COMPILED.lock().expect("no test panics while it holds the lock");
    let validator = compiled.entry(schema.to_string()).or_insert_with(|| {
        let mut schema = schema.clone();
        schema["components"] = DOCUMENT["components"].clone();
        close(&mut schema);
        jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&schema)
            .expect("a valid schema")
    });
    let errors: Vec<String> =
        validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect();
    errors
}

/// Forbids undescribed fields in every object.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.contains_key("properties") && members.contains_key("type") {
                members.entry("additionalProperties").or_insert(json!(false));
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn document_is_served_to_everyone() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let served = bank.anonymous().get(&format!("{BASE}/openapi.json")).await;
    assert_eq!((served.status, &served.body["openapi"]), (200, &json!("3.1.0")));
    assert_eq!(served.body["servers"][0]["url"], format!("{}{BASE}", bank.base_url));
    assert_eq!(served.body["paths"], DOCUMENT["paths"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reference_has_a_page_with_every_operation() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut browser = bank.browser();
    let index = browser.get("/docs").await;
    assert!(index.html.contains("<a href=\"/docs/berlin-group\">Berlin Group</a>"), "{}", index.html);
    let page = browser.get("/docs/berlin-group").await;
    assert_eq!(page.status, 200);
    for (path, operations) in DOCUMENT["paths"].as_object().expect("paths") {
        assert!(page.html.contains(&format!("<code>{path}</code>")), "{path}");
        for operation in operations.as_object().expect("operations").values() {
            let id = operation["operationId"].as_str().expect("an id");
            assert_eq!(page.html.matches(&format!("<article id=\"{id}\">")).count(), 1, "{id}");
        }
    }
    assert!(page.html.contains("<code>transactions.booked[].transactionAmount.amount</code>"), "fields");
    assert!(page.html.contains("Also as <code>application/xml</code>."), "the form beside JSON");
}
