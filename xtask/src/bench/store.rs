//! `cargo xtask bench store`: durable payments a second, by the real use case, on both engines.
//!
//! The variants take turns, so that whatever else the machine does hits all of them alike.

use super::disk::Disk;
use super::figure::{machine, median, per_second, ratio, thousandths};
use super::pgbench::{pgbench, transactions_per_second};
use super::{TempDir, build, rounds};
use crate::postgres::{Installed, Postgres};
use crate::process::{Outcome, read, step};
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
    /// Of the measured process alone, for one payment, in nanoseconds.
    processor_nanos: u64,
    p50_micros: u64,
    p99_micros: u64,
    /// Payments for each time the disk was waited for, in tenths.
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

    fn middle(&self, of: impl Fn(&Run) -> u64) -> u64 {
        median(self.runs.iter().map(of))
    }

    fn rate(&self) -> u64 {
        self.middle(|run| run.per_second)
    }
}

/// What all runs share.
struct Bench {
    program: PathBuf,
    temp_dir: TempDir,
    disk: Disk,
    seconds: String,
}

pub fn run(quick: bool, with_postgres: bool) -> Outcome {
    let program = step("dist build", || build("trapeza-bench"))?;
    let temp_dir = TempDir::new("store")?;
    let disk = Disk::make(&temp_dir.0)?;
    let seconds = if quick { "2" } else { "5" }.to_owned();
    let bench = Bench { program, temp_dir, disk, seconds };
    println!("before: {}", machine());
    let sqlite = step("SQLite", || bench.sqlite(rounds(quick)))?;
    let postgres = match with_postgres {
        true => Some(step("PostgreSQL", || bench.postgres(rounds(quick)))?),
        false => None,
    };
    println!("after: {}\n", machine());
    let quick_word = if quick { " --quick" } else { "" };
    println!(
        "cargo xtask bench store{quick_word}: median of {} runs of {} s; {ACCOUNTS} accounts, one internal transfer a \
         payment (8 statements); {SQLITE_CALLERS} callers on SQLite, one where each has a commit, {POSTGRES_CLIENTS} on \
         PostgreSQL\n",
        rounds(quick),
        bench.seconds,
    );
    print_table(sqlite.iter().chain(postgres.iter().flatten()));
    print_ratios(&sqlite, postgres.as_ref());
    println!(
        "\nThe books were checked after every run of ours and were sound; no payment is counted that failed."
    );
    Ok(())
}

impl Bench {
    /// Group commit, a commit each, both on a slowed disk, and bare SQLite in batches of the size that ours had.
    fn sqlite(&self, rounds: usize) -> Outcome<[Variant; 5]> {
        let mut variants = [
            Variant::new("SQLite, group commit"),
            Variant::new("SQLite, a commit each"),
            Variant::new("SQLite, group commit, +2 ms an fsync"),
            Variant::new("SQLite, a commit each, +2 ms an fsync"),
            Variant::new("SQLite, bare loop, batches as ours"),
        ];
        let template = self.temp_dir.0.join("template.db");
        read(self.child(&template.to_string_lossy()).args(["prepare", "--accounts", &ACCOUNTS.to_string()]))?;
        for round in 0..rounds {
            println!("round {} of {rounds}", round + 1);
            // A single client shares neither a commit nor an fsync.
            let loads = [(SQLITE_CALLERS, 0), (1, 0), (SQLITE_CALLERS, SLOW_MICROS), (1, SLOW_MICROS)];
            for (number, (callers, delay)) in loads.into_iter().enumerate() {
                let load = ["payments", "--callers", &callers.to_string()];
                variants[number].runs.push(self.on_copy(&template, &load, delay)?);
            }
            let ours = variants[0].runs[round].per_fsync_tenths.div_ceil(10).max(1).to_string();
            variants[4].runs.push(self.on_copy(&template, &["bare", "--batch", &ours], 0)?);
        }
        Ok(variants)
    }

