//! `cargo xtask bench`: measures the release build and prints what it saw, beside something bare in the same run.
//!
//! Nothing here fails because something was slow: machines differ. What fails is a run that proves nothing, such as
//! one after which the books do not add up.

mod basket;
mod callback;
mod client;
mod disk;
mod figure;
mod payment;
mod pgbench;
mod program;
mod read;
mod scale;
mod start;
mod store;
mod wrk;

use crate::process::{Outcome, cargo, root, run as run_program};
use clap::Subcommand;
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum What {
    /// Durable payments a second: group commit against a commit each, a slowed disk, bare SQLite, pgbench.
    Store {
        /// One short run of each instead of the median of five.
        #[arg(long)]
        quick: bool,
        /// Leave PostgreSQL and pgbench out.
        #[arg(long)]
        only_sqlite: bool,
    },
    /// Reads a second over HTTP, beside a bare program that gives the same answers. Needs wrk.
    Read {
        /// Three short runs of each instead of five of ten seconds.
        #[arg(long)]
        quick: bool,
        /// Also a page of an account of 10 million entries, which takes some minutes to make.
        #[arg(long)]
        large: bool,
    },
    /// Callbacks a second to 20 receivers on loopback, signed and recorded.
    Callback {
        /// One short run on each engine instead of the median of five.
        #[arg(long)]
        quick: bool,
        /// Leave PostgreSQL out.
        #[arg(long)]
        only_sqlite: bool,
    },
    /// Baskets made a second over HTTP, durable, each with its QR code, beside a bare program. Needs wrk.
    Basket {
        /// Three short runs of each instead of five of ten seconds.
        #[arg(long)]
        quick: bool,
    },
    /// Payments a second over HTTP: ordered, beside a bare program and pgbench, and whole, up to the books. Needs wrk.
    Payment {
        /// One short run of each instead of the median of five of ten seconds.
        #[arg(long)]
        quick: bool,
        /// Leave PostgreSQL and pgbench out.
        #[arg(long)]
        only_sqlite: bool,
    },
    /// From the start of the program to its first answer, and its memory at rest.
    Start {
        /// One start of each kind instead of the median of five.
        #[arg(long)]
        quick: bool,
    },
    /// How long a sandbox with a large account takes to make, and how large it is.
    Scale {
        #[arg(default_value_t = 10_000_000)]
        entries: u64,
    },
}

pub fn run(what: &What) -> Outcome {
    match what {
        What::Store { quick, only_sqlite } => store::run(*quick, !*only_sqlite),
        What::Read { quick, large } => read::run(*quick, *large),
        What::Basket { quick } => basket::run(*quick),
        What::Callback { quick, only_sqlite } => callback::run(*quick, !*only_sqlite),
        What::Payment { quick, only_sqlite } => payment::run(*quick, !*only_sqlite),
        What::Start { quick } => start::run(*quick),
        What::Scale { entries } => scale::run(*entries),
    }
}

/// How often each thing is measured.
fn rounds(quick: bool) -> usize {
    if quick { 1 } else { 5 }
}

/// Builds a package's program for release and says where it is.
fn build(package: &str) -> Outcome<PathBuf> {
    run_program(cargo().args(["build", "--release", "--quiet", "--package", package]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(root().join(target).join("release").join(package))
}

/// A directory on the disk the workspace is on: a temporary one may be in memory, where an fsync costs nothing.
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
            eprintln!("xtask: {} is left behind: {e}", self.0.display());
        }
    }
}
