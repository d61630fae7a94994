//! `cargo xtask bench read`: attended reads over HTTP, compared with a bare server that has the same response.
//!
//! The two are measured in turn, so that other work of the machine affects both alike.

use super::client::{Client, Response, text};
use super::figure::{format_thousandths, machine_load, median, ratio};
use super::program::Program;
use super::wrk::{self, Run};
use super::{TempDir, build};
use crate::process::{Outcome, step};
use serde_json::{Map, Value};
use std::path::Path;
use std::process::Command;

/// The number of entries of the usual account and of the large one.
pub const SMALL: u64 = 10_000;
const LARGE: u64 = 10_000_000;
/// The whole period: the consent is minutes old, so entries older than 90 days are included.
pub const PAGE: &str = "/transactions?dateFrom=2000-01-01&bookingStatus=booked&limit=100";
/// The base path of the second dialect.
pub const BERLIN_GROUP: &str = "/berlin-group";
/// The request id of every measured request.
const REQUEST_ID: &str = "6f9619ff-8b86-4011-b42d-00cf4fc964ff";
/// The headers that differ from response to response or belong to the connection.
const VARYING_HEADERS: [&str; 5] =
    ["date", "content-length", "connection", "x-correlation-id", "x-request-id"];

/// The number of runs and their duration.
#[derive(Clone, Copy)]
pub struct Schedule {
    pub rounds: usize,
    pub seconds: u64,
}

/// A bank with a valid consent.
pub struct Bank {
    pub program: Program,
    client: Client,
    consent: String,
    /// The paths of two accounts of one customer: the one with many entries and another one.
    pub accounts: [String; 2],
}

/// The runs of two servers with the same kind of request.
pub struct Comparison {
    name: &'static str,
    ours: Vec<Run>,
    other: Vec<Run>,
}

pub fn run(quick: bool, large: bool) -> Outcome {
    wrk::ensure_installed()?;
    let program = step("dist build", || build("trapeza"))?;
    let bare = step("dist build of the bare server", || build("trapeza-bench"))?;
    let temp_dir = TempDir::new("read")?;
    let schedule =
        if quick { Schedule { rounds: 3, seconds: 3 } } else { Schedule { rounds: 5, seconds: 10 } };
    println!("before: {}", machine_load());
    let (pairs, dialects) = step("reads", || compare_servers(&program, &bare, &temp_dir.0, schedule))?;
    let pages = match large {
        true => Some(step("pages of a large account", || compare_sizes(&program, &temp_dir.0, schedule))?),
        false => None,
    };
    println!("after: {}\n", machine_load());
    let flags = [(quick, " --quick"), (large, " --large")];
    let flags: String = flags.iter().filter(|(given, _)| *given).map(|(_, flag)| *flag).collect();
    println!(
        "cargo xtask bench read{flags}: median of {} runs of {} s; wrk with 32 connections on the same machine\n",
        schedule.rounds, schedule.seconds
    );
    println!("{:<26} {:>10} {:>10} {:>7} {:>8} {:>8}", "", "ours/s", "bare/s", "ratio", "CPU µs", "bare µs");
    for (pair, goal) in pairs.iter().zip(["0.60", "0.30"]) {
        println!("{}   (goal: {goal} or more)", pair.row());
    }
    println!(
        "\n{:<26} {:>10} {:>10} {:>7} {:>8} {:>8}",
        "Berlin Group", "/s", "native/s", "ratio", "CPU µs", "native µs"
    );
    for pair in &dialects {
        println!("{}   (goal: 0.95 or more)", pair.row());
    }
    if let Some(pages) = pages {
        let [large, small] =
            [&pages.ours, &pages.other].map(|runs| median(runs.iter().map(|run| run.per_second)));
        println!("\n{}: {large} pages/s, of {SMALL}: {small}", pages.name);
        println!("duration: large account / small account   {}   (goal: 1.2 or less)", ratio(small, large));
    }
    Ok(())
}

