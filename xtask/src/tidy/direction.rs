//! Which crate may depend on which: domain ← { store, texts } ← app ← { http ← { api, berlin-group, web ← { portal, console, sandbox } }, courier } ← trapeza; pdf, qr and xml
//! depend on none.
//!
//! Cargo forbids only cycles; a dependency of http on the store would compile and break the layering.

use serde_json::Value;

/// A crate and the crates of the workspace it may depend on. A crate that is not listed is a finding.
const MAY: &[(&str, &[&str])] = &[
    ("trapeza-domain", &[]),
    ("trapeza-store", &["trapeza-domain"]),
    ("trapeza-texts", &["trapeza-domain"]),
    ("trapeza-pdf", &[]),
    ("trapeza-qr", &[]),
    ("trapeza-xml", &[]),
    ("trapeza-app", &["trapeza-domain", "trapeza-store", "trapeza-texts", "trapeza-pdf"]),
    ("trapeza-http", &["trapeza-domain", "trapeza-app"]),
    ("trapeza-api", &["trapeza-domain", "trapeza-app", "trapeza-http", "trapeza-qr"]),
    ("trapeza-berlin-group", &["trapeza-domain", "trapeza-app", "trapeza-http", "trapeza-qr", "trapeza-xml"]),
    ("trapeza-web", &["trapeza-domain", "trapeza-app", "trapeza-http", "trapeza-qr", "trapeza-texts"]),
    ("trapeza-portal", &["trapeza-domain", "trapeza-app", "trapeza-http", "trapeza-qr", "trapeza-web"]),
    ("trapeza-console", &["trapeza-domain", "trapeza-app", "trapeza-http", "trapeza-qr", "trapeza-web"]),
    // Its pages use the public interface only: no use case, no store.
    ("trapeza-sandbox", &["trapeza-http", "trapeza-web"]),
    ("trapeza-courier", &["trapeza-domain", "trapeza-store", "trapeza-app", "trapeza-xml"]),
    (
        "trapeza",
        &[
            "trapeza-domain",
            "trapeza-store",
            "trapeza-app",
            "trapeza-http",
            "trapeza-api",
            "trapeza-berlin-group",
            "trapeza-web",
            "trapeza-portal",
            "trapeza-console",
            "trapeza-sandbox",
            "trapeza-courier",
        ],
    ),
    (
        "trapeza-testkit",
        &[
            "trapeza-domain",
            "trapeza-store",
            "trapeza-app",
            "trapeza-http",
            "trapeza-api",
            "trapeza-berlin-group",
            "trapeza-web",
            "trapeza-portal",
            "trapeza-console",
            "trapeza-sandbox",
            "trapeza-courier",
            "trapeza",
        ],
    ),
    (
        "trapeza-tests",
        &[
            "trapeza-domain",
            "trapeza-store",
            "trapeza-app",
            "trapeza-http",
            "trapeza-api",
            "trapeza-berlin-group",
            "trapeza-web",
            "trapeza-portal",
            "trapeza-console",
            "trapeza-sandbox",
            "trapeza-courier",
            "trapeza",
            "trapeza-texts",
            "trapeza-testkit",
            "trapeza-xml",
        ],
    ),
    (
        "trapeza-bench",
        &["trapeza-domain", "trapeza-store", "trapeza-app", "trapeza-courier", "trapeza-testkit"],
    ),
    ("trapeza-mutants", &[]),
    ("xtask", &[]),
];

/// What a crate's own tests may use in addition.
const TESTS_MAY: &[(&str, &[&str])] = &[
    ("trapeza-store", &["trapeza-app", "trapeza-testkit"]),
    ("trapeza-app", &["trapeza-testkit"]),
    ("trapeza-api", &["trapeza-store"]),
    ("trapeza-courier", &["trapeza-testkit"]),
    ("trapeza", &["trapeza-testkit"]),
];

/// Findings in what `cargo metadata --no-deps` printed.
pub fn check(metadata: &str) -> Result<Vec<String>, String> {
    let metadata: Value = serde_json::from_str(metadata).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let ours: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(may) = named(MAY, name) else {
            findings.push(format!("{name}: a crate without a place; name it in xtask/src/tidy/direction.rs"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let on = dependency["name"].as_str().unwrap_or_default();
            let for_tests = dependency["kind"] == "dev";
            let allowed = may.contains(&on)
                || (for_tests && named(TESTS_MAY, name).is_some_and(|more| more.contains(&on)));
            if ours.contains(&on) && !allowed {
                findings.push(format!("{name} depends on {on}, which lies on the wrong side of it"));
            }
        }
    }
    Ok(findings)
}

fn named(table: &[(&str, &'static [&'static str])], name: &str) -> Option<&'static [&'static str]> {
    table.iter().find(|(of, _)| *of == name).map(|(_, list)| *list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn checked(name: &str, on: &str, kind: Value) -> Vec<String> {
        let dependencies = json!([{"name": on, "kind": kind}, {"name": "serde", "kind": null}]);
        let packages = json!([{"name": name, "dependencies": dependencies}, {"name": "trapeza-store", "dependencies": []}]);
        check(&json!({ "packages": packages }).to_string()).unwrap()
    }

    #[test]
    fn http_must_not_depend_on_the_store() {
        let findings = checked("trapeza-http", "trapeza-store", Value::Null);
        assert_eq!(findings, ["trapeza-http depends on trapeza-store, which lies on the wrong side of it"]);
    }

    #[test]
    fn dev_dependency_on_the_store_is_allowed_for_the_api_only() {
        assert!(checked("trapeza-api", "trapeza-store", json!("dev")).is_empty());
        assert_eq!(checked("trapeza-domain", "trapeza-store", json!("dev")).len(), 1);
    }

    #[test]
    fn api_and_web_do_not_depend_on_each_other() {
        assert!(named(MAY, "trapeza-api").is_some_and(|may| !may.contains(&"trapeza-web")));
        assert!(named(MAY, "trapeza-web").is_some_and(|may| !may.contains(&"trapeza-api")));
    }

    #[test]
    fn app_may_depend_on_the_store() {
        assert!(checked("trapeza-app", "trapeza-store", Value::Null).is_empty());
    }

    #[test]
    fn new_crate_must_be_listed() {
        assert!(checked("trapeza-extra", "trapeza-store", Value::Null)[0].contains("without a place"));
    }
}
