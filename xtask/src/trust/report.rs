//! What the phases found: kept in target/trust, so that an interrupted run continues, and written as a table.

use super::phase::PHASES;
use crate::process::Outcome;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;

/// The result of a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub tests: u64,
    pub failed: u64,
    /// What the tests counted: repetitions, calls, inputs.
    pub count: u64,
    pub faults: u64,
    pub seconds: u64,
}

impl Figures {
    /// Adds what a test binary printed: its results, and lines of the form `trust: count=1 faults=2`.
    pub fn read(&mut self, output: &str) {
        for line in output.lines() {
            if let Some(results) = line.strip_prefix("test result: ") {
                self.tests += number_before(results, " passed") + number_before(results, " failed");
                self.failed += number_before(results, " failed");
            }
            // A test's line may follow its name on the same line.
            if let Some((_, figures)) = line.split_once("trust: ") {
                for word in figures.split_whitespace() {
                    match word.split_once('=') {
                        Some(("count", value)) => self.count += value.parse().unwrap_or(0),
                        Some(("faults", value)) => self.faults += value.parse().unwrap_or(0),
                        _ => {}
                    }
                }
            }
        }
    }
}

fn number_before(text: &str, unit: &str) -> u64 {
    let before = text.split(unit).next().unwrap_or_default();
    before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// The results so far of one commit, mode and seed.
pub struct State {
    folder: PathBuf,
    key: String,
    results: Map<String, Value>,
}

impl State {
    pub fn open(folder: PathBuf, key: String, restart: bool) -> Outcome<Self> {
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let stored = fs::read_to_string(folder.join("state.json")).ok();
        let stored: Value = stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null);
        let same = !restart && stored["key"] == key.as_str();
        let results = same.then(|| stored["results"].as_object().cloned()).flatten().unwrap_or_default();
        Ok(Self { folder, key, results })
    }

    pub fn find(&self, phase: &str) -> Option<Figures> {
        let found = self.results.get(phase)?;
        let number = |name: &str| found[name].as_u64().unwrap_or(0);
        Some(Figures {
            tests: number("tests"),
            failed: number("failed"),
            count: number("count"),
            faults: number("faults"),
            seconds: number("seconds"),
        })
    }

    pub fn store(&mut self, phase: &str, figures: &Figures) -> Outcome {
        let Figures { tests, failed, count, faults, seconds } = figures;
        let row =
            json!({ "tests": tests, "failed": failed, "count": count, "faults": faults, "seconds": seconds });
        self.results.insert(phase.to_owned(), row);
        let state = json!({ "key": self.key, "results": self.results });
        let path = self.folder.join("state.json");
        fs::write(&path, state.to_string()).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// The table of what has run.
    pub fn table(&self) -> String {
        let mut lines = vec![
            format!("{}\n", self.key),
            "| phase | run | tests | counted | faults injected | violations | seconds |".to_owned(),
            "|---|---|---|---|---|---|---|".to_owned(),
        ];
        for phase in PHASES {
            let Some(Figures { tests, failed, count, faults, seconds }) = self.find(phase.name) else {
                continue;
            };
            let (name, run) = (phase.name, phase.run);
            lines.push(format!("| {name} | {run} | {tests} | {count} | {faults} | {failed} | {seconds} |"));
        }
        lines.join("\n") + "\n"
    }

    pub fn write_report(&self) -> Outcome<PathBuf> {
        let path = self.folder.join("report.md");
        fs::write(&path, self.table()).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_what_tests_print() {
        let mut figures = Figures::default();
        figures.read(
            "test a ... trust: count=160 faults=41\nok\ntest result: ok. 3 passed; 0 failed; 1 ignored\n\
             trust: count=2\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\n",
        );
        assert_eq!(figures, Figures { tests: 6, failed: 2, count: 162, faults: 41, seconds: 0 });
    }

    #[test]
    fn state_of_another_run_is_not_used() {
        let folder = std::env::temp_dir().join(format!("xtask-trust-{}", std::process::id()));
        let mut state = State::open(folder.clone(), "one".to_owned(), true).unwrap();
        let figures = Figures { tests: 4, ..Figures::default() };
        state.store("time", &figures).unwrap();
        assert_eq!(State::open(folder.clone(), "one".to_owned(), false).unwrap().find("time"), Some(figures));
        assert_eq!(State::open(folder.clone(), "one".to_owned(), true).unwrap().find("time"), None);
        assert_eq!(State::open(folder.clone(), "two".to_owned(), false).unwrap().find("time"), None);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
