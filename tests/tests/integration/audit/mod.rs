//! The audit log against everything that changes something: each step of a story with the events that it adds. An event that is
//! no longer recorded changes a snapshot; an event that no test knows fails here.

mod customer;
mod merchant;
mod organisation;
mod staff;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use trapeza_testkit::TestBank;

/// The steps of a story, each with the events that were added since the one before.
struct Story<'a> {
    bank: &'a TestBank,
    before: BTreeMap<String, i64>,
    lines: Vec<String>,
}

impl<'a> Story<'a> {
    fn begin(bank: &'a TestBank) -> Self {
        Self { bank, before: counts(bank), lines: Vec::new() }
    }

    /// Writes the events since the last step down under this name.
    fn step(&mut self, name: &str) {
        let now = counts(self.bank);
        let added = now.iter().filter_map(|(event, count)| {
            let new = count - self.before.get(event).copied().unwrap_or(0);
            match new {
                0 => None,
                1 => Some(event.clone()),
                more => Some(format!("{event} ×{more}")),
            }
        });
        let added: Vec<String> = added.collect();
        self.lines.push(format!("{name}: {}", added.join(", ")));
        self.before = now;
    }

    async fn end(self) -> String {
        crate::staff::verify_audit(self.bank).await;
        self.lines.join("\n")
    }
}

/// How often each action was recorded, with the kind of its actor and its object.
fn counts(bank: &TestBank) -> BTreeMap<String, i64> {
    let kind = |text: &str| text.split(':').next().unwrap_or_default().to_owned();
    let mut counts = BTreeMap::new();
    for row in bank.database.rows("SELECT action, actor, object FROM audit_event") {
        let event = format!("{} of {} by {}", row[0], kind(&row[2]), kind(&row[1]));
        *counts.entry(event).or_default() += 1;
    }
    counts
}

fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            found.push(path);
        }
    }
}

/// Actions whose use cases have tests that do not look at the log. In two parts, so that this list is not taken for a test.
const WITHOUT_A_STORY: [&str; 29] = [
    concat!("application", ".key_replaced"),
    concat!("application", ".organisation_set"),
    concat!("authorisation", ".exempted"),
    concat!("authorisation", ".failed"),
    concat!("authorisation", ".identified"),
    concat!("authorisation", ".started"),
    concat!("authorisation", ".timed_out"),
    concat!("callback", ".dead"),
    concat!("callback", ".delivered"),
    concat!("callback", ".disabled"),
    concat!("callback", ".purged"),
    concat!("callback", ".replayed"),
    concat!("callback", ".resent"),
    concat!("checkout", ".plan_declined"),
    concat!("clearing", ".mismatch"),
    concat!("consent", ".expired"),
    concat!("ledger", ".posted"),
    concat!("loan", ".collection_failed"),
    concat!("loan", ".ending_approved"),
    concat!("loan", ".extended"),
    concat!("loan", ".forbearance_offered"),
    concat!("loan", ".refund_payable"),
    concat!("loan", ".withdrawal_declared"),
    concat!("member", ".passkey_added"),
    concat!("member", ".passkey_removed"),
    concat!("payment", ".cancellation_declined"),
    concat!("staff", ".passkey_added"),
    concat!("staff", ".passkey_removed"),
    concat!("staff", ".signed_out"),
];

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

#[test]
fn action_of_the_audit_log_without_a_test_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut sources, mut tests) = (Vec::new(), Vec::new());
    for part in ["trapeza-domain", "trapeza-app"] {
        files(&root.join("crates").join(part).join("src"), &["rs"], &mut sources);
    }
    files(&root.join("tests/tests"), &["rs", "snap"], &mut tests);
    for part in ["trapeza-app", "trapeza-store"] {
        files(&root.join("crates").join(part).join("tests"), &["rs", "snap"], &mut tests);
    }
    let tested: Vec<String> = tests.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let all: BTreeSet<String> =
        sources.iter().flat_map(|path| actions(&std::fs::read_to_string(path).unwrap())).collect();
    assert!(all.len() > 100, "{all:?}");
    let missing: Vec<_> = all
        .iter()
        .filter(|name| !WITHOUT_A_STORY.contains(&name.as_str()))
        .filter(|name| !tested.iter().any(|text| text.contains(*name)))
        .collect();
    assert!(missing.is_empty(), "no test has these actions: {missing:?}");
}
