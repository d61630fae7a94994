//! The list of components (SBOM) as CycloneDX JSON.

use super::Release;
use super::component::Component;
use crate::process::{Outcome, capture_stdout};
use serde_json::{Value, json};
use std::process::Command;

pub fn document(release: &Release, components: &[Component]) -> Outcome<String> {
    let program = components.iter().find(|component| component.name == "trapeza");
    let program = program.ok_or("the program is not among its components")?;
    let others = components.iter().filter(|component| component.name != "trapeza");
    let time = capture_stdout(
        Command::new("date")
            .args(["--utc", "+%Y-%m-%dT%H:%M:%SZ", "--date"])
            .arg(format!("@{}", release.epoch)),
    )?;
    let mut root = described(program, "application");
    root["version"] = json!(release.version);
    root["properties"] = json!([{ "name": "trapeza:commit", "value": release.commit }]);
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "timestamp": time.trim(), "component": root },
        "components": others.map(|component| described(component, "library")).collect::<Vec<_>>(),
        "dependencies": components.iter().map(dependencies).collect::<Vec<_>>(),
    });
    Ok(format!("{document:#}\n"))
}

fn described(component: &Component, kind: &str) -> Value {
    let mut value = json!({
        "type": kind,
        "bom-ref": package_url(&component.name, &component.version),
        "name": component.name,
        "version": component.version,
        "licenses": [{ "expression": component.licence }],
    });
    if !component.description.is_empty() {
        value["description"] = json!(component.description.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    if let Some(checksum) = &component.checksum {
        value["purl"] = json!(package_url(&component.name, &component.version));
        value["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if !component.repository.is_empty() {
        value["externalReferences"] = json!([{ "type": "vcs", "url": component.repository }]);
    }
    value
}

fn dependencies(component: &Component) -> Value {
    let urls = component.dependencies.iter().map(|(name, version)| package_url(name, version));
    json!({
        "ref": package_url(&component.name, &component.version),
        "dependsOn": urls.collect::<Vec<_>>(),
    })
}

fn package_url(name: &str, version: &str) -> String {
    // A plus sign in a version is a space in a URL.
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn component(name: &str, checksum: Option<&str>, dependencies: &[(&str, &str)]) -> Component {
        Component {
            name: name.to_owned(),
            version: "1.0.0+2".to_owned(),
            licence: "MIT".to_owned(),
            description: "Does\nsomething".to_owned(),
            repository: String::new(),
            directory: PathBuf::new(),
            checksum: checksum.map(str::to_owned),
            dependencies: dependencies
                .iter()
                .map(|(name, version)| ((*name).into(), (*version).into()))
                .collect(),
        }
    }

    #[test]
    fn document_has_the_program_its_components_and_their_dependencies() {
        let release = Release {
            version: "1.0.0+2".to_owned(),
            architecture: "amd64".to_owned(),
            commit: "abc".to_owned(),
            epoch: "1700000000".to_owned(),
            directory: PathBuf::new(),
            compression: "xz",
        };
        let components =
            [component("aes", Some("ab"), &[]), component("trapeza", None, &[("aes", "1.0.0+2")])];
        let document: Value = serde_json::from_str(&document(&release, &components).unwrap()).unwrap();
        assert_eq!(document["metadata"]["timestamp"], "2023-11-14T22:13:20Z");
        assert_eq!(document["metadata"]["component"]["bom-ref"], "pkg:cargo/trapeza@1.0.0%2B2");
        let expected = json!([{
            "type": "library", "bom-ref": "pkg:cargo/aes@1.0.0%2B2", "name": "aes", "version": "1.0.0+2",
            "licenses": [{ "expression": "MIT" }], "description": "Does something",
            "purl": "pkg:cargo/aes@1.0.0%2B2", "hashes": [{ "alg": "SHA-256", "content": "ab" }],
        }]);
        assert_eq!(document["components"], expected);
        assert_eq!(document["dependencies"][1]["dependsOn"], json!(["pkg:cargo/aes@1.0.0%2B2"]));
    }
}
