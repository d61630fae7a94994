//! Three database machines, each a network namespace with etcd, Patroni and PostgreSQL, and HAProxy in front of them. All run with the
//! files of deploy/cluster; only paths are replaced.

use super::{Places, wait_for};
use crate::process::{Outcome, capture_stdout, root};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub const MACHINES: usize = 3;
const BRIDGE: &str = "10.0.0.1/24";
/// The size of the file system of each data directory: enough for the WAL that PostgreSQL keeps, and small enough to be filled.
const DISK_MEBIBYTES: usize = 2500;
/// With less room than this the primary is replaced.
const MIN_FREE_MEBIBYTES: usize = 256;
/// How long the cluster may take until it is complete.
const COMPLETE_TIMEOUT: Duration = Duration::from_secs(90);

pub struct Database {
    places: Places,
    machines: Vec<Machine>,
    _haproxy: Child,
}

struct Machine {
    number: usize,
    etcd: Child,
    patroni: Child,
    disk_space: Child,
}

/// What Patroni says about the members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    pub primary: Option<usize>,
    pub synchronous: Option<usize>,
    pub running: usize,
}

impl Database {
    pub fn start(places: &Places) -> Outcome<Self> {
        network()?;
        let machines = (0..MACHINES).map(|number| Machine::start(places, number));
        let machines = machines.collect::<Outcome<Vec<_>>>()?;
        let haproxy = places.folder.join("haproxy.cfg");
        fs::copy(deployed("haproxy.cfg"), &haproxy).map_err(|e| format!("{}: {e}", haproxy.display()))?;
        let haproxy =
            spawn(Command::new("haproxy").arg("-f").arg(haproxy), &places.folder.join("haproxy.log"))?;
        let database = Self { places: places.clone(), machines, _haproxy: haproxy };
        database.wait_until_complete()?;
        database.psql("CREATE ROLE trapeza LOGIN PASSWORD 'trapeza'")?;
        database.psql("CREATE DATABASE trapeza OWNER trapeza")?;
        Ok(database)
    }

