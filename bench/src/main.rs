//! The program that `cargo xtask bench` measures: it runs one load on one database for some seconds and prints the result as a
//! line of JSON, or it is the bare server that the product is compared with.
//!
//! Medians, ratios and delayed disks are the task's business.

#![expect(clippy::print_stdout, reason = "the line on the standard output is the result of this program")]

mod bare;
mod callbacks;
mod flow;
mod payments;
mod receive;
mod recorded_response;
mod usage;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// The environment variable of the database: a PostgreSQL URL may contain a password, and arguments are visible to other users.
const DATABASE: &str = "TRAPEZA_BENCH_DATABASE";

#[derive(Parser)]
#[command(
    name = "trapeza-bench",
    about = "One measurement on the database in TRAPEZA_BENCH_DATABASE: a file or a PostgreSQL URL"
)]
struct Arguments {
    #[command(subcommand)]
    load: Load,
}

#[derive(Subcommand)]
enum Load {
    /// Create a bank with funded accounts.
    Prepare {
        #[arg(long)]
        accounts: u32,
    },
    /// Post payments of many concurrent callers, then check the ledger.
    Payments {
        #[arg(long)]
        callers: usize,
        #[arg(long)]
        seconds: u64,
    },
    /// Run the statements of a payment on SQLite in one loop.
    Bare {
        /// Payments per commit.
        #[arg(long)]
        batch: u64,
        #[arg(long)]
        seconds: u64,
    },
    /// Enqueue callbacks and deliver them all.
    Callbacks {
        #[arg(long)]
        endpoints: usize,
        #[arg(long)]
        count: u64,
    },
    /// Run whole flows of many customers over HTTP in a sandbox. Needs no database.
    Flow {
        flow: flow::Flow,
        /// The address of the server.
        #[arg(long)]
        url: String,
        /// The id of the server's process.
        #[arg(long)]
        process: u32,
        /// The sandbox.json of the sandbox.
        #[arg(long)]
        sandbox_file: PathBuf,
        #[arg(long)]
        customers: usize,
        #[arg(long)]
        seconds: u64,
        /// Part of the names of the customers: another one for each run.
        #[arg(long)]
        series: u64,
    },
    /// Receive callbacks on this number of ports until the process ends. Needs no database.
    Receive {
        #[arg(long)]
        endpoints: usize,
    },
    /// Answer every request with the recorded response in a file until the process ends. Needs no database.
    Respond { file: PathBuf },
}

fn main() {
    let database = || std::env::var(DATABASE).expect("TRAPEZA_BENCH_DATABASE is a file or a PostgreSQL URL");
    let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
    let result = match Arguments::parse().load {
        Load::Prepare { accounts } => runtime.block_on(payments::prepare(&database(), accounts)),
        Load::Payments { callers, seconds } => {
            let load = payments::Load { callers, time: Duration::from_secs(seconds) };
            runtime.block_on(payments::run(&database(), load))
        }
        Load::Bare { batch, seconds } => bare::run(&database(), batch, Duration::from_secs(seconds)),
        Load::Callbacks { endpoints, count } => {
            runtime.block_on(callbacks::run(&database(), endpoints, count.into()))
        }
        Load::Flow { flow, url, process, sandbox_file, customers, seconds, series } => {
            let load = flow::Load { flow, process, customers, time: Duration::from_secs(seconds), series };
            runtime.block_on(flow::run(&url, &sandbox_file, load))
        }
        Load::Receive { endpoints } => return runtime.block_on(receive::serve(endpoints)),
        Load::Respond { file } => return runtime.block_on(recorded_response::serve(&file)),
    };
    println!("{result}");
}
