//! `cargo xtask bench callback`: callbacks per second from the outbox to receivers on loopback, signed and recorded, on both
//! engines.

use super::figure::{format_thousandths, machine_load, median, per_second};
use super::{TempDir, build, run_count};
use crate::postgres::{Installed, Postgres, Storage};
use crate::process::{Outcome, capture_stdout, step};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const ENDPOINTS: &str = "20";

#[derive(Default)]
struct Measurements {
    per_second: Vec<u64>,
    processor_nanos: Vec<u64>,
}

pub fn run(quick: bool, with_postgres: bool) -> Outcome {
    let program = step("dist build", || build("trapeza-bench"))?;
    let count = if quick { "10000" } else { "30000" };
    let temp_dir = TempDir::new("callback")?;
    println!("before: {}", machine_load());
    let mut results = vec![("SQLite", Measurements::default())];
    for round in 0..run_count(quick) {
        let file = temp_dir.0.join(format!("{round}.db"));
        measure(&program, &file.to_string_lossy(), count, &mut results[0].1)?;
    }
    if with_postgres {
        let server = Postgres::start(&Installed::find_or_install()?, Storage::Disk)?;
        results.push(("PostgreSQL", Measurements::default()));
        for _ in 0..run_count(quick) {
            measure(&program, &server.url, count, &mut results[1].1)?;
        }
    }
    println!("after: {}\n", machine_load());
    let quick_flag = if quick { " --quick" } else { "" };
    println!(
        "cargo xtask bench callback{quick_flag}: median of {} runs of {count} callbacks to {ENDPOINTS} receivers in \
         another process, by one courier\n",
        run_count(quick),
    );
    println!("{:<12} {:>12} {:>9}", "", "callbacks/s", "CPU µs");
    for (name, measurements) in results {
        let (rate, processor) = (median(measurements.per_second), median(measurements.processor_nanos));
        println!("{name:<12} {rate:>12} {:>9}", format_thousandths(processor));
    }
    println!(
        "\ngoal: 3,000 per second. Every callback was recorded as delivered once; the processor time of the receivers is not counted."
    );
    Ok(())
}

fn measure(program: &Path, database: &str, count: &str, measurements: &mut Measurements) -> Outcome {
    let mut child = Command::new(program);
    child.env("TRAPEZA_BENCH_DATABASE", database);
    child.args(["callbacks", "--endpoints", ENDPOINTS, "--count", count]);
    let reported = capture_stdout(&mut child)?;
    let reported: Value = serde_json::from_str(&reported).map_err(|e| format!("{reported:?}: {e}"))?;
    if reported["is_complete"] != true {
        return Err(format!("not every callback was delivered once: {reported}"));
    }
    let number = |name: &str| reported[name].as_u64().ok_or(format!("{reported}: no {name}"));
    let callbacks = number("callbacks")?;
    measurements.per_second.push(per_second(callbacks, number("wall_micros")?));
    measurements.processor_nanos.push(number("processor_micros")?.saturating_mul(1000) / callbacks.max(1));
    println!("{reported}");
    Ok(())
}
