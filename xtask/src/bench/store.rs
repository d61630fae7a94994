//! `cargo xtask bench store`: durable payments per second through the use case, on both engines.
//!
//! The variants are measured in turn, so that other work of the machine affects all of them alike.

use super::disk::Disk;
use super::figure::{format_thousandths, machine_load, median, per_second, ratio};
use super::pgbench::{pgbench, transactions_per_second};
use super::{TempDir, build, run_count};
use crate::postgres::{Installed, Postgres, Storage};
use crate::process::{Outcome, capture_stdout, step};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const ACCOUNTS: u32 = 1000;
const SQLITE_CALLERS: u32 = 256;
const POSTGRES_CLIENTS: u32 = 16;
const SLOW_MICROS: u64 = 2000;

/// One measured run.
#[derive(Clone, Copy, Default)]
struct Run {
    per_second: u64,
    /// The processor time of the measured process per payment in nanoseconds.
    processor_nanos: u64,
    p50_micros: u64,
    p99_micros: u64,
    /// Payments per fsync, in tenths.
    per_fsync_tenths: u64,
    failed: u64,
}

struct Variant {
    name: &'static str,
    runs: Vec<Run>,
}

impl Variant {
    const fn new(name: &'static str) -> Self {
        Self { name, runs: Vec::new() }
    }

    fn median(&self, of: impl Fn(&Run) -> u64) -> u64 {
        median(self.runs.iter().map(of))
    }

    fn rate(&self) -> u64 {
        self.median(|run| run.per_second)
    }
}

/// The parts that all runs share.
struct Bench {
    program: PathBuf,
    temp_dir: TempDir,
    disk: Disk,
    seconds: String,
}

pub fn run(quick: bool, with_postgres: bool) -> Outcome {
    let program = step("dist build", || build("trapeza-bench"))?;
    let temp_dir = TempDir::new("store")?;
    let disk = Disk::compile(&temp_dir.0)?;
    let seconds = if quick { "2" } else { "5" }.to_owned();
    let bench = Bench { program, temp_dir, disk, seconds };
    println!("before: {}", machine_load());
    let sqlite = step("SQLite", || bench.sqlite(run_count(quick)))?;
    let postgres = match with_postgres {
        true => Some(step("PostgreSQL", || bench.postgres(run_count(quick)))?),
        false => None,
    };
    println!("after: {}\n", machine_load());
    let quick_flag = if quick { " --quick" } else { "" };
    println!(
        "cargo xtask bench store{quick_flag}: median of {} runs of {} s; {ACCOUNTS} accounts, one internal transfer per \
         payment (8 statements); {SQLITE_CALLERS} callers on SQLite, one without group commit, {POSTGRES_CLIENTS} on \
         PostgreSQL\n",
        run_count(quick),
        bench.seconds,
    );
    print_table(sqlite.iter().chain(postgres.iter().flatten()));
    print_ratios(&sqlite, postgres.as_ref());
    println!(
        "\nThe ledger was checked after every run of the product and was consistent; failed payments are not counted."
    );
    Ok(())
}

impl Bench {
    /// Group commit, one commit per payment, both with a delayed fsync, and plain SQLite with batches of the same size.
    fn sqlite(&self, rounds: usize) -> Outcome<[Variant; 5]> {
        let mut variants = [
            Variant::new("SQLite, group commit"),
            Variant::new("SQLite, single commits"),
            Variant::new("SQLite, group commit, +2 ms per fsync"),
            Variant::new("SQLite, single commits, +2 ms per fsync"),
            Variant::new("plain SQLite, batches of the same size"),
        ];
        let template = self.temp_dir.0.join("template.db");
        capture_stdout(self.child(&template.to_string_lossy()).args([
            "prepare",
            "--accounts",
            &ACCOUNTS.to_string(),
        ]))?;
        for round in 0..rounds {
            println!("round {} of {rounds}", round + 1);
            // A single caller shares neither commit nor fsync.
            let loads = [(SQLITE_CALLERS, 0), (1, 0), (SQLITE_CALLERS, SLOW_MICROS), (1, SLOW_MICROS)];
            for (number, (callers, delay)) in loads.into_iter().enumerate() {
                let load = ["payments", "--callers", &callers.to_string()];
                variants[number].runs.push(self.run_on_copy(&template, &load, delay)?);
            }
            let ours = variants[0].runs[round].per_fsync_tenths.div_ceil(10).max(1).to_string();
            variants[4].runs.push(self.run_on_copy(&template, &["bare", "--batch", &ours], 0)?);
        }
        Ok(variants)
    }

    /// Payments and the default transaction of pgbench on one server with the same number of clients.
    fn postgres(&self, rounds: usize) -> Outcome<[Variant; 2]> {
        let installed = Installed::find_or_install()?;
        let server = Postgres::start(&installed, Storage::Disk)?;
        let clients = POSTGRES_CLIENTS.to_string();
        capture_stdout(self.child(&server.url).args(["prepare", "--accounts", &ACCOUNTS.to_string()]))?;
        capture_stdout(pgbench(&installed, &server)?.args(["-i", "-q", "-s", &clients]))?;
        let mut variants = [Variant::new("PostgreSQL"), Variant::new("PostgreSQL, transaction of pgbench")];
        for round in 0..rounds {
            println!("round {} of {rounds}", round + 1);
            let mut ours = self.child(&server.url);
            ours.args(["payments", "--callers", &clients, "--seconds", &self.seconds]);
            variants[0].runs.push(parse_result(&capture_stdout(&mut ours)?, None)?);
            let mut theirs = pgbench(&installed, &server)?;
            theirs.args(["-n", "-M", "prepared", "-c", &clients, "-j", "2", "-T", &self.seconds]);
            let per_second = transactions_per_second(&capture_stdout(&mut theirs)?)?;
            variants[1].runs.push(Run { per_second, ..Run::default() });
        }
        Ok(variants)
    }