    /// Our payments and pgbench's default transaction, on one server, at the same number of clients.
    fn postgres(&self, rounds: usize) -> Outcome<[Variant; 2]> {
        let installed = Installed::find_or_install()?;
        let server = Postgres::start(&installed)?;
        let clients = POSTGRES_CLIENTS.to_string();
        read(self.child(&server.url).args(["prepare", "--accounts", &ACCOUNTS.to_string()]))?;
        read(pgbench(&installed, &server)?.args(["-i", "-q", "-s", &clients]))?;
        let mut variants =
            [Variant::new("PostgreSQL"), Variant::new("PostgreSQL, pgbench's own transaction")];
        for round in 0..rounds {
            println!("round {} of {rounds}", round + 1);
            let mut ours = self.child(&server.url);
            ours.args(["payments", "--callers", &clients, "--seconds", &self.seconds]);
            variants[0].runs.push(measured(&read(&mut ours)?, None)?);
            let mut theirs = pgbench(&installed, &server)?;
            theirs.args(["-n", "-M", "prepared", "-c", &clients, "-j", "2", "-T", &self.seconds]);
            let per_second = transactions_per_second(&read(&mut theirs)?)?;
            variants[1].runs.push(Run { per_second, ..Run::default() });
        }
        Ok(variants)
    }

    /// A run on a fresh copy of the prepared bank, through the counting library.
    fn on_copy(&self, template: &Path, load: &[&str], delay_micros: u64) -> Outcome<Run> {
        let dir = self.temp_dir.0.join("run");
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let file = dir.join("trapeza.db");
        std::fs::copy(template, &file).map_err(|e| format!("{}: {e}", file.display()))?;
        // What was copied is not on the disk yet, and would get there while we measure.
        read(Command::new("sync").arg("-f").arg(&file))?;
        let mut child = self.child(&file.to_string_lossy());
        child.args(load).args(["--seconds", &self.seconds]);
        let reported = read(self.disk.under(&mut child, delay_micros))?;
        let run = measured(&reported, Some(self.disk.fsyncs()?))?;
        std::fs::remove_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        Ok(run)
    }

    fn child(&self, place: &str) -> Command {
        let mut child = Command::new(&self.program);
        child.env("TRAPEZA_BENCH_PLACE", place);
        child
    }
}

/// Reads the line a child printed. A run after which the books are wrong is no measurement.
fn measured(reported: &str, fsyncs: Option<u64>) -> Outcome<Run> {
    let reported: Value = serde_json::from_str(reported).map_err(|e| format!("{reported:?}: {e}"))?;
    let number = |name: &str| reported[name].as_u64().ok_or(format!("{reported}: no {name}"));
    if reported.get("sound").is_some_and(|sound| sound != true) {
        return Err(format!("the books are wrong after a run: {reported}"));
    }
    let payments = number("payments")?;
    let all = payments + number("outside")?;
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
        let known = |value: u64, shown: String| if value == 0 { "–".to_owned() } else { shown };
        let processor = variant.middle(|run| run.processor_nanos);
        let (p50, p99) = (variant.middle(|run| run.p50_micros), variant.middle(|run| run.p99_micros));
        let tenths = variant.middle(|run| run.per_fsync_tenths);
        println!(
            "{:<40} {:>10} {:>9} {:>9} {:>9} {:>9} {:>7}",
            variant.name,
            variant.rate(),
            known(processor, thousandths(processor)),
            known(p50, thousandths(p50)),
            known(p99, thousandths(p99)),
            known(tenths, format!("{}.{}", tenths / 10, tenths % 10)),
            variant.runs.iter().map(|run| run.failed).sum::<u64>(),
        );
    }
}

fn print_ratios(sqlite: &[Variant; 5], postgres: Option<&[Variant; 2]>) {
    let [group, each, slow_group, slow_each, bare] = sqlite;
    println!();
    println!("group commit / a commit each                    {}", ratio(group.rate(), each.rate()));
    println!(
        "group commit / a commit each, +2 ms an fsync    {}   (goal: 10 or more)",
        ratio(slow_group.rate(), slow_each.rate())
    );
    println!("ours / bare SQLite                              {}", ratio(group.rate(), bare.rate()));
    if let Some([ours, theirs]) = postgres {
        println!(
            "ours / pgbench on PostgreSQL                    {}   (goal: 0.50 or more)",
            ratio(ours.rate(), theirs.rate())
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_with_an_inconsistent_ledger_is_refused() {
        let reported = |sound: bool| {
            format!(
                r#"{{"payments":900,"outside":100,"failed":0,"wall_micros":3000000,"processor_micros":90000,
                     "p50_micros":5,"p99_micros":7,"sound":{sound}}}"#
            )
        };
        let run = measured(&reported(true), Some(10)).map_err(|_| ()).unwrap();
        assert_eq!((run.per_second, run.processor_nanos, run.per_fsync_tenths), (300, 100_000, 1000));
        assert!(measured(&reported(false), Some(10)).is_err());
    }
}
