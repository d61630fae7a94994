//! The audit log against everything that changes something: each step of a scenario with the events that it adds. An event that is
//! no longer recorded changes a snapshot; `cargo xtask trust` finds events that no test has.

mod customer;
mod loan;
mod merchant;
mod organisation;
mod payment;
mod refusal;
mod staff;

use std::collections::BTreeMap;
use trapeza_testkit::TestBank;

/// The steps of a scenario, each with the events that were added since the one before.
struct Scenario<'a> {
    bank: &'a TestBank,
    before: BTreeMap<String, i64>,
    lines: Vec<String>,
}

impl<'a> Scenario<'a> {
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
