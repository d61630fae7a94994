//! A temporary PostgreSQL: found or installed, started in a fresh directory, and removed when this process ends.
//!
//! A watchdog process holds the other end of a pipe to this one. However this process ends (done, failed, Ctrl-C, killed), the pipe
//! closes, and the watchdog stops the server and removes its directory; no signal handler is needed.
//! initdb refuses root, so as root everything here runs as the user `postgres`.

use crate::process::{Outcome, capture_stdout, on_path, packages_install};
use std::fs::File;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// The oldest server we test with.
const OLDEST_MAJOR: u32 = 15;
/// A file system in memory, and how many MiB of it tests need at most.
const MEMORY: &str = "/dev/shm";
const MEMORY_NEEDED: u64 = 4096;
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A running server. Dropping it stops it and removes its files.
pub struct Postgres {
    pub url: String,
    watchdog: Child,
    /// The watchdog stops the server when this is closed.
    stop_pipe: Option<ChildStdin>,
}

/// An installed server's programs.
pub struct Installed {
    bin: PathBuf,
    as_root: bool,
}

/// `cargo xtask postgres`.
pub fn show() -> Outcome {
    let server = Postgres::start(&Installed::find_or_install()?, Storage::Memory)?;
    println!("export TRAPEZA_TEST_POSTGRES={}", server.url);
    println!("Ctrl-C stops it and removes its files.");
    loop {
        std::thread::park();
    }
}

impl Installed {
    /// The newest server on this machine; installs one when there is none and we may.
    pub fn find_or_install() -> Outcome<Self> {
        let as_root = capture_stdout(Command::new("id").arg("-u"))?.trim() == "0";
        if let Some(bin) = bin_directory() {
            return Ok(Self { bin, as_root });
        }
        let wanted = format!("PostgreSQL {OLDEST_MAJOR} or newer (the server: initdb, pg_ctl, postgres)");
        install().map_err(|problem| {
            format!("{wanted} is not installed: {problem}. Others than Debian: see postgresql.org/download")
        })?;
        let bin = bin_directory().ok_or(format!("{wanted} is still absent after its installation"))?;
        Ok(Self { bin, as_root })
    }

    /// A program, as a user initdb accepts.
    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = if self.as_root {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--"]);
            command.arg(program.as_ref());
            command
        } else {
            Command::new(program.as_ref())
        };
        // The server's user may not be allowed into the directory we were called from.
        command.current_dir("/");
        command
    }

    /// One of the server's own programs.
    pub fn program(&self, name: &str) -> Command {
        self.command(self.bin.join(name))
    }
}

/// Where a server has its files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// As in operation, with fsync.
    Disk,
    /// For tests, where there is enough memory: they create and drop thousands of databases of hundreds of files each.
    Memory,
}

impl Storage {
    fn directory(self) -> &'static Path {
        let memory = Path::new(MEMORY);
        if self == Self::Memory && free_mebibytes(memory).is_some_and(|free| free >= MEMORY_NEEDED) {
            return memory;
        }
        Path::new("/tmp")
    }
}

fn free_mebibytes(directory: &Path) -> Option<u64> {
    let df = Command::new("df").args(["--output=avail", "--block-size=1M"]).arg(directory).output().ok()?;
    String::from_utf8(df.stdout).ok()?.lines().last()?.trim().parse().ok()
}

impl Postgres {
    pub fn start(installed: &Installed, storage: Storage) -> Outcome<Self> {
        let template = storage.directory().join("trapeza-postgres.XXXXXX");
        let made = capture_stdout(installed.command("mktemp").arg("-d").arg(template))?;
        let dir = PathBuf::from(made.trim());
        // From here on the watchdog cleans up, however this process ends.
        let mut server = Self::guard(installed, &dir)?;
        let password = password()?;
        cluster_make(installed, &dir, &password)?;
        let port = cluster_start(installed, &dir)?;
        server.url = format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres");
        Ok(server)
    }

    fn guard(installed: &Installed, dir: &Path) -> Outcome<Self> {
        let script = r#"
            trap '' INT TERM HUP
            cat >/dev/null
            "$1" -D "$2/data" -m immediate -w stop >/dev/null 2>&1
            rm -rf "$2""#;
        let mut watchdog = installed
            .command("sh")
            .args(["-c", script, "watchdog"])
            .args([&installed.bin.join("pg_ctl"), dir])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            // A group of its own: Ctrl-C at the terminal is for us.
            .process_group(0)
            .spawn()
            .map_err(|e| format!("cannot start the watchdog of PostgreSQL: {e}"))?;
        let stop_pipe = watchdog.stdin.take();
        Ok(Self { url: String::new(), watchdog, stop_pipe })
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.stop_pipe.take());
        if let Err(e) = self.watchdog.wait() {
            eprintln!("xtask: PostgreSQL's watchdog did not end well: {e}");
        }
    }
}

