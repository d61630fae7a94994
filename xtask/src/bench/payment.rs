//! `cargo xtask bench payment`: payments over HTTP. An initiation is one durable POST, compared with a bare server with the same
//! response and, on PostgreSQL, with pgbench. An executed payment is four requests: initiation, start of the authorisation,
//! password, OTP; with the last it is posted to the ledger.

use super::client::{Client, Response, text};
use super::figure::{format_thousandths, machine_load, median, per_second, ratio};
use super::pgbench::{pgbench, transactions_per_second};
use super::program::Program;
use super::wrk::{self, Run};
use super::{TempDir, build, run_count};
use crate::postgres::{Installed, Postgres, Storage};
use crate::process::{Outcome, capture_stdout, step};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub const PATH: &str = "/v1/payments/internal-transfers";
const BERLIN_GROUP_PATH: &str = "/berlin-group/v1/payments/internal-transfers";
/// Connections to the database, of the program and of pgbench.
const CLIENTS: &str = "16";
/// Customers who pay concurrently, each from their own account: the passwords of one customer are verified one after the other.
const PAYERS: usize = 5;

/// A bank on one engine, with its client and a payment.
pub struct Bank {
    pub program: Program,
    data: PathBuf,
    credentials: Value,
    pub client: Client,
    pub order: Value,
}

pub fn run(quick: bool, with_postgres: bool) -> Outcome {
    wrk::ensure_installed()?;
    let program = step("dist build", || build("trapeza"))?;
    let bare = step("dist build of the bare server", || build("trapeza-bench"))?;
    let temp_dir = TempDir::new("payment")?;
    let (rounds, seconds) = (run_count(quick), if quick { 3 } else { 10 });
    println!("before: {}", machine_load());
    let sqlite = step("SQLite", || on_sqlite(&program, &bare, &temp_dir.0, rounds, seconds))?;
    let postgres = match with_postgres {
        true => Some(step("PostgreSQL", || on_postgres(&program, &temp_dir.0, rounds, seconds))?),
        false => None,
    };
    println!("after: {}\n", machine_load());
    let quick_flag = if quick { " --quick" } else { "" };
    println!(
        "cargo xtask bench payment{quick_flag}: median of {rounds} runs of {seconds} s; wrk with 32 connections on the same \
         machine; executed payments by {PAYERS} callers\n"
    );
    let [ours, other, executed, dialect] = sqlite;
    println!(
        "SQLite: {} initiations/s, bare {}/s   {}   (goal: 0.25 or more)",
        ours.0,
        other.0,
        ratio(ours.0, other.0)
    );
    println!("  processor time {} µs, bare {} µs", format_thousandths(ours.1), format_thousandths(other.1));
    println!(
        "  Berlin Group: {} initiations/s, {} of native, {} µs   (goal: 0.95 or more)",
        dialect.0,
        ratio(dialect.0, ours.0),
        format_thousandths(dialect.1)
    );
    println!("  {} executed payments/s, {} µs each", executed.0, format_thousandths(executed.1));
    if let Some([ours, other, executed]) = postgres {
        let goal = "(goal: 0.50 or more)";
        println!(
            "PostgreSQL: {} initiations/s, pgbench {}/s   {}   {goal}",
            ours.0,
            other.0,
            ratio(ours.0, other.0)
        );
        println!("  processor time {} µs, without PostgreSQL's", format_thousandths(ours.1));
        println!("  {} executed payments/s, {} µs each", executed.0, format_thousandths(executed.1));
    }
    println!("\nThe ledger was checked after the runs and was consistent.");
    Ok(())
}

/// A rate, and the processor time per payment in nanoseconds.
type Figure = (u64, u64);

fn medians(runs: &[Run]) -> Figure {
    (median(runs.iter().map(|run| run.per_second)), median(runs.iter().map(|run| run.processor_nanos)))
}

fn on_sqlite(
    program: &Path,
    bare: &Path,
    temp_dir: &Path,
    rounds: usize,
    seconds: u64,
) -> Outcome<[Figure; 4]> {
    let bank = Bank::open(program, &temp_dir.join("sqlite"), None)?;
    let server = bare_server(bare, &temp_dir.join("response.json"), &bank)?;
    let (dialect, dialect_order) = bank.in_berlin_group();
    dialect.call("POST", BERLIN_GROUP_PATH, Some(&dialect_order))?;
    let mut measured: [Vec<Run>; 4] = Default::default();
    for round in 0..=rounds {
        // The first round is not counted.
        let seconds = if round == 0 { 1 } else { seconds };
        let native_script = script(&bank.client, &bank.order, temp_dir, 2 * round)?;
        let dialect_script = script(&dialect, &dialect_order, temp_dir, 2 * round + 1)?;
        let native = || wrk::run_script(&bank.program, PATH, &[], seconds, &native_script);
        let dialect = || wrk::run_script(&bank.program, BERLIN_GROUP_PATH, &[], seconds, &dialect_script);
        // In turn, because the database grows with every payment.
        let (native, dialect) = match round % 2 {
            0 => (native()?, dialect()?),
            _ => {
                let dialect = dialect()?;
                (native()?, dialect)
            }
        };
        let bare = wrk::run_script(&server, PATH, &[], seconds, &native_script)?;
        let runs = [native, bare, bank.execute_payments(seconds)?, dialect];
        if round > 0 {
            measured.iter_mut().zip(runs).for_each(|(series, run)| series.push(run));
        }
    }
    bank.close(program, None)?;
    Ok(measured.each_ref().map(|series| medians(series)))
}

