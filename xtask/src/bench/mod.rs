//! `cargo xtask bench`: measures the dist build, compared with a bare program in the same run.
//!
//! No benchmark fails because something was slow: machines differ. A run whose requests failed, or whose ledger is inconsistent
//! afterwards, is an error.

mod basket;
mod callback;
pub mod client;
mod compare;
mod disk;
mod figure;
mod flow;
mod payment;
mod pgbench;
pub mod program;
mod read;
mod scale;
mod start;
mod store;
mod wrk;

use crate::process::{Outcome, cargo, root, run as run_program};
use clap::Subcommand;
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum Benchmark {
    /// Measure durable payments per second: group commit, one commit per payment, a delayed disk, plain SQLite, pgbench.
    Store {
        /// Make one short run instead of taking the median of five.
        #[arg(long)]
        quick: bool,
        /// Omit PostgreSQL and pgbench.
        #[arg(long)]
        only_sqlite: bool,
    },
    /// Measure reads per second over HTTP, compared with a bare server with the same responses. Needs wrk.
    Read {
        /// Make three short runs instead of five of ten seconds.
        #[arg(long)]
        quick: bool,
        /// Measure a page of an account with 10 million entries as well; its creation takes some minutes.
        #[arg(long)]
        large: bool,
    },
    /// Measure callbacks per second to 20 receivers on loopback, signed and recorded.
    Callback {
        /// Make one short run on each engine instead of taking the median of five.
        #[arg(long)]
        quick: bool,
        /// Omit PostgreSQL.
        #[arg(long)]
        only_sqlite: bool,
    },
    /// Measure created baskets per second over HTTP, durable and with their QR codes, compared with a bare server. Needs wrk.
    Basket {
        /// Make three short runs instead of five of ten seconds.
        #[arg(long)]
        quick: bool,
    },
    /// Measure payments per second over HTTP: initiated, compared with a bare server and pgbench, and executed. Needs wrk.
    Payment {
        /// Make one short run instead of taking the median of five of ten seconds.
        #[arg(long)]
        quick: bool,
        /// Omit PostgreSQL and pgbench.
        #[arg(long)]
        only_sqlite: bool,
    },
    /// Measure whole flows per second over HTTP, approved in the app: payments until they are executed, consents until the first read.
    Flow {
        /// Make one short run instead of taking the median of five of ten seconds.
        #[arg(long)]
        quick: bool,
    },
    /// Measure the time from the start of the program to its first response, and its memory when idle.
    Start {
        /// Make one start of each kind instead of taking the median of five.
        #[arg(long)]
        quick: bool,
    },
    /// Measure balances, pages, payments and baskets on SQLite, in turn with the program of another version. Needs wrk.
    Compare {
        /// The other program, built with its own profile for benchmarks.
        program: PathBuf,
        /// Make three rounds of one second instead of nine of two.
        #[arg(long)]
        quick: bool,
    },
    /// Measure how long a sandbox with a large account takes to create, and its size.
    Scale {
        #[arg(default_value_t = 10_000_000)]
        entries: u64,
    },
}

pub fn run(benchmark: &Benchmark) -> Outcome {
    match benchmark {
        Benchmark::Store { quick, only_sqlite } => store::run(*quick, !*only_sqlite),
        Benchmark::Read { quick, large } => read::run(*quick, *large),
        Benchmark::Basket { quick } => basket::run(*quick),
        Benchmark::Callback { quick, only_sqlite } => callback::run(*quick, !*only_sqlite),
        Benchmark::Payment { quick, only_sqlite } => payment::run(*quick, !*only_sqlite),
        Benchmark::Flow { quick } => flow::run(*quick),
        Benchmark::Start { quick } => start::run(*quick),
        Benchmark::Compare { program, quick } => compare::run(program, *quick),
        Benchmark::Scale { entries } => scale::run(*entries),
    }
}

/// The number of runs.
fn run_count(quick: bool) -> usize {
    if quick { 1 } else { 5 }
}

/// Builds the programs of the benchmarks with the dist profile and returns the path of one. They are built together: with other
/// features for each, their dependencies would be compiled twice.
fn build(package: &str) -> Outcome<PathBuf> {
    run_program(cargo().args([
        "build",
        "--profile",
        "dist",
        "--quiet",
        "-p",
        "trapeza",
        "-p",
        "trapeza-bench",
    ]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(root().join(target).join("dist").join(package))
}

/// A directory on the disk of the workspace: the system's directory for temporary files may be in memory, where an fsync costs nothing.
struct TempDir(PathBuf);

impl TempDir {
    fn new(name: &str) -> Outcome<Self> {
        let path = root().join("target").join(format!("bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        if let Err(e) = std::fs::remove_dir_all(&self.0) {
            eprintln!("xtask: {} cannot be removed: {e}", self.0.display());
        }
    }
}
