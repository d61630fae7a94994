//! `cargo xtask bench callback`: callbacks per second from the outbox to receivers on loopback, signed and recorded, on both
//! engines.

use super::figure::{machine, median, per_second, thousandths};
use super::{TempDir, build, rounds};
use crate::postgres::{Installed, Postgres};
use crate::process::{Outcome, read, step};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const ENDPOINTS: &str = "20";

#[derive(Default)]
struct Figures {
    per_second: Vec<u64>,
    processor_nanos: Vec<u64>,
}

pub fn run(quick: bool, with_postgres: bool) -> Outcome {
    let program = step("dist build", || build("trapeza-bench"))?;
    let count = if quick { "10000" } else { "30000" };
    let temp_dir = TempDir::new("callback")?;
    println!("before: {}", machine());
    let mut reported = vec![("SQLite", Figures::default())];
    for round in 0..rounds(quick) {
        let file = temp_dir.0.join(format!("{round}.db"));
        measure(&program, &file.to_string_lossy(), count, &mut reported[0].1)?;
    }
    if with_postgres {
        let server = Postgres::start(&Installed::find_or_install()?)?;
        reported.push(("PostgreSQL", Figures::default()));
        for _ in 0..rounds(quick) {
            measure(&program, &server.url, count, &mut reported[1].1)?;
        }
    }
    println!("after: {}\n", machine());
    let quick_flag = if quick { " --quick" } else { "" };
    println!(
        "cargo xtask bench callback{quick_flag}: median of {} runs of {count} callbacks to {ENDPOINTS} receivers in \
         another process, by one courier\n",
        rounds(quick),
    );
    println!("{:<12} {:>12} {:>9}", "", "callbacks/s", "CPU µs");
    for (name, figures) in reported {
        let (rate, processor) = (median(figures.per_second), median(figures.processor_nanos));
        println!("{name:<12} {rate:>12} {:>9}", thousandths(processor));
    }
    println!(
        "\ngoal: 3,000 per second. Every callback was recorded as delivered once; the processor time of the receivers is not counted."
    );
    Ok(())
}

fn measure(program: &Path, database: &str, count: &str, figures: &mut Figures) -> Outcome {
    let mut child = Command::new(program);
    child.env("TRAPEZA_BENCH_DATABASE", database);
    child.args(["callbacks", "--endpoints", ENDPOINTS, "--count", count]);
    let reported = read(&mut child)?;
    let reported: Value = serde_json::from_str(&reported).map_err(|e| format!("{reported:?}: {e}"))?;
    if reported["is_complete"] != true {
        return Err(format!("not every callback was delivered once: {reported}"));
    }
    let number = |name: &str| reported[name].as_u64().ok_or(format!("{reported}: no {name}"));
    let callbacks = number("callbacks")?;
    figures.per_second.push(per_second(callbacks, number("wall_micros")?));
    figures.processor_nanos.push(number("processor_micros")?.saturating_mul(1000) / callbacks.max(1));
    println!("{reported}");
    Ok(())
}
