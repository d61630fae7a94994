//! `cargo xtask bench start`: from the start of the program to its first answer, and its memory at rest.

use super::figure::{machine, median, thousandths};
use super::program::Program;
use super::{TempDir, build, rounds};
use crate::process::{Outcome, step};
use std::path::Path;
use std::time::Duration;

/// How long a program has nothing to do before its memory is looked at.
const REST: Duration = Duration::from_secs(5);

/// One start.
struct Seen {
    to_answer_micros: u64,
    resident_kib: u64,
}

pub fn run(quick: bool) -> Outcome {
    let program = step("release build", || build("trapeza"))?;
    let temp_dir = TempDir::new("start")?;
    println!("before: {}", machine());
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for round in 0..rounds(quick) {
        let data = temp_dir.0.join(format!("data-{round}"));
        first.push(step("first start", || watch(&program, &data))?);
        again.push(step("start with existing data", || watch(&program, &data))?);
    }
    println!("after: {}\n", machine());
    println!("cargo xtask bench start: median of {} starts of the release program\n", rounds(quick));
    println!("{:<32} {:>12} {:>22}", "", "to answer", "memory at rest (RSS)");
    print("first start of the sandbox", &first);
    print("start with existing data", &again);
    println!("\ngoals: first start under 3 s, existing data under 150 ms, memory at rest under 40 MiB");
    Ok(())
}

fn watch(program: &Path, data: &Path) -> Outcome<Seen> {
    let running = Program::start(program, data, &[])?;
    std::thread::sleep(REST);
    let to_answer_micros = u64::try_from(running.to_answer.as_micros()).unwrap_or(u64::MAX);
    let seen = Seen { to_answer_micros, resident_kib: running.resident_kib()? };
    running.stop()?;
    Ok(seen)
}

fn print(name: &str, seen: &[Seen]) {
    let micros = median(seen.iter().map(|seen| seen.to_answer_micros));
    let kib = median(seen.iter().map(|seen| seen.resident_kib));
    println!("{name:<32} {:>9} ms {:>18} MiB", thousandths(micros), thousandths(kib * 1000 / 1024));
}