fn on_postgres(program: &Path, temp_dir: &Path, rounds: usize, seconds: u64) -> Outcome<[Figure; 3]> {
    let installed = Installed::find_or_install()?;
    let server = Postgres::start(&installed, Storage::Disk)?;
    capture_stdout(pgbench(&installed, &server)?.args(["-i", "-q", "-s", CLIENTS]))?;
    let bank = Bank::open(program, &temp_dir.join("postgres"), Some(&server.url))?;
    let (mut ours, mut theirs, mut executed) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let seconds = if round == 0 { 1 } else { seconds };
        let script = script(&bank.client, &bank.order, temp_dir, round)?;
        let one = wrk::run_script(&bank.program, PATH, &[], seconds, &script)?;
        let mut bench = pgbench(&installed, &server)?;
        bench.args(["-n", "-M", "prepared", "-c", CLIENTS, "-j", "2", "-T", &seconds.to_string()]);
        let two = transactions_per_second(&capture_stdout(&mut bench)?)?;
        let three = bank.execute_payments(seconds)?;
        if round > 0 {
            ours.push(one);
            theirs.push(Run { per_second: two, processor_nanos: 0 });
            executed.push(three);
        }
    }
    bank.close(program, Some(&server.url))?;
    Ok([medians(&ours), medians(&theirs), medians(&executed)])
}

impl Bank {
    pub fn open(program: &Path, data: &Path, database: Option<&str>) -> Outcome<Self> {
        let mut command = Command::new(program);
        command.args(["sandbox", "--listen", "127.0.0.1:0", "--rate-limit", "off", "--data"]).arg(data);
        if let Some(url) = database {
            command.env("TRAPEZA_DATABASE", url);
        }
        let program = Program::serve(command.env("TRAPEZA_LOG_LEVEL", "warn"))?;
        let file = data.join("sandbox.json");
        let credentials = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let credentials: Value =
            serde_json::from_str(&credentials).map_err(|e| format!("{}: {e}", file.display()))?;
        // The second customer has one account and one SCA method.
        let client = caller(&program.address, &credentials, 1);
        let order = order(&credentials, 1);
        Ok(Self { program, data: data.to_owned(), credentials, client, order })
    }

    /// The same third party in the other dialect, and its payment.
    fn in_berlin_group(&self) -> (Client, Value) {
        let mut client = self.client.in_berlin_group();
        client.add("PSU-ID", text(&self.credentials["psus"][1]["psu_id"]));
        client.add("TPP-Explicit-Authorisation-Preferred", "true");
        let mut order = self.order.clone();
        order["instructedAmount"] = json!({ "currency": "EUR", "amount": "0.01" });
        (client, order)
    }

    /// Executes payments of several concurrent callers.
    fn execute_payments(&self, seconds: u64) -> Outcome<Run> {
        let (done, began) = (AtomicU64::new(0), Instant::now());
        let (end, before) = (began + Duration::from_secs(seconds), self.program.processor_micros()?);
        let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
            let pay = |payer: Payer| {
                let (done, otp) = (&done, &self.credentials["otp"]);
                move || -> Outcome {
                    while Instant::now() < end {
                        payer.pay(otp)?;
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                }
            };
            let payers: Vec<_> = (0..PAYERS).map(|number| scope.spawn(pay(self.payer(number)))).collect();
            payers
                .into_iter()
                .map(|payer| payer.join().unwrap_or(Err("a payer panicked".to_owned())))
                .collect()
        });
        outcomes.into_iter().collect::<Outcome<Vec<()>>>()?;
        let (done, micros) =
            (done.into_inner(), u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX));
        let processor = self.program.processor_micros()? - before;
        let processor_nanos = processor.saturating_mul(1000) / done.max(1);
        Ok(Run { per_second: per_second(done, micros), processor_nanos })
    }

    fn payer(&self, number: usize) -> Payer {
        let client = caller(&self.program.address, &self.credentials, number).another();
        let password = self.credentials["psus"][number]["password"].clone();
        Payer { client, password, order: order(&self.credentials, number) }
    }

    /// Stops the program and checks the ledger.
    pub fn close(self, program: &Path, database: Option<&str>) -> Outcome {
        self.program.stop()?;
        let mut check = Command::new(program);
        check.args(["ledger", "check", "--data"]).arg(&self.data);
        if let Some(url) = database {
            check.env("TRAPEZA_DATABASE", url);
        }
        capture_stdout(&mut check).map(|_| ())
    }
}

