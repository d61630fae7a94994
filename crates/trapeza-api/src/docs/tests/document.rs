//! The document is whole, holds together, and its examples are what it says they are.

use super::schema::{SchemaChecker, resolve};
use crate::docs::index;
use crate::docs::index::TAGS;
use crate::docs::{DocVariant, document, refusal};
use crate::operation::{OPERATIONS, is_sandbox_only};
use serde_json::Value;
use std::collections::BTreeSet;
use trapeza_http::settings::CertificateMode;

fn whole() -> Value {
    document(&DocVariant::sandbox())
}

fn production() -> DocVariant {
    DocVariant { sandbox: false, certificates: CertificateMode::Mtls, ..DocVariant::sandbox() }
}

/// Every operation of a document: its path, its method, itself.
fn entries(document: &Value) -> impl Iterator<Item = (&String, &String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(move |(method, entry)| (path, method, entry))
    })
}

/// Every object within a value, itself included.
fn objects<'a>(value: &'a Value, visit: &mut impl FnMut(&'a Value)) {
    match value {
        Value::Object(members) => {
            visit(value);
            members.values().for_each(|member| objects(member, visit));
        }
        Value::Array(items) => items.iter().for_each(|item| objects(item, visit)),
        _ => {}
    }
}

#[test]
fn the_whole_document() {
    insta::assert_json_snapshot!(whole());
}

#[test]
fn every_operation_is_in_it_and_no_other() {
    let expected = |sandbox: bool| -> BTreeSet<(String, String)> {
        let all = OPERATIONS.iter().filter(|operation| sandbox || !is_sandbox_only(operation));
        all.map(|operation| (operation.path.to_owned(), operation.method.as_str().to_lowercase())).collect()
    };
    for (variant, sandbox) in [(DocVariant::sandbox(), true), (production(), false)] {
        let document = document(&variant);
        let found = entries(&document).map(|(path, method, _)| (path.clone(), method.clone())).collect();
        assert_eq!(expected(sandbox), found);
    }
}

#[test]
fn every_operation_is_described() {
    for operation in OPERATIONS {
        assert!(
            TAGS.iter().any(|(name, _)| *name == index::of(operation).tag),
            "{}: its tag has no sentence",
            operation.id
        );
        assert!(!index::of(operation).summary.is_empty(), "{}", operation.id);
        assert_eq!(
            index::of(operation).doc.response.is_none(),
            operation.success == 204,
            "{}: describe the answer",
            operation.id
        );
    }
}

#[test]
fn operation_ids_are_unique() {
    let document = whole();
    let ids: Vec<&str> =
        entries(&document).map(|(_, _, entry)| entry["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
}

#[test]
fn every_reference_leads_somewhere_and_every_component_is_used() {
    for document in [whole(), document(&production())] {
        let mut used = BTreeSet::new();
        objects(&document, &mut |object| {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                assert!(resolve(&document, reference).is_some(), "{reference}");
                used.insert(reference.to_owned());
            }
        });
        for kind in ["schemas", "parameters", "headers"] {
            for name in document["components"][kind].as_object().unwrap().keys() {
                let reference = format!("#/components/{kind}/{name}");
                assert!(used.contains(&reference), "{reference} is not used");
                let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
                assert!(plain, "{name} cannot name a component");
            }
        }
    }
}

#[test]
fn path_parameters_match_the_path() {
    let document = whole();
    for (path, _, entry) in entries(&document) {
        let named: BTreeSet<&str> =
            path.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
        let declared = entry["parameters"].as_array().unwrap().iter();
        let declared =
            declared.map(|reference| resolve(&document, reference["$ref"].as_str().unwrap()).unwrap());
        let path_parameters = declared.filter(|parameter| parameter["in"] == "path");
        let documented: BTreeSet<&str> = path_parameters
            .map(|parameter| {
                assert_eq!(parameter["required"], true);
                parameter["name"].as_str().unwrap()
            })
            .collect();
        assert_eq!(named, documented, "{path}");
    }
}

#[test]
fn security_is_by_schemes_that_are_declared() {
    let document = whole();
    for (path, _, entry) in entries(&document) {
        for scheme in
            entry["security"].as_array().unwrap().iter().flat_map(|all| all.as_object().unwrap().keys())
        {
            assert!(document["components"]["securitySchemes"].get(scheme).is_some(), "{path}: {scheme}");
        }
    }
}

#[test]
fn every_example_fits_its_schema() {
    let document = whole();
    let checker = SchemaChecker::new(&document);
    let mut checked = 0;
    let mut bodies = |object: &Value| {
        let Some(schema) = object.get("schema") else { return };
        let several = object.get("examples").and_then(Value::as_object).into_iter().flatten();
        for example in object.get("example").into_iter().chain(several.map(|(_, example)| &example["value"]))
        {
            assert_eq!(checker.errors(schema, example), Vec::<String>::new(), "{example}");
            checked += 1;
        }
    };
    objects(&document["paths"], &mut bodies);
    objects(&document["webhooks"], &mut bodies);
    assert!(checked > OPERATIONS.len(), "only {checked} examples were found");
    for parameter in document["components"]["parameters"].as_object().unwrap().values() {
        assert_eq!(checker.errors(&parameter["schema"], &parameter["example"]), Vec::<String>::new());
    }
}

#[test]
fn the_table_says_what_the_bodies_say() {
    for operation in OPERATIONS {
        for error in refusal::of(operation) {
            let message = &error.body["tppMessages"][0];
            if let Some(number) = error.number {
                assert_eq!(message["code"], number, "{} {}", operation.name, error.key);
                assert_eq!(message["text"], format!("{}: {}", error.name, error.text));
            } else {
                assert_eq!(error.body["status"], error.status.as_u16(), "{} {}", operation.name, error.key);
                let kind = error.name.to_lowercase().replace('_', "-");
                assert_eq!(error.body["type"], format!("urn:trapeza:problem:{kind}"));
            }
        }
    }
}

#[test]
fn in_production_the_connection_proves_the_certificate() {
    let document = document(&production());
    assert_eq!(document["components"]["securitySchemes"]["certificate"]["type"], "mutualTLS");
    assert_eq!(document["components"]["parameters"]["header.Certificate"]["required"], false);
}
