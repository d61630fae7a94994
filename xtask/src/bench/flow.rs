//! `cargo xtask bench flow`: whole flows over HTTP on SQLite, compared with as many requests to a bare server by the same driver.
//!
//! The customer approves in the app with the key of the device, so that no password is hashed in the measured time: the hash is slow by
//! design, and payments that are authorised by password are measured by `cargo xtask bench payment`.

use super::figure::{format_thousandths, machine_load, median, per_second, ratio};
use super::program::Program;
use super::{TempDir, build, run_count};
use crate::process::{Outcome, capture_stdout, step};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const CUSTOMERS: &str = "48";
/// The flows with the number of their requests. Payment and consent: creation, start, the app's page, its approval, the last read. A
/// purchase: creation, two pages, four forms with the pages that they lead to, the last read.
const FLOWS: [(&str, u64); 4] = [("payment", 5), ("consent", 5), ("purchase", 12), ("bare", 5)];

struct Run {
    per_second: u64,
    p50_micros: u64,
    p99_micros: u64,
    /// The processor time of the server per flow in nanoseconds.
    processor_nanos: u64,
}

pub fn run(quick: bool) -> Outcome {
    let program = step("dist build", || build("trapeza"))?;
    let driver = step("dist build of the driver", || build("trapeza-bench"))?;
    let temp_dir = TempDir::new("flow")?;
    let (rounds, seconds) = (run_count(quick), if quick { 3 } else { 10 });
    println!("before: {}", machine_load());
    let data = temp_dir.0.join("data");
    let bank = Program::start(&program, &data, &["--rate-limit", "off"])?;
    let bare = bare_server(&driver, &temp_dir.0)?;
    let sandbox_file = data.join("sandbox.json");
    let mut flows = FLOWS.map(|(name, requests)| (name, requests, Vec::new()));
    for round in 0..=rounds {
        // The first round is not counted.
        let seconds = if round == 0 { 1 } else { seconds };
        for (number, (name, _, runs)) in flows.iter_mut().enumerate() {
            let server = if *name == "bare" { &bare } else { &bank };
            let run = measure(&driver, name, server, &sandbox_file, seconds, 10 * round + number)?;
            if round > 0 {
                runs.push(run);
            }
        }
    }
    bank.stop()?;
    capture_stdout(Command::new(&program).args(["ledger", "check", "--data"]).arg(&data))?;
    println!("after: {}\n", machine_load());
    let flag = if quick { " --quick" } else { "" };
    println!(
        "cargo xtask bench flow{flag}: median of {rounds} runs of {seconds} s; {CUSTOMERS} customers at once, the driver \
         on the same machine\n"
    );
    let rate = |runs: &[Run]| median(runs.iter().map(|run| run.per_second));
    let bare = flows.last().map_or(0, |(_, requests, runs)| requests * rate(runs));
    println!(
        "{:<10} {:>8} {:>8} {:>17} {:>8} {:>8} {:>8}",
        "", "flows/s", "requests", "requests of bare", "p50 ms", "p99 ms", "CPU µs"
    );
    for (name, requests, runs) in &flows {
        let of = |value: fn(&Run) -> u64| format_thousandths(median(runs.iter().map(value)));
        println!(
            "{name:<10} {:>8} {requests:>8} {:>17} {:>8} {:>8} {:>8}",
            rate(runs),
            ratio(requests * rate(runs), bare),
            of(|run| run.p50_micros),
            of(|run| run.p99_micros),
            of(|run| run.processor_nanos)
        );
    }
    println!("\ngoal: 1500 payments/s or more. The ledger was checked after the runs and was consistent.");
    Ok(())
}

fn bare_server(driver: &Path, temp_dir: &Path) -> Outcome<Program> {
    let file = temp_dir.join("response.json");
    let response = serde_json::json!({ "headers": { "content-type": "application/json" }, "body": "{}" });
    std::fs::write(&file, response.to_string()).map_err(|e| format!("{}: {e}", file.display()))?;
    Program::serve(Command::new(driver).arg("respond").arg(file))
}

fn measure(
    driver: &Path,
    flow: &str,
    server: &Program,
    sandbox_file: &Path,
    seconds: u64,
    series: usize,
) -> Outcome<Run> {
    let mut command = Command::new(driver);
    command.args(["flow", flow, "--url", &format!("http://{}", server.address), "--customers", CUSTOMERS]);
    command.args(["--seconds", &seconds.to_string(), "--series", &series.to_string()]);
    command.args(["--process", &server.id().to_string()]);
    let printed = capture_stdout(command.arg("--sandbox-file").arg(sandbox_file))?;
    let result: Value = serde_json::from_str(printed.trim()).map_err(|e| format!("{printed:?}: {e}"))?;
    let figure = |name: &str| result[name].as_u64().ok_or(format!("{result} has no {name}"));
    let flows = figure("flows")?;
    Ok(Run {
        per_second: per_second(flows, figure("wall_micros")?),
        p50_micros: figure("p50_micros")?,
        p99_micros: figure("p99_micros")?,
        processor_nanos: figure("processor_micros")?.saturating_mul(1000) / flows.max(1),
    })
}
