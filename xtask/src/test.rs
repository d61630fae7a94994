//! `cargo xtask test`: every check and every test, cheapest first, both engines always.
//!
//! The tests read `TRAPEZA_TEST_POSTGRES` and make a database each on that server. There is no way to leave
//! PostgreSQL out: a run without it would be green and prove half.

use crate::alerts;
use crate::browser;
use crate::client;
use crate::dist;
use crate::identity_provider;
use crate::postgres::{Installed, Postgres, Storage};
use crate::process::{Outcome, cargo, on_path, root, run, step};
use crate::tidy;
use std::collections::BTreeSet;
use std::fs;
use std::thread;
use std::time::Instant;

pub fn everything(only_tests: bool, runner: &[String]) -> Outcome {
    let start = Instant::now();
    all_run(only_tests, runner)?;
    println!("── all passed in {:.1?}", start.elapsed());
    Ok(())
}

fn all_run(only_tests: bool, runner: &[String]) -> Outcome {
    let installed = step("PostgreSQL is installed", Installed::find_or_install)?;
    // Downloads and compilation use different things.
    thread::scope(|scope| {
        let tools = scope.spawn(tools_install);
        check_and_build(only_tests)?;
        tools.join().map_err(|_| "the installation of tools panicked".to_owned())?
    })?;
    if !only_tests {
        step("alert rules", alerts::check)?;
    }
    if runner.is_empty() {
        step("package", dist::install_test)?;
    }
    let server = step("PostgreSQL is started", || Postgres::start(&installed, Storage::Memory))?;
    tests_run(&server, runner)
}

fn tools_install() -> Outcome {
    step("a browser is installed", browser::find_or_install)?;
    step("an identity provider is installed", identity_provider::find_or_install)?;
    step("tools of the clients are installed", client::install)
}

fn check_and_build(only_tests: bool) -> Outcome {
    if !only_tests {
        step("cargo fmt", || run(cargo().args(["fmt", "--all", "--check"])))?;
        step("tidy", tidy::run)?;
        step("clippy", || {
            run(cargo().args(["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))
        })?;
    }
    step("build", || run(cargo().args(["build", "--workspace", "--all-targets", "--quiet"])))
}

/// How many tests nextest runs at the same time.
const TEST_THREADS: &str = "NEXTEST_TEST_THREADS";

/// Suites that repeat something, so that more repetitions find more.
const REPEATING: [&str; 5] = [
    "process::crash_recovery",
    "concurrency::revocation",
    "http::authorisation",
    "concurrency::payment",
    "process::clearing_cluster",
];

/// Runs those suites with `factor` times as many repetitions, with their output.
pub fn stress(factor: u32) -> Outcome {
    let installed = step("PostgreSQL is installed", Installed::find_or_install)?;
    step("build", || run(cargo().args(["build", "--workspace", "--all-targets", "--quiet"])))?;
    let server = step("PostgreSQL is started", || Postgres::start(&installed, Storage::Memory))?;
    for suite in REPEATING {
        step(suite, || {
            run(cargo()
                .args(["test", "--package", "trapeza-tests", "--test", "integration", "--"])
                .args([&format!("{suite}::"), "--nocapture"])
                .env("TRAPEZA_TEST_FACTOR", factor.to_string())
                .env("TRAPEZA_TEST_POSTGRES", &server.url))
        })?;
    }
    Ok(())
}

/// The packages whose documentation has examples. rustdoc needs up to ten seconds for each of the others to find none.
fn packages_with_examples() -> Outcome<BTreeSet<String>> {
    let mut packages = BTreeSet::new();
    for file in tidy::source_files()? {
        let path = file.to_string_lossy();
        let Some((package, _)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        let text = fs::read_to_string(root().join(&file)).map_err(|e| format!("{path}: {e}"))?;
        if has_example(&text) {
            packages.insert(package.to_owned());
        }
    }
    Ok(packages)
}

/// Whether documentation comments have a block of code that rustdoc runs.
fn has_example(text: &str) -> bool {
    let fences = text.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("/// ```").or_else(|| line.strip_prefix("//! ```"))
    });
    // The others end a block.
    fences.step_by(2).any(|kind| kind.is_empty() || kind.starts_with("rust") || kind.starts_with("no_run"))
}

fn examples_run(server: &Postgres) -> Outcome {
    for package in packages_with_examples()? {
        run(cargo()
            .args(["test", "--doc", "--quiet", "--package", &package])
            .env("TRAPEZA_TEST_POSTGRES", &server.url))?;
    }
    Ok(())
}

fn tests_run(server: &Postgres, runner: &[String]) -> Outcome {
    let nextest = on_path("cargo-nextest").is_some();
    let words: &[&str] = if nextest { &["nextest", "run", "--workspace"] } else { &["test", "--workspace"] };
    // nextest does not run documentation examples. They run first, so that the last lines of a run are those of the tests.
    if nextest && runner.is_empty() {
        step("examples in the documentation", || examples_run(server))?;
    }
    let mut tests = cargo();
    tests.args(words).args(runner).env("TRAPEZA_TEST_POSTGRES", &server.url);
    if std::env::var_os(TEST_THREADS).is_none() {
        // Many tests wait for processes, disks and browsers: twice as many as processors end a sixth sooner on two of them.
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        tests.env(TEST_THREADS, (2 * processors).to_string());
    }
    step("tests", || run(&mut tests))
}

#[cfg(test)]
mod tests {
    use super::has_example;

    #[test]
    fn example_is_code_that_rustdoc_runs() {
        for kind in ["", "rust", "no_run"] {
            assert!(
                has_example(&format!("//! ```text\n//! a\n//! ```\n    /// ```{kind}\n    /// ```\n")),
                "{kind}"
            );
        }
        assert!(!has_example("//! ```text\n//! a\n//! ```\n// ```\n"));
    }
}