fn install() -> Outcome {
    let fixed = format!("postgresql-{OLDEST_MAJOR}");
    packages_install("PostgreSQL", &[&fixed]).or_else(|_| packages_install("PostgreSQL", &["postgresql"]))
}

/// Debian keeps servers of several versions side by side, off the PATH; elsewhere they are on it.
fn bin_directory() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin")))
        })
        .filter(|(major, bin)| *major >= OLDEST_MAJOR && complete(bin))
        .max();
    if let Some((_, bin)) = newest {
        return Some(bin);
    }
    let bin = on_path("initdb")?.parent()?.to_path_buf();
    let version = capture_stdout(Command::new(bin.join("postgres")).arg("--version")).ok()?;
    (complete(&bin) && major(&version)? >= OLDEST_MAJOR).then_some(bin)
}

fn complete(bin: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres"].iter().all(|name| bin.join(name).is_file())
}

/// `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)` → 15.
fn major(version: &str) -> Option<u32> {
    let number = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The port is open to every user of the machine, so the superuser has a password of its own each time.
fn password() -> Outcome<String> {
    let mut bytes = [0_u8; 16];
    let mut source = File::open("/dev/urandom").map_err(|e| format!("/dev/urandom: {e}"))?;
    source.read_exact(&mut bytes).map_err(|e| format!("/dev/urandom: {e}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn cluster_make(installed: &Installed, dir: &Path, password: &str) -> Outcome {
    // The password goes through the environment of a shell, not through an argument others could list. md5 instead
    // of scram: tests connect hundreds of times, and scram is slow on purpose.
    let script = r#"umask 077; printf '%s\n' "$PASSWORD" >"$2/password" && exec "$1" -D "$2/data" -U postgres \
        --encoding=UTF8 --locale=C --auth=md5 --pwfile="$2/password" --no-sync"#;
    let mut initdb = installed.command("sh");
    initdb.args(["-c", script, "initdb"]).args([&installed.bin.join("initdb"), dir]);
    capture_stdout(initdb.env("PASSWORD", password)).map(|_| ())
}

/// A free port can be taken by another between our look and the server's start, so there are several tries.
fn cluster_start(installed: &Installed, dir: &Path) -> Outcome<u16> {
    let begun = Instant::now();
    let mut problem = String::new();
    for _ in 0..5 {
        let port = free_port()?;
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories='' -c max_connections=300"
        );
        let mut start = installed.program("pg_ctl");
        start.arg("-D").arg(dir.join("data")).arg("-l").arg(dir.join("log"));
        start.args(["-w", "-t", "30", "-o", &options, "start"]);
        // Away from the terminal's group, or Ctrl-C would reach the server before the tests that still use it.
        match capture_stdout(start.process_group(0).stdout(Stdio::null())) {
            Ok(_) => return Ok(port),
            Err(e) => problem = e,
        }
        if begun.elapsed() > START_TIMEOUT {
            break;
        }
    }
    let log =
        capture_stdout(installed.command("tail").args(["-n", "20"]).arg(dir.join("log"))).unwrap_or_default();
    Err(format!("PostgreSQL did not start: {problem}\n{log}"))
}

fn free_port() -> Outcome<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|e| format!("no free port: {e}"))?;
    listener.local_addr().map(|address| address.port()).map_err(|e| format!("no free port: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_version_is_parsed() {
        assert_eq!(major("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major("psql"), None);
    }

    #[test]
    fn server_stops_when_dropped() {
        let installed = Installed::find_or_install().unwrap();
        for storage in [Storage::Disk, Storage::Memory] {
            let server = Postgres::start(&installed, storage).unwrap();
            let address = server.url.rsplit('@').next().unwrap().trim_end_matches("/postgres").to_owned();
            assert!(std::net::TcpStream::connect(&address).is_ok(), "nothing listens on {address}");
            drop(server);
            assert!(
                std::net::TcpStream::connect(&address).is_err(),
                "the server on {address} is still there"
            );
        }
    }
}
