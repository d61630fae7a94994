//! The tests that are tried.

use crate::Outcome;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Tests that start a program or a browser, or run for long.
const LEFT_OUT: [&str; 4] = ["process::", "browser::", "model::", "fuzz::"];

pub struct TestBinary {
    path: PathBuf,
    /// Where cargo would run it.
    folder: PathBuf,
}

/// One test, in a process of its own.
#[derive(Clone, Debug)]
pub struct Test {
    binary: PathBuf,
    folder: PathBuf,
    pub name: String,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Passed,
    Failed,
    TimedOut,
}

impl TestBinary {
    /// The binary of tests that a message of cargo names.
    pub fn of_message(message: &Value) -> Option<Self> {
        let path = message["executable"].as_str()?;
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf();
        (message["profile"]["test"] == true).then(|| Self { path: path.into(), folder })
    }
}

/// All tests on SQLite, without those that are left out.
pub fn tests(binaries: &[TestBinary]) -> Outcome<Vec<Test>> {
    let mut tests = Vec::new();
    for TestBinary { path, folder } in binaries {
        let listed = Command::new(path).args(["--list", "--format", "terse"]).current_dir(folder).output();
        let listed = listed.map_err(|e| format!("{}: {e}", path.display()))?.stdout;
        let listed = String::from_utf8_lossy(&listed);
        let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
        let chosen = names.filter(|name| {
            !name.to_ascii_lowercase().contains("postgres")
                && !LEFT_OUT.iter().any(|left| name.starts_with(left))
        });
        tests.extend(chosen.map(|name| Test {
            binary: path.clone(),
            folder: folder.clone(),
            name: name.to_owned(),
        }));
    }
    Ok(tests)
}

impl Test {
    /// Runs it with a variable of the environment.
    pub fn run(&self, variable: (&str, &str), limit: Duration) -> Outcome<End> {
        let mut command = Command::new(&self.binary);
        command.args(["--exact", &self.name]).env(variable.0, variable.1);
        command.env("CARGO_MANIFEST_DIR", &self.folder).current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|e| format!("{}: {e}", self.binary.display()))?;
        wait(child, limit)
    }
}

fn wait(mut child: Child, limit: Duration) -> Outcome<End> {
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) if status.success() => return Ok(End::Passed),
            Some(_) => return Ok(End::Failed),
            None if start.elapsed() > limit => {
                child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
                return Ok(End::TimedOut);
            }
            None => std::thread::sleep(Duration::from_millis(3)),
        }
    }
}