/// The script for wrk: the same payment with a new request id each time.
pub fn script(client: &Client, order: &Value, temp_dir: &Path, round: usize) -> Outcome<PathBuf> {
    let headers = client.headers.iter().map(|(name, value)| format!("wrk.headers[{name:?}] = {value:?}\n"));
    let headers: String = headers.collect();
    let (body, series) = (order.to_string(), round + 1);
    // Random ids, as third parties send them: consecutive ids would be adjacent in the index.
    let script = format!(
        "local threads = 0\n\
         function setup(thread) thread:set(\"number\", threads) threads = threads + 1 end\n\
         function init() math.randomseed({series} * 100 + number) end\n\
         wrk.method = \"POST\"\nwrk.headers[\"Content-Type\"] = \"application/json\"\n{headers}\
         wrk.body = {body:?}\nlocal random = math.random\n\
         function request()\n  \
         wrk.headers[\"x-Request-ID\"] = string.format(\"%08x-%04x-4%03x-8%03x-%06x%06x\", random(0, 4294967295), \
         random(0, 65535), random(0, 4095), random(0, 4095), random(0, 16777215), random(0, 16777215))\n  \
         return wrk.format()\nend\n"
    );
    let file = temp_dir.join(format!("payment-{round}.lua"));
    std::fs::write(&file, script).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}

/// A customer with their client and payment.
struct Payer {
    client: Client,
    password: Value,
    order: Value,
}

impl Payer {
    fn pay(&self, otp: &Value) -> Outcome {
        let client = &self.client;
        let initiated = client.call("POST", PATH, Some(&self.order))?.json()?;
        let path = format!("{PATH}/{}", text(&initiated["paymentId"]));
        let started = client.call("POST", &format!("{path}/authorisations"), Some(&json!({})))?.json()?;
        let authorisation = format!("{path}/authorisations/{}", text(&started["authorisationId"]));
        let step = |body: Value| client.call("PUT", &authorisation, Some(&body))?.json();
        let mut response = step(json!({ "psuData": { "password": self.password } }))?;
        if response["scaStatus"] == "psuAuthenticated" {
            // Every method but the app needs an OTP.
            let methods = response["scaMethods"].as_array().cloned().unwrap_or_default();
            let method = methods.iter().find(|method| method["authenticationType"] != 3);
            let method = method.ok_or("a customer has no method with an OTP")?;
            response = step(json!({ "authenticationMethodId": method["authenticationMethodId"] }))?;
        }
        if response["scaStatus"] == "scaMethodSelected" {
            response = step(json!({ "scaAuthenticationData": otp }))?;
        }
        match response["scaStatus"] == "finalised" {
            true => Ok(()),
            false => Err(format!("a payment was not authorised: {response}")),
        }
    }
}

fn caller(address: &str, credentials: &Value, number: usize) -> Client {
    let mut client = Client::new(address, credentials, &credentials["psus"][number]);
    client.add("pSUIPAddress", "192.0.2.1");
    client.add("Accept", "application/json");
    client
}

/// A payment of one cent from one customer to the next.
fn order(credentials: &Value, number: usize) -> Value {
    let (payer, payee) = (&credentials["psus"][number], &credentials["psus"][(number + 1) % PAYERS]);
    json!({
        "endToEndIdentification": "invoice-114",
        "debtorAccount": { "iban": payer["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "Amount": "0.01" },
        "creditorAccount": { "iban": payee["accounts"][0]["iban"] },
        "creditorName": payee["name"],
        "remittanceInformationUnstructured": "Rent of November",
    })
}

/// The bare server with the product's response.
fn bare_server(bare: &Path, file: &Path, bank: &Bank) -> Outcome<Program> {
    let ours: Response = bank.client.call("POST", PATH, Some(&bank.order))?;
    let varying = ["date", "content-length", "connection"];
    let headers: serde_json::Map<String, Value> = ours
        .headers
        .iter()
        .filter(|(name, _)| !varying.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), Value::String(value.clone())))
        .collect();
    let recorded = json!({ "headers": headers, "body": ours.body });
    std::fs::write(file, recorded.to_string()).map_err(|e| format!("{}: {e}", file.display()))?;
    Program::serve(Command::new(bare).arg("respond").arg(file))
}
