//! `cargo xtask bench read`: attended reads over HTTP, each beside a bare program that gives the same answer.
//!
//! The two take turns, so that whatever else the machine does hits both alike.

use super::client::{Answer, Client, text};
use super::figure::{machine, median, ratio, thousandths};
use super::program::Program;
use super::wrk::{self, Run};
use super::{TempDir, build};
use crate::process::{Outcome, step};
use serde_json::{Map, Value};
use std::path::Path;
use std::process::Command;

/// Entries of the usual bank's account, and of the large one.
const SMALL: u64 = 10_000;
const LARGE: u64 = 10_000_000;
/// All of it: the consent is minutes old, so what is older than 90 days is shown as well.
const PAGE: &str = "/transactions?dateFrom=2000-01-01&bookingStatus=booked&limit=100";
/// Sent with every measured request, and as long as any.
const REQUEST_ID: &str = "6f9619ff-8b86-4011-b42d-00cf4fc964ff";
/// What differs from answer to answer, or belongs to the connection.
const OWN_HEADERS: [&str; 5] = ["date", "content-length", "connection", "x-correlation-id", "x-request-id"];

/// How often and how long.
#[derive(Clone, Copy)]
pub struct Pace {
    pub rounds: usize,
    pub seconds: u64,
}

/// A bank with a consent to read it under.
struct Bank {
    program: Program,
    client: Client,
    /// Paths of the accounts of the customer with the many entries: the large one and the small one.
    accounts: [String; 2],
}

/// One kind of read, with the runs of two servers by turns.
pub struct Pair {
    name: &'static str,
    ours: Vec<Run>,
    other: Vec<Run>,
}

pub fn run(quick: bool, large: bool) -> Outcome {
    wrk::demand()?;
    let program = step("release build", || build("trapeza"))?;
    let bare = step("release build of the bare program", || build("trapeza-bench"))?;
    let temp_dir = TempDir::new("read")?;
    let pace = if quick { Pace { rounds: 3, seconds: 3 } } else { Pace { rounds: 5, seconds: 10 } };
    println!("before: {}", machine());
    let pairs = step("reads", || beside_bare(&program, &bare, &temp_dir.0, pace))?;
    let pages = match large {
        true => Some(step("pages of a large account", || by_size(&program, &temp_dir.0, pace))?),
        false => None,
    };
    println!("after: {}\n", machine());
    let flags = [(quick, " --quick"), (large, " --large")];
    let flags: String = flags.iter().filter(|(given, _)| *given).map(|(_, flag)| *flag).collect();
    println!(
        "cargo xtask bench read{flags}: median of {} runs of {} s; wrk with 32 connections on the same machine\n",
        pace.rounds, pace.seconds
    );
    println!("{:<26} {:>10} {:>10} {:>7} {:>8} {:>8}", "", "ours/s", "bare/s", "ratio", "CPU µs", "bare µs");
    for (pair, goal) in pairs.iter().zip(["0.60", "0.30"]) {
        println!("{}   (goal: {goal} or more)", pair.shown());
    }
    if let Some(pages) = pages {
        let [large, small] =
            [&pages.ours, &pages.other].map(|runs| median(runs.iter().map(|run| run.per_second)));
        println!("\n{}: {large} pages/s, of {SMALL}: {small}", pages.name);
        println!(
            "time of the large one's page / the small one's   {}   (goal: 1.2 or less)",
            ratio(small, large)
        );
    }
    Ok(())
}

/// Balances and a page of 100 lines, ours and bare.
fn beside_bare(program: &Path, bare: &Path, temp_dir: &Path, pace: Pace) -> Outcome<Vec<Pair>> {
    let bank = Bank::open(program, &temp_dir.join("data"), SMALL)?;
    let paths = [("attended balances", "/balances"), ("a page of 100 transactions", PAGE)];
    let mut measured = Vec::new();
    for (number, (name, path)) in paths.into_iter().enumerate() {
        let path = format!("{}{path}", bank.accounts[0]);
        let file = temp_dir.join(format!("answer-{number}.json"));
        let server = beside(bare, &file, &bank.client, &path)?;
        measured.push((Pair::new(name), path, server));
    }
    let headers = bank.measured_headers();
    for round in 0..=pace.rounds {
        // The first round warms up: statements are prepared and pages are read into caches.
        let seconds = if round == 0 { 1 } else { pace.seconds };
        for (pair, path, server) in &mut measured {
            let ours = wrk::run(&bank.program, path, &headers, seconds)?;
            let other = wrk::run(server, path, &headers, seconds)?;
            pair.add(round, ours, other);
        }
    }
    bank.program.stop()?;
    Ok(measured.into_iter().map(|(pair, ..)| pair).collect())
}