    pub fn url(&self) -> &'static str {
        "postgres://trapeza:trapeza@127.0.0.1:5000/trapeza?sslmode=disable"
    }

    /// Waits until there is a primary, a synchronous standby, and all members run.
    pub fn wait_until_complete(&self) -> Outcome<Members> {
        wait_for("a complete cluster", COMPLETE_TIMEOUT, || {
            let members = self.members()?;
            let complete =
                members.primary.is_some() && members.synchronous.is_some() && members.running == MACHINES;
            complete.then_some(members)
        })
    }

    /// The members as one of the machines that answers sees them.
    pub fn members(&self) -> Option<Members> {
        (0..MACHINES).find_map(|number| {
            let url = format!("http://{}:8008/cluster", address(number));
            let text =
                capture_stdout(Command::new("curl").args(["--silent", "--max-time", "1", &url])).ok()?;
            let cluster: Value = serde_json::from_str(&text).ok()?;
            let listed = cluster["members"].as_array()?;
            let with_role = |role: &str| {
                let member = listed.iter().find(|member| member["role"] == role && is_running(member))?;
                member["name"].as_str()?.strip_prefix("db")?.parse::<usize>().ok().map(|number| number - 1)
            };
            let running = listed.iter().filter(|member| is_running(member)).count();
            Some(Members { primary: with_role("leader"), synchronous: with_role("sync_standby"), running })
        })
    }

    pub fn primary(&self) -> Outcome<usize> {
        let primary = || self.members()?.primary;
        wait_for("a primary", COMPLETE_TIMEOUT, primary)
    }

    /// Kills PostgreSQL on a machine, as the kernel does when memory is short.
    pub fn kill_postgres(&self, machine: usize) -> Outcome {
        capture_stdout(Command::new("kill").args(["-KILL", &self.postmaster(machine)?])).map(|_| ())
    }

    /// Kills everything on a machine but etcd: PostgreSQL with all its backends, and Patroni.
    pub fn kill_machine(&mut self, machine: usize) -> Outcome {
        self.machines[machine].patroni.kill().map_err(|e| format!("patroni: {e}"))?;
        self.machines[machine].patroni.wait().map_err(|e| format!("patroni: {e}"))?;
        self.kill_postgres(machine)
    }

    pub fn start_patroni(&mut self, machine: usize) -> Outcome {
        self.machines[machine].patroni = patroni(&self.places, machine)?;
        Ok(())
    }

    /// Stops or continues Patroni and all processes of PostgreSQL.
    pub fn signal_all(&self, machine: usize, signal: &str) -> Outcome {
        let postmaster = self.postmaster(machine)?;
        let children =
            capture_stdout(Command::new("pgrep").args(["--parent", &postmaster])).unwrap_or_default();
        let patroni = self.machines[machine].patroni.id().to_string();
        let mut command = Command::new("kill");
        command.arg(format!("-{signal}")).args([&patroni, &postmaster]).args(children.split_whitespace());
        // Backends may end meanwhile.
        let _ = command.stderr(Stdio::null()).status();
        Ok(())
    }

    /// Takes the network cable out, or plugs it in again.
    pub fn link(&self, machine: usize, state: &str) -> Outcome {
        capture_stdout(Command::new("ip").args(["link", "set", &format!("port{machine}"), state])).map(|_| ())
    }

    /// Asks Patroni to make the synchronous standby the primary.
    pub fn switch_over(&self) -> Outcome {
        let members = self.wait_until_complete()?;
        let (Some(primary), Some(candidate)) = (members.primary, members.synchronous) else {
            return Err("no primary and standby to switch".to_owned());
        };
        let url = format!("http://{}:8008/switchover", address(primary));
        let body = format!(r#"{{"leader":"db{}","candidate":"db{}"}}"#, primary + 1, candidate + 1);
        capture_stdout(Command::new("curl").args([
            "--silent",
            "--show-error",
            "--max-time",
            "30",
            "--data",
            &body,
            &url,
        ]))
        .map(|_| ())
    }

    /// Fills the file system of a machine's data directory, or makes room again.
    pub fn fill_disk(&self, machine: usize) -> Outcome {
        let path = self.disk(machine).join("filler");
        let mut filler = fs::File::create(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mebibyte = vec![0_u8; 1 << 20];
        for _ in 0..DISK_MEBIBYTES {
            if filler.write_all(&mebibyte).is_err() {
                return Ok(());
            }
        }
        Err(format!("{} did not fill the file system", path.display()))
    }

    pub fn free_disk(&self, machine: usize) -> Outcome {
        fs::remove_file(self.disk(machine).join("filler")).map_err(|e| format!("the filler: {e}"))
    }

    /// Runs a statement on the primary and returns its rows.
    pub fn query(&self, sql: &str) -> Outcome<String> {
        capture_stdout(
            Command::new("psql")
                .args(["--no-psqlrc", "--tuples-only", "--no-align", "--dbname", self.url()])
                .args(["--command", sql]),
        )
        .map(|text| text.trim().to_owned())
    }

    fn psql(&self, sql: &str) -> Outcome {
        let url = "postgres://postgres:change-me-superuser@127.0.0.1:5000/postgres?sslmode=disable";
        capture_stdout(Command::new("psql").args([
            "--no-psqlrc",
            "--quiet",
            "--dbname",
            url,
            "--command",
            sql,
        ]))
        .map(|_| ())
    }

    fn disk(&self, machine: usize) -> PathBuf {
        self.places.machine(machine).join("disk")
    }

    fn postmaster(&self, machine: usize) -> Outcome<String> {
        let file = self.disk(machine).join("data").join("postmaster.pid");
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }
}

impl Machine {
    fn start(places: &Places, number: usize) -> Outcome<Self> {
        let folder = places.machine(number);
        let disk = folder.join("disk");
        fs::create_dir_all(&disk).map_err(|e| format!("{}: {e}", disk.display()))?;
        let size = format!("size={DISK_MEBIBYTES}m");
        capture_stdout(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&disk))?;
        capture_stdout(Command::new("chown").args(["--recursive", "postgres:postgres"]).arg(&folder))?;
        let etcd = configuration("etcd", &folder, number)?;
        let mut command = inside(number, "postgres");
        command.arg("etcd");
        for line in etcd.lines().filter(|line| line.starts_with("ETCD_")) {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            command.env(name, value);
        }
        let etcd = spawn(&mut command, &folder.join("etcd.log"))?;
        let patroni_yml = configuration("patroni.yml", &folder, number)?;
        let file = folder.join("patroni.yml");
        fs::write(&file, patroni_yml).map_err(|e| format!("{}: {e}", file.display()))?;
        let disk_space = disk_space(&folder, number)?;
        Ok(Self { number, etcd, patroni: patroni(places, number)?, disk_space })
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for child in [&mut self.disk_space, &mut self.patroni, &mut self.etcd] {
            if child.kill().and_then(|()| child.wait()).is_err() {
                eprintln!("xtask: a process of db{} did not end", self.number + 1);
            }
        }
    }
}

