//! The workshop: what a developer and the CI run around the product. `cargo xtask test` is the one command that has to pass.
//!
//! Nothing here is part of the program, and the program's crates are not linked in: xtask only starts other
//! programs and reads files, so that it builds in seconds.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a terminal is this program's only reader")]

mod bench;
mod browser;
mod generate;
mod postgres;
mod process;
mod test;
mod tidy;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The workshop of Trapeza: tests, checks, generated files")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every check and every test, on both engines.
    Test {
        /// Leave out formatting, tidiness and lints.
        #[arg(long)]
        only_tests: bool,
        /// Passed on to the test runner.
        #[arg(last = true)]
        runner: Vec<String>,
    },
    /// Run the long forms of the tests of bad luck, races and guessing.
    Trust {
        /// How many times as often as `test` does.
        #[arg(long, default_value = "10")]
        factor: u32,
    },
    /// Start a throw-away PostgreSQL, print its URL and keep it until Ctrl-C.
    Postgres,
    /// Install what the tests of pages need: Chromium, its driver, axe-core.
    Browser,
    /// Check the rules of the house that no compiler checks.
    Tidy,
    /// Write the generated files again.
    Gen {
        /// Write nothing; fail if a file is not what it would become.
        #[arg(long)]
        check: bool,
    },
    /// Measure the dist build, beside something bare in the same run. Asserts nothing about time.
    Bench {
        #[command(subcommand)]
        what: bench::What,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Test { only_tests, runner } => test::everything(only_tests, &runner),
        Task::Trust { factor } => test::trust(factor),
        Task::Postgres => postgres::show(),
        Task::Browser => browser::find_or_install(),
        Task::Tidy => tidy::run(),
        Task::Gen { check } => generate::run(check),
        Task::Bench { what } => bench::run(&what),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}