/// A page of the large account beside one of the small account of the same bank.
fn by_size(program: &Path, temp_dir: &Path, pace: Pace) -> Outcome<Pair> {
    let bank = Bank::open(program, &temp_dir.join("large"), LARGE)?;
    let mut pair = Pair::new("a page of an account of 10000000 entries");
    let [large, small] = bank.accounts.each_ref().map(|account| format!("{account}{PAGE}"));
    let headers = bank.measured_headers();
    for round in 0..=pace.rounds {
        let seconds = if round == 0 { 1 } else { pace.seconds };
        let ours = wrk::run(&bank.program, &large, &headers, seconds)?;
        let other = wrk::run(&bank.program, &small, &headers, seconds)?;
        pair.add(round, ours, other);
    }
    bank.program.stop()?;
    Ok(pair)
}

/// Starts the bare program with our answer, and makes sure that it gives the same.
fn beside(bare: &Path, file: &Path, client: &Client, path: &str) -> Outcome<Program> {
    recorded(bare, file, &client.get(path)?, |server| client.at(&server.address).get(path))
}

/// The same for any answer, which `ask` gets from the bare program again.
pub fn recorded(
    bare: &Path,
    file: &Path,
    ours: &Answer,
    ask: impl FnOnce(&Program) -> Outcome<Answer>,
) -> Outcome<Program> {
    let headers = shared(ours).into_iter().map(|(name, value)| (name, Value::String(value)));
    let mut headers: Map<String, Value> = headers.collect();
    // Ours are as long.
    for name in ["x-correlation-id", "x-request-id"] {
        headers.insert(name.to_owned(), Value::String(REQUEST_ID.to_owned()));
    }
    let recorded = serde_json::json!({ "headers": headers, "body": ours.body });
    std::fs::write(file, recorded.to_string()).map_err(|e| format!("{}: {e}", file.display()))?;
    let server = Program::serve(Command::new(bare).arg("answer").arg(file))?;
    let theirs = ask(&server)?;
    let same = (shared(ours), &ours.body) == (shared(&theirs), &theirs.body);
    if same { Ok(server) } else { Err(format!("the bare program answers otherwise:\n{ours:?}\n{theirs:?}")) }
}

/// The headers that an answer shares with every other of its kind, by name.
fn shared(answer: &Answer) -> Vec<(String, String)> {
    let ours = |(name, _): &&(String, String)| !OWN_HEADERS.contains(&name.as_str());
    let mut headers: Vec<_> = answer.headers.iter().filter(ours).cloned().collect();
    headers.sort();
    headers
}

impl Bank {
    fn open(program: &Path, data: &Path, entries: u64) -> Outcome<Self> {
        let program =
            Program::start(program, data, &["--rate-limit", "off", "--scale", &entries.to_string()])?;
        let file = data.join("sandbox.json");
        let sheet = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let sheet: Value = serde_json::from_str(&sheet).map_err(|e| format!("{}: {e}", file.display()))?;
        // The customer that `--scale` adds is the last.
        let psu =
            sheet["psus"].as_array().and_then(|psus| psus.last()).ok_or("the sheet has no customers")?;
        let mut client = Client::new(&program.address, &sheet, psu);
        let consent = client.consent(psu, &sheet["otp"])?;
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
        Ok(Self { program, client, accounts: [large, small] })
    }

    fn measured_headers(&self) -> Vec<(String, String)> {
        let id = ("x-Request-ID".to_owned(), REQUEST_ID.to_owned());
        self.client.headers.iter().cloned().chain([id]).collect()
    }
}

impl Pair {
    pub const fn new(name: &'static str) -> Self {
        Self { name, ours: Vec::new(), other: Vec::new() }
    }

    pub fn add(&mut self, round: usize, ours: Run, other: Run) {
        if round > 0 {
            self.ours.push(ours);
            self.other.push(other);
        }
    }

    pub fn shown(&self) -> String {
        let rate = |runs: &[Run]| median(runs.iter().map(|run| run.per_second));
        let processor = |runs: &[Run]| thousandths(median(runs.iter().map(|run| run.processor_nanos)));
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
        let answer = |id: &str, kind: &str| Answer {
            status: 200,
            headers: [("x-correlation-id", id), ("date", id), ("content-type", kind)]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            body: String::new(),
        };
        assert_eq!(shared(&answer("1", "a")), shared(&answer("2", "a")));
        assert_ne!(shared(&answer("1", "a")), shared(&answer("1", "b")));
    }
}
