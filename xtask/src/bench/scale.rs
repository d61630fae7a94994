//! `cargo xtask bench scale`: creates a sandbox with a large account and prints the time and its size.

use super::figure::{machine_load, per_second};
use super::program::Program;
use super::{TempDir, build};
use crate::process::{Outcome, run as run_program, step};
use std::process::Command;

pub fn run(entries: u64) -> Outcome {
    let program = step("dist build", || build("trapeza"))?;
    let temp_dir = TempDir::new("scale")?;
    let data = temp_dir.0.join("data");
    println!("before: {}", machine_load());
    let running = step("creation of the sandbox", || {
        Program::start(&program, &data, &["--scale", &entries.to_string()])
    })?;
    let micros = u64::try_from(running.time_to_response.as_micros()).unwrap_or(u64::MAX);
    let resident_mib = running.resident_kib()? / 1024;
    running.stop()?;
    let file = data.join("trapeza.db");
    let bytes = std::fs::metadata(&file).map_err(|e| format!("{}: {e}", file.display()))?.len();
    println!("after: {}\n", machine_load());
    println!("cargo xtask bench scale {entries}\n");
    println!("ready in               {} s ({} entries/s)", micros / 1_000_000, per_second(entries, micros));
    println!("database               {} MiB ({} bytes per entry)", bytes >> 20, bytes / entries.max(1));
    println!("memory of the program  {resident_mib} MiB");
    step("ledger check", || {
        run_program(Command::new(&program).args(["ledger", "check", "--data"]).arg(&data))
    })
}
