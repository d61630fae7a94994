//! Runs of wrk, which repeats a request on some connections, with the processor time of the server.

use super::figure::per_second;
use super::program::Program;
use crate::process::{Outcome, capture_stdout, on_path};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

const THREADS: &str = "2";
const CONNECTIONS: &str = "32";

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub per_second: u64,
    /// The server's processor time per request in nanoseconds.
    pub processor_nanos: u64,
}

/// Fails when wrk is not installed.
pub fn ensure_installed() -> Outcome {
    let found = on_path("wrk").map(|_| ());
    found.ok_or("wrk is required: apt-get install wrk".to_owned())
}

/// Repeats a GET for some seconds.
pub fn run(server: &Program, path: &str, headers: &[(String, String)], seconds: u64) -> Outcome<Run> {
    measured(server, path, headers, seconds, &[])
}

/// Sends the requests of a Lua script for some seconds.
pub fn run_script(
    server: &Program,
    path: &str,
    headers: &[(String, String)],
    seconds: u64,
    script: &Path,
) -> Outcome<Run> {
    measured(server, path, headers, seconds, &["-s".as_ref(), script.as_os_str()])
}

fn measured(
    server: &Program,
    path: &str,
    headers: &[(String, String)],
    seconds: u64,
    more: &[&OsStr],
) -> Outcome<Run> {
    let mut command = Command::new("wrk");
    command.args(["-t", THREADS, "-c", CONNECTIONS, "-d", &format!("{seconds}s")]).args(more);
    for (name, value) in headers {
        command.args(["-H", &format!("{name}: {value}")]);
    }
    let before = server.processor_micros()?;
    let printed = capture_stdout(command.arg(format!("http://{}{path}", server.address)))?;
    let processor = server.processor_micros()? - before;
    let (requests, micros) = requests(&printed)?;
    Ok(Run {
        per_second: per_second(requests, micros),
        processor_nanos: processor.saturating_mul(1000) / requests.max(1),
    })
}

/// `  123456 requests in 10.10s, 1.23GB read` → 123456 and 10,100,000. A run with other responses than 2xx is an error.
fn requests(printed: &str) -> Outcome<(u64, u64)> {
    if printed.contains("Non-2xx") || printed.contains("Socket errors") {
        return Err(format!("not every request succeeded:\n{printed}"));
    }
    let found = printed.lines().find_map(|line| {
        let (count, rest) = line.trim_start().split_once(" requests in ")?;
        Some((count.parse().ok()?, micros(rest.split(',').next()?)?))
    });
    found.ok_or(format!("wrk printed no number of requests:\n{printed}"))
}

/// `10.10s` or `1.00m`: wrk always prints two decimals.
fn micros(text: &str) -> Option<u64> {
    let (number, unit) = match text.strip_suffix('s') {
        Some(seconds) => (seconds, 10_000),
        None => (text.strip_suffix('m')?, 600_000),
    };
    Some(number.replace('.', "").parse::<u64>().ok()? * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrk_output_is_parsed() {
        let printed =
            "Running 3s test\n  2 threads and 32 connections\n  84153 requests in 3.10s, 46.39MB read\n";
        assert_eq!(requests(printed), Ok((84_153, 3_100_000)));
        assert_eq!(micros("1.50m"), Some(90_000_000));
    }

    #[test]
    fn run_with_errors_is_refused() {
        let printed = "  84153 requests in 3.10s, 46.39MB read\n  Non-2xx or 3xx responses: 12\n";
        assert!(requests(printed).is_err());
        assert!(requests("unable to connect").is_err());
    }
}