/// Balances and a page of 100 transactions: the product compared with the bare server, and the two dialects of the product.
fn compare_servers(
    program: &Path,
    bare: &Path,
    temp_dir: &Path,
    schedule: Schedule,
) -> Outcome<(Vec<Comparison>, Vec<Comparison>)> {
    let bank = Bank::open(program, &temp_dir.join("data"), SMALL)?;
    let paths = [("attended balances", "/balances"), ("page of 100 transactions", PAGE)];
    let mut measured = Vec::new();
    for (number, (name, path)) in paths.into_iter().enumerate() {
        let path = format!("{}{path}", bank.accounts[0]);
        let file = temp_dir.join(format!("response-{number}.json"));
        let server = bare_server(bare, &file, &bank.client, &path)?;
        measured.push((Comparison::new(name), Comparison::new(name), path, server));
    }
    let headers = bank.measured_headers();
    let dialect_headers = bank.dialect_headers();
    for (.., path, _) in &measured {
        // wrk counts what is not 2xx as an error, but the reason is printed only here.
        bank.dialect_client().get(&format!("{BERLIN_GROUP}{path}"))?;
    }
    for round in 0..=schedule.rounds {
        // The first round is not counted: statements are prepared and pages are read into caches.
        let seconds = if round == 0 { 1 } else { schedule.seconds };
        for (with_bare, with_native, path, server) in &mut measured {
            let ours = wrk::run(&bank.program, path, &headers, seconds)?;
            let other = wrk::run(server, path, &headers, seconds)?;
            let dialect =
                wrk::run(&bank.program, &format!("{BERLIN_GROUP}{path}"), &dialect_headers, seconds)?;
            with_bare.add(round, ours, other);
            with_native.add(round, dialect, ours);
        }
    }
    bank.program.stop()?;
    Ok(measured.into_iter().map(|(with_bare, with_native, ..)| (with_bare, with_native)).unzip())
}

/// A page of the large account, compared with one of the small account of the same bank.
fn compare_sizes(program: &Path, temp_dir: &Path, schedule: Schedule) -> Outcome<Comparison> {
    let bank = Bank::open(program, &temp_dir.join("large"), LARGE)?;
    let mut pair = Comparison::new("page of an account with 10000000 entries");
    let [large, small] = bank.accounts.each_ref().map(|account| format!("{account}{PAGE}"));
    let headers = bank.measured_headers();
    for round in 0..=schedule.rounds {
        let seconds = if round == 0 { 1 } else { schedule.seconds };
        let ours = wrk::run(&bank.program, &large, &headers, seconds)?;
        let other = wrk::run(&bank.program, &small, &headers, seconds)?;
        pair.add(round, ours, other);
    }
    bank.program.stop()?;
    Ok(pair)
}

/// Starts the bare server with the product's response to a GET.
fn bare_server(bare: &Path, file: &Path, client: &Client, path: &str) -> Outcome<Program> {
    bare_server_with(bare, file, &client.get(path)?, |server| client.at(&server.address).get(path))
}

/// Starts the bare server with a response, and checks with `repeat` that it answers the same request with it.
pub fn bare_server_with(
    bare: &Path,
    file: &Path,
    ours: &Response,
    repeat: impl FnOnce(&Program) -> Outcome<Response>,
) -> Outcome<Program> {
    let headers = common_headers(ours).into_iter().map(|(name, value)| (name, Value::String(value)));
    let mut headers: Map<String, Value> = headers.collect();
    // As long as the product's.
    for name in ["x-correlation-id", "x-request-id"] {
        headers.insert(name.to_owned(), Value::String(REQUEST_ID.to_owned()));
    }
    let recorded = serde_json::json!({ "headers": headers, "body": ours.body });
    std::fs::write(file, recorded.to_string()).map_err(|e| format!("{}: {e}", file.display()))?;
    let server = Program::serve(Command::new(bare).arg("respond").arg(file))?;
    let theirs = repeat(&server)?;
    let is_same = (common_headers(ours), &ours.body) == (common_headers(&theirs), &theirs.body);
    if is_same {
        Ok(server)
    } else {
        Err(format!("the bare server has another response:\n{ours:?}\n{theirs:?}"))
    }
}

