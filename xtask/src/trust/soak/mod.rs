//! The phases `soak` and `overload`: a program on SQLite under load for a long time, under three times what it can do, and among callers
//! who only hold connections or let it hash passwords. The overload is repeated on PostgreSQL, and there once more with a small queue:
//! where callers, program and database share the processors, waiting requests stay in the buffers of their sockets, and the usual queue
//! does not fill. A small one does, and requests are refused.
//!
//! Times are judged, so the machine must have nothing else to do. Callers share the machine with the program: shares of the measured
//! capacity are meaningful, and no figure says what a server with a machine of its own can do.

mod attack;
mod connection;
mod limits;
mod load;

use super::report::Figures;
use crate::bench::program::Program;
use crate::postgres::Installed;
use crate::process::{Outcome, capture_stdout, cargo, root, run as run_command};
use attack::Attack;
use connection::Connection;
use limits::{Sample, at_least, at_most, growth};
use load::{Mix, Offer, Seen, Target};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const CALLERS: u64 = 32;
/// Of an overload; each waits for its answer, so that as many wait at once.
const MANY_CALLERS: u64 = 2_048;
/// As many as `CALLERS`, who never fill it.
const SMALL_QUEUE: &str = "32";
/// Of an overload with that queue. Callers who wait for their answers wait for (callers / answers per second) on average: of
/// `MANY_CALLERS` that is more than a second, most of it for a processor, and says nothing about refusals.
const SMALL_QUEUE_CALLERS: u64 = 512;
/// Connections of each attack.
const HELD: usize = 2_000;
/// Callers whose passwords are hashed.
const HASHERS: usize = 8;
/// A refusal that takes longer is not fast.
const FAST_MICROS: u64 = 1_000_000;
/// Files that may stay open after an attack: connections that are about to be closed.
const LEFT_FILES: u64 = 64;

/// A program on a fresh data directory.
struct Server {
    program: Program,
    target: Arc<Target>,
    sandbox: Value,
    data: PathBuf,
    /// The URL, unless it is in `data`.
    database: Option<String>,
    mix: Mix,
    log: Vec<String>,
    violations: Vec<String>,
}

impl Server {
    /// On SQLite, unless there is the URL of a PostgreSQL database. A queue may be smaller than that of the default configuration.
    fn start(is_quick: bool, mix: Mix, database: Option<&str>, queue: Option<&str>) -> Outcome<Self> {
        // A short run shows that the phase works; a long one measures the program that is used.
        let (profile, folder) = if is_quick { ("dev", "debug") } else { ("release", "release") };
        run_command(cargo().args(["build", "--quiet", "--package", "trapeza", "--profile", profile]))?;
        let data = root().join("target").join("trust").join("soak");
        let _absent = fs::remove_dir_all(&data);
        fs::create_dir_all(&data).map_err(|e| format!("{}: {e}", data.display()))?;
        let data = data.join("data");
        let mut command = Command::new(root().join("target").join(folder).join("trapeza"));
        command.args(["sandbox", "--listen", "127.0.0.1:0", "--rate-limit", "off", "--data"]).arg(&data);
        command.args(database.iter().flat_map(|url| ["--database", *url]));
        command.env("TRAPEZA_LOG_LEVEL", "warn");
        command.envs(queue.map(|jobs| ("TRAPEZA_STORE_QUEUE", jobs)));
        let program = Program::serve(&mut command)?;
        let sandbox = fs::read_to_string(data.join("sandbox.json")).map_err(|e| e.to_string())?;
        let sandbox: Value = serde_json::from_str(&sandbox).map_err(|e| e.to_string())?;
        let mut target = Target::new(&program.address, &sandbox);
        if mix == Mix::All {
            target = target.with_balances(&sandbox)?;
        }
        let target = Arc::new(target);
        let database = database.map(str::to_owned);
        let (log, violations) = (Vec::new(), Vec::new());
        Ok(Self { program, target, sandbox, data, database, mix, log, violations })
    }

    fn say(&mut self, line: String) {
        println!("{line}");
        self.log.push(line);
    }

    fn violated(&mut self, found: impl IntoIterator<Item = String>) {
        for violation in found {
            self.say(format!("violation: {violation}"));
            self.violations.push(violation);
        }
    }

    /// What the callers got in as many seconds.
    fn load(&mut self, name: &str, per_second: Option<u64>, callers: u64, seconds: u64) -> Seen {
        let (mix, lasts) = (self.mix, Duration::from_secs(seconds));
        let mut seen = self.target.run(Offer { callers, per_second, mix, lasts });
        let (p99, refused) = (seen.p99_micros(), seen.refused);
        self.say(format!("{name}: {}/s, p99 {p99} µs, {refused} refused", seen.per_second()));
        let wrong: Vec<String> = seen.wrong.iter().take(3).map(|wrong| format!("{name}: {wrong}")).collect();
        self.violated(wrong);
        seen
    }

