//! `cargo xtask test`: every check and every test, cheapest first, both engines always.
//!
//! The tests read `TRAPEZA_TEST_POSTGRES` and make a database each on that server. There is no way to leave
//! PostgreSQL out: a run without it would be green and prove half.

use crate::alerts;
use crate::browser;
use crate::client;
use crate::dist;
use crate::identity_provider;
use crate::postgres::{Installed, Postgres};
use crate::process::{Outcome, cargo, on_path, run, step};
use crate::tidy;
use std::time::Instant;

pub fn everything(only_tests: bool, runner: &[String]) -> Outcome {
    let start = Instant::now();
    all_run(only_tests, runner)?;
    println!("── all passed in {:.1?}", start.elapsed());
    Ok(())
}

fn all_run(only_tests: bool, runner: &[String]) -> Outcome {
    let installed = step("PostgreSQL is installed", Installed::find_or_install)?;
    step("a browser is installed", browser::find_or_install)?;
    step("an identity provider is installed", identity_provider::find_or_install)?;
    step("tools of the clients are installed", client::install)?;
    if !only_tests {
        step("cargo fmt", || run(cargo().args(["fmt", "--all", "--check"])))?;
        step("tidy", tidy::run)?;
        step("alert rules", alerts::check)?;
        step("clippy", || {
            run(cargo().args(["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))
        })?;
    }
    step("build", || run(cargo().args(["build", "--workspace", "--all-targets", "--quiet"])))?;
    if runner.is_empty() {
        step("package", dist::install_test)?;
    }
    let server = step("PostgreSQL is started", || Postgres::start(&installed))?;
    tests_run(&server, runner)
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
    let server = step("PostgreSQL is started", || Postgres::start(&installed))?;
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

fn tests_run(server: &Postgres, runner: &[String]) -> Outcome {
    let nextest = on_path("cargo-nextest").is_some();
    let words: &[&str] = if nextest { &["nextest", "run", "--workspace"] } else { &["test", "--workspace"] };
    // nextest does not run documentation examples. They run first, so that the last lines of a run are those of the tests.
    if nextest && runner.is_empty() {
        step("examples in the documentation", || {
            run(cargo()
                .args(["test", "--workspace", "--doc", "--quiet"])
                .env("TRAPEZA_TEST_POSTGRES", &server.url))
        })?;
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
