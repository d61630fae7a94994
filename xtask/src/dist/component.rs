//! The components of the program: the crates that are linked into it, with what Cargo knows about them.
//!
//! `cargo tree` resolves the features as the build does, and leaves out crates that only build or test something. Cargo.lock has the
//! checksums.

use crate::process::{Outcome, capture_stdout, cargo, root};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub struct Component {
    pub name: String,
    pub version: String,
    /// An SPDX expression.
    pub licence: String,
    pub description: String,
    pub repository: String,
    /// Where its files are.
    pub directory: PathBuf,
    /// The SHA-256 of the crate's archive; `None` for crates of this workspace.
    pub checksum: Option<String>,
    /// The components that it depends on, as name and version.
    pub dependencies: Vec<(String, String)>,
}

impl Component {
    /// All components in order, with the crates of this workspace.
    pub fn of_program() -> Outcome<Vec<Self>> {
        let tree = capture_stdout(cargo().args([
            "tree",
            "--package=trapeza",
            "--edges=normal,no-proc-macro",
            "--prefix=none",
            "--format={p}",
            "--locked",
        ]))?;
        let linked: BTreeSet<(String, String)> = tree.lines().filter_map(name_and_version).collect();
        let lock =
            std::fs::read_to_string(root().join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
        let checksums = checksums(&lock);
        let metadata = metadata()?;
        let edges = edges(&metadata);
        let mut found: Vec<Self> = Vec::new();
        for package in metadata["packages"].as_array().into_iter().flatten() {
            let key = (text(package, "name"), text(package, "version"));
            if !linked.contains(&key) {
                continue;
            }
            let depends_on = edges.get(&text(package, "id")).into_iter().flatten();
            let directory = PathBuf::from(text(package, "manifest_path"));
            found.push(Self {
                licence: licence(package)?,
                description: text(package, "description"),
                repository: text(package, "repository"),
                directory: directory.parent().unwrap_or(Path::new("/")).to_path_buf(),
                checksum: checksums.get(&key).cloned(),
                dependencies: depends_on.filter(|key| linked.contains(*key)).cloned().collect(),
                name: key.0,
                version: key.1,
            });
        }
        if found.len() != linked.len() {
            return Err(format!("{} crates are linked, {} are described", linked.len(), found.len()));
        }
        found.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
        Ok(found)
    }

    /// Whether it comes from the registry, and not from this workspace.
    pub const fn is_third_party(&self) -> bool {
        self.checksum.is_some()
    }
}

pub fn program_version() -> Outcome<String> {
    let metadata = metadata()?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let program = packages.into_iter().find(|package| package["name"] == "trapeza");
    program.map(|program| text(program, "version")).ok_or_else(|| "there is no package trapeza".to_owned())
}

pub fn target_directory() -> Outcome<PathBuf> {
    Ok(PathBuf::from(text(&metadata()?, "target_directory")))
}

fn metadata() -> Outcome<Value> {
    let json = capture_stdout(cargo().args(["metadata", "--format-version=1", "--locked"]))?;
    serde_json::from_str(&json).map_err(|e| format!("cargo metadata: {e}"))
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// `ring v0.17.14 (*)` → name and version.
fn name_and_version(line: &str) -> Option<(String, String)> {
    let mut words = line.split_whitespace();
    Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
}

/// Older crates separate alternatives with a slash.
fn licence(package: &Value) -> Outcome<String> {
    match package["license"].as_str() {
        Some(expression) => Ok(expression.replace(" / ", " OR ").replace('/', " OR ")),
        None => Err(format!("{} does not declare a licence", text(package, "name"))),
    }
}

/// The checksums of Cargo.lock by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            line.and_then(|line| line.strip_suffix('"')).map(str::to_owned)
        };
        if let (Some(name), Some(version), Some(checksum)) =
            (value("name"), value("version"), value("checksum"))
        {
            found.insert((name, version), checksum);
        }
    }
    found
}

/// The dependencies of each package id.
fn edges(metadata: &Value) -> BTreeMap<String, Vec<(String, String)>> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let keys: BTreeMap<String, (String, String)> = packages
        .map(|package| (text(package, "id"), (text(package, "name"), text(package, "version"))))
        .collect();
    let nodes = metadata["resolve"]["nodes"].as_array().into_iter().flatten();
    nodes
        .map(|node| {
            let dependencies = node["deps"].as_array().into_iter().flatten();
            let normal = dependencies.filter(|dependency| {
                dependency["dep_kinds"].as_array().into_iter().flatten().any(|kind| kind["kind"].is_null())
            });
            let mut found: Vec<_> =
                normal.filter_map(|dependency| keys.get(dependency["pkg"].as_str()?).cloned()).collect();
            found.sort();
            (text(node, "id"), found)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_version_are_parsed() {
        let key = Some(("ring".to_owned(), "0.17.14".to_owned()));
        assert_eq!(name_and_version("ring v0.17.14"), key);
        assert_eq!(name_and_version("ring v0.17.14 (*)"), key);
        assert_eq!(name_and_version(""), None);
    }

    #[test]
    fn checksums_are_those_of_crates_from_a_registry() {
        let lock = "version = 4\n\n[[package]]\nname = \"aes\"\nversion = \"0.9.1\"\nchecksum = \"ab\"\n\n\
                    [[package]]\nname = \"trapeza\"\nversion = \"0.1.0\"\n";
        let expected = [(("aes".to_owned(), "0.9.1".to_owned()), "ab".to_owned())];
        assert_eq!(checksums(lock), BTreeMap::from(expected));
    }
}
