//! The status of each mutant, which is stored as soon as it is known, and the table.

use crate::Outcome;
use crate::mutation::Mutant;
use crate::tree::{Tree, folder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write as _};
use std::fs::{self, File, OpenOptions};
use std::io::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    Caught,
    TimedOut,
    Survived,
    /// More tests reach it than were tried.
    SurvivedSome,
    NotReached,
}

impl Status {
    pub fn is_caught(self) -> bool {
        matches!(self, Self::Caught | Self::TimedOut)
    }
}

impl Display for Status {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Caught => "caught",
            Self::TimedOut => "timed out",
            Self::Survived => "survived",
            Self::SurvivedSome => "survived so far",
            Self::NotReached => "not reached",
        })
    }
}

#[derive(Serialize, Deserialize)]
struct Line {
    mutant: String,
    status: Status,
}

/// Results of files that have not changed are used again.
pub struct Results {
    file: File,
    known: BTreeMap<String, Status>,
}

impl Results {
    pub fn open() -> Outcome<Self> {
        let path = folder().join("results.jsonl");
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        let mut known = BTreeMap::new();
        for line in fs::read_to_string(&path).unwrap_or_default().lines() {
            // The last line is incomplete when a run was interrupted.
            if let Ok(Line { mutant, status }) = serde_json::from_str(line) {
                known.insert(mutant, status);
            }
        }
        let file = OpenOptions::new().append(true).create(true).open(&path).map_err(failed)?;
        Ok(Self { file, known })
    }

    pub fn of(&self, mutant: &Mutant) -> Option<Status> {
        self.known.get(&mutant.key()).copied()
    }

    pub fn add(&mut self, mutant: &Mutant, status: Status) -> Outcome {
        let key = mutant.key();
        let line = serde_json::to_string(&Line { mutant: key.clone(), status }).map_err(|e| e.to_string())?;
        self.known.insert(key, status);
        writeln!(self.file, "{line}").map_err(|e| e.to_string())
    }

    /// Prints what was not caught and a table by module, and stores both.
    pub fn print(&self, tree: &Tree) -> Outcome {
        let mut text = String::new();
        let mut modules: BTreeMap<String, [usize; 4]> = BTreeMap::new();
        for mutant in tree.viable() {
            let Some(status) = self.of(mutant) else { continue };
            let counts = modules.entry(module(&mutant.file)).or_default();
            counts[0] += 1;
            match status {
                Status::Caught | Status::TimedOut => counts[1] += 1,
                Status::Survived | Status::SurvivedSome => counts[2] += 1,
                Status::NotReached => counts[3] += 1,
            }
            if !status.is_caught() {
                let _ = writeln!(text, "{status}: {} ({})", mutant.name(), mutant.function);
            }
        }
        let _ = writeln!(
            text,
            "\n| module | viable | caught | survived | not reached | caught, % |\n|---|---|---|---|---|---|"
        );
        for (module, [all, caught, survived, not_reached]) in &modules {
            let percent = caught * 100 / (*all).max(1);
            let _ =
                writeln!(text, "| {module} | {all} | {caught} | {survived} | {not_reached} | {percent} |");
        }
        let unviable = tree.mutants.len() - tree.viable().count();
        let _ = writeln!(text, "\n{unviable} mutants do not compile.");
        println!("{text}");
        let path = folder().join("report.md");
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    }
}

/// The package and the first module of a file.
fn module(file: &str) -> String {
    let (package, path) = file.split_once("/src/").unwrap_or(("", file));
    let first = path.split('/').next().unwrap_or(path).trim_end_matches(".rs");
    format!("{}::{first}", package.rsplit('/').next().unwrap_or(package))
}
