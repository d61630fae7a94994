//! `cargo xtask bench start`: the time from the start of the program to its first response, and its memory when idle.

use super::figure::{format_thousandths, machine_load, median};
use super::program::Program;
use super::{TempDir, build, run_count};
use crate::process::{Outcome, step};
use std::path::Path;
use std::time::Duration;

/// How long a program is idle before its memory is read.
const IDLE: Duration = Duration::from_secs(5);

/// One start.
struct StartResult {
    response_micros: u64,
    resident_kib: u64,
}

pub fn run(quick: bool) -> Outcome {
    let program = step("dist build", || build("trapeza"))?;
    let temp_dir = TempDir::new("start")?;
    println!("before: {}", machine_load());
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for round in 0..run_count(quick) {
        let data = temp_dir.0.join(format!("data-{round}"));
        first.push(step("first start", || measure(&program, &data))?);
        again.push(step("start with existing data", || measure(&program, &data))?);
    }
    println!("after: {}\n", machine_load());
    println!("cargo xtask bench start: median of {} starts of the dist build\n", run_count(quick));
    println!("{:<32} {:>12} {:>22}", "", "to response", "idle memory (RSS)");
    print("first start of the sandbox", &first);
    print("start with existing data", &again);
    println!("\ngoals: first start under 3 s, existing data under 150 ms, idle memory under 40 MiB");
    Ok(())
}

fn measure(program: &Path, data: &Path) -> Outcome<StartResult> {
    let running = Program::start(program, data, &[])?;
    std::thread::sleep(IDLE);
    let response_micros = u64::try_from(running.time_to_response.as_micros()).unwrap_or(u64::MAX);
    let result = StartResult { response_micros, resident_kib: running.resident_kib()? };
    running.stop()?;
    Ok(result)
}

fn print(name: &str, results: &[StartResult]) {
    let micros = median(results.iter().map(|result| result.response_micros));
    let kib = median(results.iter().map(|result| result.resident_kib));
    println!(
        "{name:<32} {:>9} ms {:>18} MiB",
        format_thousandths(micros),
        format_thousandths(kib * 1000 / 1024)
    );
}