/// The headers that are the same in every response of a kind, by name.
fn common_headers(response: &Response) -> Vec<(String, String)> {
    let is_common = |(name, _): &&(String, String)| !VARYING_HEADERS.contains(&name.as_str());
    let mut headers: Vec<_> = response.headers.iter().filter(is_common).cloned().collect();
    headers.sort();
    headers
}

impl Bank {
    pub fn open(program: &Path, data: &Path, entries: u64) -> Outcome<Self> {
        let program =
            Program::start(program, data, &["--rate-limit", "off", "--scale", &entries.to_string()])?;
        let file = data.join("sandbox.json");
        let credentials = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let credentials: Value =
            serde_json::from_str(&credentials).map_err(|e| format!("{}: {e}", file.display()))?;
        // `--scale` appends its customer.
        let psu = credentials["psus"]
            .as_array()
            .and_then(|psus| psus.last())
            .ok_or("sandbox.json has no customers")?;
        let mut client = Client::new(&program.address, &credentials, psu);
        let consent = client.consent(psu, &credentials["otp"])?;
        client.add("consentID", &consent);
        client.add("pSUIPAddress", "192.0.2.1");
        client.add("Accept", "application/json");
        let list = client.get("/v1/accounts")?.json()?;
        let account = |iban: &Value| {
            let all = list["accounts"].as_array()?;
            let found = all.iter().find(|account| account["iban"] == *iban)?;
            Some(format!("/v1/accounts/{}", text(&found["resourceId"])))
        };
        let paths = [0, 1].map(|number| account(&psu["accounts"][number]["iban"]));
        let [Some(large), Some(small)] = paths else { return Err(format!("accounts are missing: {list}")) };
        Ok(Self { program, client, consent, accounts: [large, small] })
    }

    /// The same caller in the other dialect, with the same consent.
    fn dialect_client(&self) -> Client {
        let mut client = self.client.in_berlin_group();
        client.add("Consent-ID", &self.consent);
        client
    }

    fn dialect_headers(&self) -> Vec<(String, String)> {
        let id = ("X-Request-ID".to_owned(), REQUEST_ID.to_owned());
        self.dialect_client().headers.into_iter().chain([id]).collect()
    }

    pub fn measured_headers(&self) -> Vec<(String, String)> {
        let id = ("x-Request-ID".to_owned(), REQUEST_ID.to_owned());
        self.client.headers.iter().cloned().chain([id]).collect()
    }
}

impl Comparison {
    pub const fn new(name: &'static str) -> Self {
        Self { name, ours: Vec::new(), other: Vec::new() }
    }

    pub fn add(&mut self, round: usize, ours: Run, other: Run) {
        if round > 0 {
            self.ours.push(ours);
            self.other.push(other);
        }
    }

    pub fn row(&self) -> String {
        let rate = |runs: &[Run]| median(runs.iter().map(|run| run.per_second));
        let processor = |runs: &[Run]| format_thousandths(median(runs.iter().map(|run| run.processor_nanos)));
        let (ours, bare) = (rate(&self.ours), rate(&self.other));
        format!(
            "{:<26} {ours:>10} {bare:>10} {:>7} {:>8} {:>8}",
            self.name,
            ratio(ours, bare),
            processor(&self.ours),
            processor(&self.other)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparison_ignores_varying_headers() {
        let response = |id: &str, kind: &str| Response {
            status: 200,
            headers: [("x-correlation-id", id), ("date", id), ("content-type", kind)]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            body: String::new(),
        };
        assert_eq!(common_headers(&response("1", "a")), common_headers(&response("2", "a")));
        assert_ne!(common_headers(&response("1", "a")), common_headers(&response("1", "b")));
    }
}
