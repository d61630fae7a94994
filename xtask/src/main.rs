//! Development tasks. `cargo xtask test` is the command that CI runs.
//!
//! The product's crates are not linked in: xtask starts other programs and reads files, so that it builds in seconds.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program is used in a terminal")]

mod alerts;
mod bench;
mod browser;
mod client;
mod dist;
mod generate;
mod identity_provider;
mod npm;
mod postgres;
mod process;
mod test;
mod tidy;
mod trust;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tests, checks, benchmarks and generated files of Trapeza")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every check and every test, on both engines.
    Test {
        /// Skip formatting, tidiness and lints.
        #[arg(long)]
        only_tests: bool,
        /// Passed on to the test runner.
        #[arg(last = true)]
        runner: Vec<String>,
    },
    /// Run the repeating tests (crashes, races, guessing) many times as often.
    Stress {
        /// Factor by which repetitions are multiplied.
        #[arg(long, default_value = "10")]
        factor: u32,
    },
    /// Try to break the bank in phases, and write what was found to target/trust/report.md.
    Trust(trust::Options),
    /// Try mutants of the domain and the app against the tests that reach them.
    Mutants {
        /// Files or folders such as crates/trapeza-app/src/sca, and options: `-- --help`.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Start a temporary PostgreSQL and print its URL; Ctrl-C stops it.
    Postgres,
    /// Install what the browser tests need: Chromium, its driver, axe-core.
    Browser,
    /// Install the OpenID Connect provider with which the sign-in of staff is tested.
    IdentityProvider,
    /// Install what checks the clients and the OpenAPI documents: mypy, schemathesis, datamodel-codegen, tsc, newman.
    ClientTools,
    /// Check and test the alert rules with promtool.
    Alerts,
    /// Make what is delivered, in target/package: program, Debian package, SBOM, licences, checksums.
    Dist(dist::Options),
    /// Install, start, upgrade and remove the Debian package of the dev build in a machine of its own. Needs root.
    InstallTest,
    /// Check rules that no compiler checks.
    Tidy,
    /// Generate the generated files.
    Gen {
        /// Only compare; fail if a file is stale.
        #[arg(long)]
        check: bool,
    },
    /// Measure the dist build, compared with a bare program in the same run.
    Bench {
        #[command(subcommand)]
        benchmark: bench::Benchmark,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Test { only_tests, runner } => test::everything(only_tests, &runner),
        Task::Stress { factor } => test::stress(factor),
        Task::Trust(options) => trust::run_all(&options),
        Task::Mutants { arguments } => mutants(&arguments),
        Task::Postgres => postgres::show(),
        Task::Browser => browser::find_or_install(),
        Task::IdentityProvider => identity_provider::find_or_install(),
        Task::ClientTools => client::install(),
        Task::Alerts => alerts::check(),
        Task::Dist(options) => dist::run_all(&options),
        Task::InstallTest => dist::install_test(),
        Task::Tidy => tidy::run(),
        Task::Gen { check } => generate::run(check),
        Task::Bench { benchmark } => bench::run(&benchmark),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// A program of its own, so that nothing else waits for the parser of Rust to be built.
fn mutants(arguments: &[String]) -> process::Outcome {
    let build = ["run", "--quiet", "--package", "trapeza-mutants", "--"];
    process::run(process::cargo().args(build).args(arguments))
}