    /// A run on a new copy of the prepared bank, with the preloaded library.
    fn run_on_copy(&self, template: &Path, load: &[&str], delay_micros: u64) -> Outcome<Run> {
        let dir = self.temp_dir.0.join("run");
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let file = dir.join("trapeza.db");
        std::fs::copy(template, &file).map_err(|e| format!("{}: {e}", file.display()))?;
        // Otherwise the copy would be written to the disk during the measurement.
        capture_stdout(Command::new("sync").arg("-f").arg(&file))?;
        let mut child = self.child(&file.to_string_lossy());
        child.args(load).args(["--seconds", &self.seconds]);
        let reported = capture_stdout(self.disk.preload(&mut child, delay_micros))?;
        let run = parse_result(&reported, Some(self.disk.fsyncs()?))?;
        std::fs::remove_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        Ok(run)
    }

    fn child(&self, database: &str) -> Command {
        let mut child = Command::new(&self.program);
        child.env("TRAPEZA_BENCH_DATABASE", database);
        child
    }
}

/// Parses the result of a child. A run with an inconsistent ledger is an error.
fn parse_result(reported: &str, fsyncs: Option<u64>) -> Outcome<Run> {
    let reported: Value = serde_json::from_str(reported).map_err(|e| format!("{reported:?}: {e}"))?;
    let number = |name: &str| reported[name].as_u64().ok_or(format!("{reported}: no {name}"));
    if reported.get("is_consistent").is_some_and(|is_consistent| is_consistent != true) {
        return Err(format!("the ledger is inconsistent after a run: {reported}"));
    }
    let payments = number("payments")?;
    let all = payments + number("unmeasured")?;
    Ok(Run {
        per_second: per_second(payments, number("wall_micros")?),
        processor_nanos: number("processor_micros")?.saturating_mul(1000) / payments.max(1),
        p50_micros: number("p50_micros").unwrap_or(0),
        p99_micros: number("p99_micros").unwrap_or(0),
        per_fsync_tenths: fsyncs.map_or(0, |fsyncs| all * 10 / fsyncs),
        failed: number("failed")?,
    })
}

fn print_table<'a>(variants: impl Iterator<Item = &'a Variant>) {
    println!(
        "{:<40} {:>10} {:>9} {:>9} {:>9} {:>9} {:>7}",
        "", "payments/s", "CPU µs", "p50 ms", "p99 ms", "per fsync", "failed"
    );
    for variant in variants {
        let known = |value: u64, text: String| if value == 0 { "–".to_owned() } else { text };
        let processor = variant.median(|run| run.processor_nanos);
        let (p50, p99) = (variant.median(|run| run.p50_micros), variant.median(|run| run.p99_micros));
        let tenths = variant.median(|run| run.per_fsync_tenths);
        println!(
            "{:<40} {:>10} {:>9} {:>9} {:>9} {:>9} {:>7}",
            variant.name,
            variant.rate(),
            known(processor, format_thousandths(processor)),
            known(p50, format_thousandths(p50)),
            known(p99, format_thousandths(p99)),
            known(tenths, format!("{}.{}", tenths / 10, tenths % 10)),
            variant.runs.iter().map(|run| run.failed).sum::<u64>(),
        );
    }
}

fn print_ratios(sqlite: &[Variant; 5], postgres: Option<&[Variant; 2]>) {
    let [group, each, slow_group, slow_each, bare] = sqlite;
    println!();
    println!("group commit / single commits                   {}", ratio(group.rate(), each.rate()));
    println!(
        "group commit / single commits, +2 ms per fsync  {}   (goal: 10 or more)",
        ratio(slow_group.rate(), slow_each.rate())
    );
    println!("product / plain SQLite                          {}", ratio(group.rate(), bare.rate()));
    if let Some([ours, theirs]) = postgres {
        println!(
            "product / pgbench on PostgreSQL                 {}   (goal: 0.50 or more)",
            ratio(ours.rate(), theirs.rate())
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_with_an_inconsistent_ledger_is_refused() {
        let reported = |is_consistent: bool| {
            format!(
                r#"{{"payments":900,"unmeasured":100,"failed":0,"wall_micros":3000000,"processor_micros":90000,
                     "p50_micros":5,"p99_micros":7,"is_consistent":{is_consistent}}}"#
            )
        };
        let run = parse_result(&reported(true), Some(10)).map_err(|_| ()).unwrap();
        assert_eq!((run.per_second, run.processor_nanos, run.per_fsync_tenths), (300, 100_000, 1000));
        assert!(parse_result(&reported(false), Some(10)).is_err());
    }
}