    fn capacity(&mut self, is_quick: bool) -> u64 {
        self.load("warm-up", None, CALLERS, 2);
        self.load("capacity", None, CALLERS, if is_quick { 5 } else { 20 }).per_second()
    }

    /// Three times the capacity, and half of it directly afterwards. Returns how many requests were done, and how many refused.
    fn overload(&mut self, capacity: u64, callers: u64, seconds: u64) -> (u64, u64) {
        let mut seen = self.load("three times the capacity", Some(capacity * 3), callers, seconds);
        let refusal_micros = seen.refusal_p99_micros();
        self.say(format!("p99 of refusals: {refusal_micros} µs"));
        self.violated(at_least("goodput of an overload", seen.per_second(), 80, capacity));
        if callers <= SMALL_QUEUE_CALLERS {
            self.violated(at_most("p99 of refusals in microseconds", refusal_micros, FAST_MICROS));
        }
        let recovered = self.load("after it", Some(capacity / 2), CALLERS, 3);
        self.violated(at_least("requests after an overload", recovered.per_second(), 90, capacity / 2));
        self.violated(at_most("refused after an overload", recovered.refused, 0));
        (seen.done + recovered.done, seen.refused)
    }

    fn sample(&self, p99_micros: u64) -> Outcome<Sample> {
        let process = format!("/proc/{}", self.program.id());
        let status = fs::read_to_string(format!("{process}/status")).map_err(|e| e.to_string())?;
        let memory = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let memory_kib = memory.and_then(|text| text.split_whitespace().next()?.parse().ok());
        let files = fs::read_dir(format!("{process}/fd")).map_err(|e| e.to_string())?.count();
        let wal_kib = fs::metadata(self.data.join("trapeza.db-wal")).map_or(0, |file| file.len() / 1024);
        Ok(Sample {
            memory_kib: memory_kib.ok_or("the process has no RssAnon")?,
            wal_kib,
            files: u64::try_from(files).unwrap_or(u64::MAX),
            p99_micros,
        })
    }

    /// Ends the program and checks what it has stored.
    fn end(mut self, count: u64) -> Outcome<(Figures, String)> {
        let data = self.data.display().to_string();
        for words in [["ledger", "check"], ["audit", "verify"]] {
            let mut command = Command::new(format!("/proc/{}/exe", self.program.id()));
            command.args(words).args(["--data", &data]);
            command.args(self.database.iter().flat_map(|url| ["--database", url]));
            let checked = capture_stdout(&mut command);
            self.violated(checked.err().map(|e| format!("{words:?}: {e}")));
        }
        let failed = u64::try_from(self.violations.len()).unwrap_or(u64::MAX);
        let log = self.log.join("\n") + "\n";
        self.program.stop()?;
        Ok((Figures { tests: 1, failed, count, ..Figures::default() }, log))
    }
}

/// Seventy percent of the capacity for a long time; nothing may grow.
pub fn soak(minutes: u32) -> Outcome<(Figures, String)> {
    let is_quick = minutes < 10;
    let mut server = Server::start(is_quick, Mix::All, None, None)?;
    let rate = server.capacity(is_quick) * 70 / 100;
    let interval = if is_quick { 5 } else { 60 };
    let (mut samples, mut done, mut refused) = (Vec::new(), 0, 0);
    for _ in 0..u64::from(minutes) * 60 / interval {
        let mut seen = server.load("soak", Some(rate), CALLERS, interval);
        done += seen.done;
        refused += seen.refused;
        let sample = server.sample(seen.p99_micros())?;
        server.say(format!("{sample:?}"));
        samples.push(sample);
    }
    // The first has connections that were just opened.
    server.violated(growth(samples.get(1..).unwrap_or_default()));
    server.violated(at_most("refused below the capacity", refused, done / 1000));
    server.end(done)
}

/// Three times the capacity on both engines, held connections and password hashing; each time the others are served.
pub fn overload(factor: u32, postgres: &str) -> Outcome<(Figures, String)> {
    let is_quick = factor < 2;
    let (mut figures, mut log) = (Figures::default(), String::new());
    for (more, more_log) in [
        overload_on_postgres(is_quick, postgres)?,
        overload_with_small_queue(is_quick, postgres)?,
        overload_on_sqlite(is_quick)?,
    ] {
        figures.tests += more.tests;
        figures.failed += more.failed;
        figures.count += more.count;
        log.push_str(&more_log);
    }
    Ok((figures, log))
}

