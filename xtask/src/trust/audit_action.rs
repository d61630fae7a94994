//! Actions of the audit log that no test or snapshot names.

use crate::process::{Outcome, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Actions that no test compares, with the reason.
const KNOWN: [&str; 1] = [
    // No use case exempts an authorisation.
    "authorisation.exempted",
];

/// The actions that are neither in a test nor known to be missing.
pub fn untested() -> Outcome<Vec<String>> {
    let (mut sources, mut tests) = (Vec::new(), Vec::new());
    for part in ["trapeza-domain", "trapeza-app"] {
        files(&root().join("crates").join(part).join("src"), &["rs"], &mut sources)?;
    }
    files(&root().join("tests/tests"), &["rs", "snap"], &mut tests)?;
    for part in ["trapeza-app", "trapeza-store"] {
        files(&root().join("crates").join(part).join("tests"), &["rs", "snap"], &mut tests)?;
    }
    let tested = tests.iter().map(|path| text(path)).collect::<Outcome<Vec<String>>>()?;
    let mut all = BTreeSet::new();
    for path in &sources {
        all.extend(actions(&text(path)?));
    }
    let is_missing =
        |name: &String| !KNOWN.contains(&name.as_str()) && !tested.iter().any(|text| text.contains(name));
    Ok(all.into_iter().filter(is_missing).collect())
}

fn text(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) -> Outcome {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| format!("{}: {e}", folder.display()))?.path();
        if path.is_dir() {
            files(&path, endings, found)?;
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            found.push(path);
        }
    }
    Ok(())
}

/// The names of actions in a source file: `noun.verb` in a call that makes an event.
fn actions(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = BTreeSet::new();
    for call in ["AuditEvent::new(", "moved(", "event(", "record_event(", "ended("] {
        for rest in code.split(call).skip(1) {
            let arguments = rest.split(';').next().unwrap_or_default();
            for text in arguments.split('"').skip(1).step_by(2) {
                let is_name = |part: &str| {
                    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                };
                if text.split_once('.').is_some_and(|(noun, verb)| is_name(noun) && is_name(verb)) {
                    found.insert(text.to_owned());
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_found_in_calls_that_make_events() {
        let source = r#"
            let event = AuditEvent::new("consent.created", "consent", id).with("a.b c", 1);
            return self.moved(state, now, "payment.cancelled");
            let other = "not.an_event";
        "#;
        let found: Vec<String> = actions(source).into_iter().collect();
        assert_eq!(found, ["consent.created", "payment.cancelled"]);
    }
}
