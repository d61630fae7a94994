//! What `cargo xtask bench` starts to be measured: one load on one store for some seconds, reported as one line of JSON, or
//! a bare server to stand beside ours.
//!
//! It knows nothing of medians, ratios or slowed disks: who starts it arranges those around it.

#![expect(clippy::print_stdout, reason = "the line on the standard output is this program's answer")]

mod answer;
mod bare;
mod callbacks;
mod payments;
mod receive;
mod usage;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// The place is read from the environment: a PostgreSQL URL may hold a password, and arguments can be listed.
const PLACE: &str = "TRAPEZA_BENCH_PLACE";

#[derive(Parser)]
#[command(
    name = "trapeza-bench",
    about = "One measurement on the store named by TRAPEZA_BENCH_PLACE: a file or a PostgreSQL URL"
)]
struct Arguments {
    #[command(subcommand)]
    load: Load,
}

#[derive(Subcommand)]
enum Load {
    /// Make a bank with funded accounts.
    Prepare {
        #[arg(long)]
        accounts: u32,
    },
    /// Book payments from many callers at once, then check the books.
    Payments {
        #[arg(long)]
        callers: usize,
        #[arg(long)]
        seconds: u64,
    },
    /// The statements of a payment on bare SQLite, from one loop.
    Bare {
        /// Payments that share a commit.
        #[arg(long)]
        batch: u64,
        #[arg(long)]
        seconds: u64,
    },
    /// Owe callbacks and send them all.
    Callbacks {
        #[arg(long)]
        endpoints: usize,
        #[arg(long)]
        count: u64,
    },
    /// Take callbacks on so many ports, until ended. Needs no store.
    Receive {
        #[arg(long)]
        endpoints: usize,
    },
    /// Give the recorded answer in a file to every request, until ended. Needs no store.
    Answer { file: PathBuf },
}

fn main() {
    let place = || std::env::var(PLACE).expect("TRAPEZA_BENCH_PLACE names a file or a PostgreSQL URL");
    let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
    let reported = match Arguments::parse().load {
        Load::Prepare { accounts } => runtime.block_on(payments::prepare(&place(), accounts)),
        Load::Payments { callers, seconds } => {
            let load = payments::Load { callers, time: Duration::from_secs(seconds) };
            runtime.block_on(payments::run(&place(), load))
        }
        Load::Bare { batch, seconds } => bare::run(&place(), batch, Duration::from_secs(seconds)),
        Load::Callbacks { endpoints, count } => {
            runtime.block_on(callbacks::run(&place(), endpoints, count.into()))
        }
        Load::Receive { endpoints } => return runtime.block_on(receive::serve(endpoints)),
        Load::Answer { file } => return runtime.block_on(answer::serve(&file)),
    };
    println!("{reported}");
}
