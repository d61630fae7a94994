//! `cargo xtask trust`: what tries to break the bank, in phases, ending with a table.
//!
//! A phase that has passed at the same commit is not run again, so that an interrupted run continues.

mod audit_action;
mod cluster;
mod phase;
mod report;
mod soak;

use crate::client;
use crate::postgres::{Installed, Postgres, Storage};
use crate::process::{Outcome, capture_stdout, cargo, root, run, step};
use phase::{PHASES, Phase, Suite};
use report::{Figures, State};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

#[derive(clap::Args)]
pub struct Options {
    /// As often as in `cargo xtask test`: about ten minutes.
    #[arg(long)]
    quick: bool,
    /// Only this phase; may be given several times.
    #[arg(long)]
    phase: Vec<String>,
    /// The seed that a failed run printed, for the phases `model`, `fuzz` and `schema`.
    #[arg(long)]
    seed: Option<u64>,
    /// Run phases again that have passed.
    #[arg(long)]
    restart: bool,
    /// Print the phases.
    #[arg(long)]
    list: bool,
    /// Run the phase `cluster` in the namespaces that it has created.
    #[arg(long, hide = true)]
    cluster_kills: Option<u32>,
}

pub fn run_all(options: &Options) -> Outcome {
    if let Some(kills) = options.cluster_kills {
        return cluster::inside(kills);
    }
    if options.list {
        PHASES.iter().for_each(|phase| println!("{:10} {}", phase.name, phase.run));
        return Ok(());
    }
    let chosen = chosen(&options.phase)?;
    let mut state = State::open(root().join("target").join("trust"), key(options)?, options.restart)?;
    let installed = step("PostgreSQL is installed", Installed::find_or_install)?;
    step("schemathesis is installed", client::install)?;
    // Tests of processes start the program; soak and overload build what they need.
    if chosen.iter().any(|phase| !matches!(phase.name, "soak" | "overload")) {
        step("build the program", || run(cargo().args(["build", "--package", "trapeza", "--quiet"])))?;
    }
    for package in packages(&chosen) {
        let build = ["test", "--no-run", "--quiet", "--package", package, "--test", "integration"];
        step(&format!("build the tests of {package}"), || run(cargo().args(build)))?;
    }
    let server = step("PostgreSQL is started", || Postgres::start(&installed, Storage::Disk))?;
    let mut failed = Vec::new();
    for phase in chosen {
        if state.find(phase.name).is_some_and(|figures| figures.failed == 0) {
            println!("── {}: has passed", phase.name);
            continue;
        }
        let figures = phase_run(phase, options, &server)?;
        if figures.failed > 0 {
            failed.push(phase.name);
        }
        state.store(phase.name, &figures)?;
        state.write_report()?;
    }
    println!("\n{}", state.table());
    println!("── {}", state.write_report()?.display());
    if failed.is_empty() { Ok(()) } else { Err(format!("violations in: {}", failed.join(", "))) }
}

fn chosen(names: &[String]) -> Outcome<Vec<&'static Phase>> {
    if let Some(unknown) = names.iter().find(|name| PHASES.iter().all(|phase| phase.name != **name)) {
        let known: Vec<&str> = PHASES.iter().map(|phase| phase.name).collect();
        return Err(format!("unknown phase {unknown}; expected one of {}", known.join(", ")));
    }
    let is_chosen = |phase: &&Phase| names.is_empty() || names.iter().any(|name| name == phase.name);
    Ok(PHASES.iter().filter(is_chosen).collect())
}

fn packages(phases: &[&Phase]) -> BTreeSet<&'static str> {
    phases.iter().flat_map(|phase| phase.suites).map(|suite| suite.package).collect()
}

/// What identifies a run: commit, changes, mode and seed.
fn key(options: &Options) -> Outcome<String> {
    let git = |words: &[&str]| capture_stdout(Command::new("git").args(words).current_dir(root()));
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?.trim().to_owned();
    let changed = if git(&["status", "--porcelain"])?.trim().is_empty() { "" } else { " with changes" };
    let mode = if options.quick { "quick" } else { "full" };
    let seed = options.seed.map_or(String::new(), |seed| format!(", seed {seed}"));
    Ok(format!("commit {commit}{changed}, {mode}{seed}"))
}

fn phase_run(phase: &Phase, options: &Options, server: &Postgres) -> Outcome<Figures> {
    let factor = if options.quick { phase.quick } else { phase.full };
    println!("── {}: {}, {factor} times", phase.name, phase.run);
    let (start, mut figures, mut log) = (Instant::now(), Figures::default(), String::new());
    for suite in phase.suites {
        let output = suite_run(suite, factor, options.seed, server)?;
        figures.read(&output);
        log.push_str(&output);
    }
    match phase.name {
        "cluster" => (figures, log) = cluster::run(factor)?,
        "soak" => (figures, log) = soak::soak(factor)?,
        "overload" => (figures, log) = soak::overload(factor, &server.url)?,
        "tables" => {
            let untested = audit_action::untested()?;
            untested.iter().for_each(|action| println!("no test has the audit event {action}"));
            figures.failed += u64::try_from(untested.len()).unwrap_or(u64::MAX);
        }
        _ => {}
    }
    figures.seconds = start.elapsed().as_secs();
    let path = root().join("target").join("trust").join(format!("{}.log", phase.name));
    fs::write(&path, log).map_err(|e| format!("{}: {e}", path.display()))?;
    let word = if figures.failed == 0 { "ok" } else { "FAILED" };
    println!("── {}: {word} in {} s, {}", phase.name, figures.seconds, path.display());
    Ok(figures)
}

/// Runs the tests of a suite and returns what they printed; a suite without tests is an error, because its name is wrong.
fn suite_run(suite: &Suite, factor: u32, seed: Option<u64>, server: &Postgres) -> Outcome<String> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", suite.package, "--test", "integration"]);
    command.args(["--", suite.filter, "--nocapture", "--format=pretty"]);
    command.env("TRAPEZA_TEST_FACTOR", factor.to_string()).env("TRAPEZA_TEST_POSTGRES", &server.url);
    if let Some(seed) = seed {
        command.env("TRAPEZA_TEST_SEED", seed.to_string());
    }
    let output = output_read(&mut command)?;
    let mut figures = Figures::default();
    figures.read(&output);
    if figures.tests == 0 {
        return Err(format!("{} of {} has no tests", suite.filter, suite.package));
    }
    Ok(output)
}

/// Runs a program and returns what it printed, which is also shown while it runs. Its status does not matter.
fn output_read(command: &mut Command) -> Outcome<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|e| format!("cannot start {name}: {e}"))?;
    let mut output = String::new();
    for line in BufReader::new(child.stdout.take().expect("the output is piped")).lines() {
        let line = line.map_err(|e| format!("{name}: {e}"))?;
        println!("{line}");
        std::io::stdout().flush().map_err(|e| e.to_string())?;
        output.push_str(&line);
        output.push('\n');
    }
    child.wait().map_err(|e| format!("{name}: {e}"))?;
    Ok(output)
}