fn overload_on_postgres(is_quick: bool, database: &str) -> Outcome<(Figures, String)> {
    let mut server = Server::start(is_quick, Mix::Payments, Some(database), None)?;
    server.say("PostgreSQL".to_owned());
    let capacity = server.capacity(is_quick);
    let (count, _) = server.overload(capacity, MANY_CALLERS, attack_seconds(is_quick));
    server.end(count)
}

fn overload_with_small_queue(is_quick: bool, postgres: &str) -> Outcome<(Figures, String)> {
    let mut psql = Installed::find_or_install()?.program("psql");
    run_command(psql.args([postgres, "--quiet", "--command", "CREATE DATABASE small_queue"]))?;
    let (server, _) = postgres.rsplit_once('/').ok_or("the URL of PostgreSQL has no database")?;
    let database = format!("{server}/small_queue");
    let mut server = Server::start(is_quick, Mix::Payments, Some(&database), Some(SMALL_QUEUE))?;
    server.say(format!("PostgreSQL with a queue of {SMALL_QUEUE}"));
    let capacity = server.capacity(is_quick);
    let (count, refused) = server.overload(capacity, SMALL_QUEUE_CALLERS, attack_seconds(is_quick));
    server.violated((refused == 0).then(|| "no request was refused: the queue was not full".to_owned()));
    server.end(count)
}

fn overload_on_sqlite(is_quick: bool) -> Outcome<(Figures, String)> {
    let mut server = Server::start(is_quick, Mix::Payments, None, None)?;
    server.say("SQLite".to_owned());
    let seconds = attack_seconds(is_quick);
    let capacity = server.capacity(is_quick);
    let (mut count, _) = server.overload(capacity, MANY_CALLERS, seconds);
    for attack in Attack::ALL {
        let before = server.sample(0)?.files;
        let held = attack.hold(&server.program.address, HELD);
        std::thread::sleep(Duration::from_secs(2));
        let name = format!("with {HELD} connections, {attack:?}");
        let seen = server.load(&name, Some(capacity / 3), CALLERS, seconds);
        count += seen.done;
        let open = held.end();
        server.say(format!("{attack:?}: {open} were open"));
        server.violated(at_least(&name, seen.per_second(), 90, capacity / 3));
        std::thread::sleep(Duration::from_secs(3));
        let files = server.sample(0)?.files;
        server.violated(at_most(&format!("open files after {attack:?}"), files, before + LEFT_FILES));
    }
    let hashing = Hashing::start(&server);
    let mut seen = server.load("while passwords are hashed", Some(capacity / 4), CALLERS, seconds);
    count += seen.done;
    let hashed = hashing.end();
    server.say(format!("{hashed} passwords were hashed"));
    server.violated(at_least("passwords that were hashed", hashed, 100, 1));
    server.violated(at_least("requests beside password hashes", seen.per_second(), 90, capacity / 4));
    server.violated(at_most("p99 beside password hashes in microseconds", seen.p99_micros(), FAST_MICROS));
    server.end(count)
}

fn attack_seconds(is_quick: bool) -> u64 {
    if is_quick { 5 } else { 60 }
}

/// Callers who let the bank verify passwords without a pause.
struct Hashing {
    stop: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<u64>>,
}

impl Hashing {
    fn start(server: &Server) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let password =
            json!({ "psuData": { "password": server.sandbox["psus"][1]["password"] } }).to_string();
        let threads = (0..HASHERS).map(|_| {
            let (target, stop) = (server.target.clone(), stop.clone());
            let password = password.clone();
            std::thread::spawn(move || {
                let (mut connection, mut hashed) = (Connection::new(&target.address), 0);
                while !stop.load(Ordering::Relaxed) {
                    hashed += u64::from(hash(&target, &mut connection, &password).is_some());
                }
                hashed
            })
        });
        Self { threads: threads.collect(), stop }
    }

    fn end(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
    }
}

/// A consent up to the customer's password.
fn hash(target: &Target, connection: &mut Connection, password: &str) -> Option<()> {
    let mut call = |method: &str, path: &str, body: &str| {
        let answer = connection.send(&target.request(method, path, body)).ok()?;
        let body = (answer.status < 300).then(|| serde_json::from_str::<Value>(&answer.body).ok());
        body.flatten()
    };
    let created = call("POST", load::CONSENTS, load::CONSENT)?;
    let place = format!("{}/{}/authorisations", load::CONSENTS, created["consentId"].as_str()?);
    let started = call("POST", &place, "{}")?;
    let own = format!("{place}/{}", started["authorisationId"].as_str()?);
    call("PUT", &own, password).map(|_| ())
}
