//! The phase `cluster`: three programs on three PostgreSQL servers under Patroni, with faults under load.
//!
//! All of it runs in namespaces of its own (processes, mounts, network), which end with it, so that nothing of this machine is touched
//! and nothing remains.

mod check;
mod database;
mod fault;
mod load;
mod program;
mod recovery;
mod request;

use super::report::Figures;
use crate::process::{Outcome, capture_stdout, on_path, packages_install, root};
use check::Check;
use database::Database;
use fault::Fault;
use load::Load;
use program::Programs;
use recovery::Recovery;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

const PACKAGES: &[(&str, &[&str])] = &[
    ("patroni", &["patroni", "python3-psycopg2"]),
    ("etcd", &["etcd-server"]),
    ("haproxy", &["haproxy"]),
    ("ip", &["iproute2"]),
    ("curl", &["curl"]),
];
/// Load before each fault, from which the normal percentile is taken.
const LOAD_BEFORE_FAULT: Duration = Duration::from_secs(4);
/// The longest allowed time from a fault to a normal percentile.
const RECOVERY_GOAL: Duration = Duration::from_secs(10);
/// Load after a fault has ended, in which recovery must be seen.
const LOAD_AFTER_FAULT: Duration = Duration::from_secs(10);

/// How many violations of a fault are printed.
const SHOWN: usize = 5;

/// Where the files of the run are.
#[derive(Clone)]
struct Places {
    folder: PathBuf,
}

impl Places {
    fn machine(&self, number: usize) -> PathBuf {
        self.folder.join(format!("db{}", number + 1))
    }
}

/// Runs the phase in namespaces of its own and returns what it printed.
pub fn run(kills: u32) -> Outcome<(Figures, String)> {
    if capture_stdout(Command::new("id").arg("-u"))?.trim() != "0" {
        return Err("the phase cluster needs root, for namespaces and file systems of its own".to_owned());
    }
    for (program, packages) in PACKAGES {
        if on_path(program).is_none() {
            packages_install(program, packages)?;
        }
    }
    let own = std::env::current_exe().map_err(|e| format!("the path of xtask: {e}"))?;
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--kill-child", "--mount", "--net", "--mount-proc"]);
    // The shell is the first process of the namespace and waits for those that lost their parent.
    command.args(["sh", "-c", "\"$@\"; exit $?", "sh"]).arg(own);
    command.args(["trust", "--cluster-kills", &kills.to_string()]);
    let output = super::output_read(&mut command)?;
    let mut figures = Figures::default();
    figures.read(&output);
    if figures.tests == 0 {
        return Err("the cluster did not start; its logs are in target/trust/cluster".to_owned());
    }
    Ok((figures, output))
}

/// The run itself, inside the namespaces.
pub fn inside(kills: u32) -> Outcome {
    let places = Places { folder: root().join("target").join("trust").join("cluster") };
    let _absent = fs::remove_dir_all(&places.folder);
    fs::create_dir_all(&places.folder).map_err(|e| format!("{}: {e}", places.folder.display()))?;
    let mut database = Database::start(&places)?;
    println!("cluster: PostgreSQL is up: {:?}", database.members());
    let mut programs = Programs::start(&places, database.url())?;
    let sandbox = programs.sandbox()?;
    let before = Check::counts(&database)?;
    let load = Load::start(Programs::addresses(), &sandbox);
    let plan = Fault::plan(usize::try_from(kills).unwrap_or(usize::MAX));
    let (mut failed, mut checked) = (0, 0);
    for fault in &plan {
        let problems = round(*fault, &mut database, &mut programs, &load, &mut checked)?;
        show(&problems);
        failed += usize::from(!problems.is_empty());
    }
    let shared = load.shared.clone();
    load.stop();
    let problems = Check::last(&shared, &database, &programs, before)?;
    show(&problems);
    failed += usize::from(!problems.is_empty());
    let seen = shared.seen();
    println!(
        "cluster: {} tries, {} created, {} × 503, {} broken connections",
        seen.attempts.len(),
        seen.created.len(),
        seen.unavailable,
        seen.broken
    );
    println!("trust: count={} faults={}", seen.created.len(), plan.len());
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {word}. {} passed; {failed} failed", plan.len() + 1 - failed);
    Ok(())
}

/// One fault under load: what it violated.
fn round(
    fault: Fault,
    database: &mut Database,
    programs: &mut Programs,
    load: &Load,
    checked: &mut usize,
) -> Outcome<Vec<String>> {
    let first_attempt = load.shared.seen().attempts.len();
    std::thread::sleep(LOAD_BEFORE_FAULT);
    let start = Instant::now();
    fault.inject(database, programs)?;
    let lasted = start.elapsed();
    std::thread::sleep(LOAD_AFTER_FAULT);
    database.wait_until_complete()?;
    let mut attempts = load.shared.seen().attempts[first_attempt..].to_vec();
    attempts.sort_unstable_by_key(|one| one.end);
    let recovery = Recovery::of(&attempts, start, Instant::now());
    let wrong_answers = std::mem::take(&mut load.shared.seen().violations);
    // What is missing is shown first.
    let (count, mut problems) = Check::acknowledged(&load.shared, checked);
    problems.extend(programs.ended().iter().map(|number| format!("program {number} has ended")));
    problems.extend(wrong_answers);
    let millis = |duration: Duration| format!("{:.1} s", duration.as_secs_f64());
    println!(
        "{:16} lasted {:>6}, outage {:>6}, p99 back after {:>6} (before {} ms); {count} acknowledged are there once",
        fault.name(),
        millis(lasted),
        millis(recovery.outage),
        recovery.time.map_or("never".to_owned(), millis),
        recovery.p99_before.as_millis()
    );
    match recovery.time {
        Some(time) if time <= RECOVERY_GOAL => {}
        Some(time) => {
            let late = attempts.iter().filter(|one| one.end >= start + RECOVERY_GOAL);
            let failed = late.clone().filter(|one| !one.ok).count();
            let slowest = late.map(|one| one.took).max().unwrap_or_default();
            println!(
                "  slower than {RECOVERY_GOAL:?}: {time:?}; after the first {RECOVERY_GOAL:?} {failed} tries failed, the slowest took {} ms",
                slowest.as_millis()
            );
        }
        None => problems.push("the 99th percentile did not come back".to_owned()),
    }
    Ok(problems)
}

fn show(problems: &[String]) {
    problems.iter().take(SHOWN).for_each(|problem| println!("  violation: {problem}"));
    if problems.len() > SHOWN {
        println!("  and {} more violations", problems.len() - SHOWN);
    }
}

/// Asks until there is a value.
fn wait_for<T>(what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> Outcome<T> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(value) = ask() {
            return Ok(value);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err(format!("waited {limit:?} for {what}"))
}
