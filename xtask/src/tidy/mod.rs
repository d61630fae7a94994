//! Rules that no compiler checks. Each finding names its file and line and what is expected.
//!
//! The checks are pure functions over text, each tested with a sample that violates it.

mod direction;
mod language;
mod literal;
mod migration;
mod text;

use crate::generate;
use crate::process::{Outcome, capture_stdout, cargo, root};
use std::fs;
use std::path::{Path, PathBuf};

const MIGRATIONS: &str = "crates/trapeza-store/migrations";

pub fn run() -> Outcome {
    let mut findings =
        direction::check(&capture_stdout(cargo().args(["metadata", "--format-version=1", "--no-deps"]))?)?;
    // A missing directory contains no migration, which is a finding.
    let names = |engine| file_names(&root().join(MIGRATIONS).join(engine)).unwrap_or_default();
    findings.extend(migration::check(&names("sqlite"), &names("postgres")));
    for file in source_files()? {
        let text = fs::read_to_string(root().join(&file)).map_err(|e| format!("{}: {e}", file.display()))?;
        let path = file.to_string_lossy();
        findings.extend(language::check(&path, &text));
        if !is_code(&path) {
            continue;
        }
        findings.extend(text::check(&path, &text));
        if let Some(warning) = text::long_warning(&path, &text) {
            println!("warning: {warning}");
        }
    }
    if let Err(stale) = generate::run(true) {
        findings.push(stale);
    }
    if findings.is_empty() {
        return Ok(());
    }
    Err(format!("{} findings\n  {}", findings.len(), findings.join("\n  ")))
}

fn is_code(path: &str) -> bool {
    [".rs", ".toml", ".sql"].iter().any(|end| path.ends_with(end))
}

/// Every source file and documentation page, relative to the root, in a stable order.
pub fn source_files() -> Outcome<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"].map(PathBuf::from).into();
    for top in ["bench", "clients", "crates", "docs", "mutants", "tests", "xtask"] {
        walk(&root(), Path::new(top), &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn walk(root: &Path, dir: &Path, found: &mut Vec<PathBuf>) -> Outcome {
    for name in file_names(&root.join(dir))? {
        let path = dir.join(&name);
        if root.join(&path).is_dir() {
            walk(root, &path, found)?;
        } else if [".rs", ".toml", ".sql", ".md", ".html", ".js"].iter().any(|end| name.ends_with(end)) {
            found.push(path);
        }
    }
    Ok(())
}

fn file_names(dir: &Path) -> Outcome<Vec<String>> {
    let broken = |e| format!("{}: {e}", dir.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(broken)? {
        names.push(entry.map_err(broken)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