fn is_running(member: &Value) -> bool {
    matches!(member["state"].as_str(), Some("running" | "streaming"))
}

fn patroni(places: &Places, number: usize) -> Outcome<Child> {
    let folder = places.machine(number);
    let mut command = inside(number, "postgres");
    spawn(command.arg("patroni").arg(folder.join("patroni.yml")), &folder.join("patroni.log"))
}

/// What switches over when a disk is nearly full, as its unit in deploy/cluster starts it.
fn disk_space(folder: &Path, number: usize) -> Outcome<Child> {
    let mut command = inside(number, "postgres");
    command.arg(deployed("disk-space-switchover"));
    command.args([format!("db{}", number + 1), format!("http://{}:8008", address(number))]);
    command.arg(folder.join("disk")).arg(MIN_FREE_MEBIBYTES.to_string());
    spawn(&mut command, &folder.join("disk-space-switchover.log"))
}

fn deployed(name: &str) -> PathBuf {
    root().join("deploy").join("cluster").join(name)
}

/// A file of deploy/cluster for a machine: its name and address, and paths below its folder.
fn configuration(name: &str, folder: &Path, number: usize) -> Outcome<String> {
    let path = deployed(name);
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let place = |name: &str| folder.join(name).display().to_string();
    let mut lines = Vec::new();
    for line in text.lines() {
        // The list of all members is the same everywhere.
        let line = match line.contains("10.0.0.12") {
            true => line.to_owned(),
            false => line.replace("10.0.0.11", &address(number)).replace("db1", &format!("db{}", number + 1)),
        };
        lines.push(line);
    }
    let text = lines.join("\n") + "\n";
    let replaced = [
        ("/var/lib/etcd/trapeza", place("etcd")),
        ("/var/lib/postgresql/15/trapeza", place("disk/data")),
        ("/var/lib/postgresql/pgpass-patroni", place("pgpass")),
        ("/var/run/postgresql", place("disk")),
    ];
    Ok(replaced.iter().fold(text, |text, (from, to)| text.replace(from, to)))
}

fn address(number: usize) -> String {
    format!("10.0.0.{}", 11 + number)
}

/// A bridge with a port for each machine. Named namespaces are below /run, which is ours alone here.
fn network() -> Outcome {
    let ip = |words: &str| capture_stdout(Command::new("ip").args(words.split(' '))).map(|_| ());
    capture_stdout(Command::new("mount").args(["-t", "tmpfs", "tmpfs", "/run"]))?;
    ip("link set lo up")?;
    ip("link add bridge0 type bridge")?;
    ip(&format!("address add {BRIDGE} dev bridge0"))?;
    ip("link set bridge0 up")?;
    for number in 0..MACHINES {
        ip(&format!("netns add db{number}"))?;
        ip(&format!("link add port{number} type veth peer name eth0 netns db{number}"))?;
        ip(&format!("link set port{number} master bridge0 up"))?;
        ip(&format!("-netns db{number} address add {}/24 dev eth0", address(number)))?;
        ip(&format!("-netns db{number} link set eth0 up"))?;
        ip(&format!("-netns db{number} link set lo up"))?;
    }
    Ok(())
}

/// The beginning of a command in a machine's namespace, as this user.
fn inside(number: usize, user: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &format!("db{number}"), "setpriv"]);
    command.args([format!("--reuid={user}"), format!("--regid={user}")]).args(["--init-groups", "--"]);
    command.current_dir("/");
    command
}

/// Starts a program with its output in a file.
pub fn spawn(command: &mut Command, log: &Path) -> Outcome<Child> {
    let file = fs::File::options().create(true).append(true).open(log);
    let file = file.map_err(|e| format!("{}: {e}", log.display()))?;
    let error = file.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
    let child = command.stdin(Stdio::null()).stdout(file).stderr(error).spawn();
    child.map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))
}
