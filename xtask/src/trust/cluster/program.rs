//! Three programs of one bank on the cluster's database.

use super::database::spawn;
use super::{Places, wait_for};
use crate::process::{Outcome, capture_stdout, root, run};
use serde_json::Value;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub const PROGRAMS: usize = 3;
const START_TIMEOUT: Duration = Duration::from_secs(90);

pub struct Programs {
    places: Places,
    url: &'static str,
    children: Vec<Child>,
}

impl Programs {
    /// The first one creates the bank; the others get its secret, its callers' keys and its clearing folder.
    pub fn start(places: &Places, url: &'static str) -> Outcome<Self> {
        let mut programs = Self { places: places.clone(), url, children: Vec::new() };
        for number in 0..PROGRAMS {
            if number > 0 {
                programs.join(number)?;
            }
            let child = programs.spawn(number)?;
            programs.children.push(child);
            programs.wait_until_ready(number)?;
        }
        Ok(programs)
    }

    pub fn addresses() -> Vec<SocketAddr> {
        (0..PROGRAMS).map(address).collect()
    }

    /// The content of `sandbox.json`.
    pub fn sandbox(&self) -> Outcome<Value> {
        let file = self.data(0).join("sandbox.json");
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))
    }

    pub fn kill(&mut self, number: usize) -> Outcome {
        let child = &mut self.children[number];
        child.kill().and_then(|()| child.wait()).map(|_| ()).map_err(|e| format!("the program: {e}"))
    }

    /// Stops a program as an upgrade does, which finishes its requests.
    pub fn terminate(&mut self, number: usize) -> Outcome {
        let child = &mut self.children[number];
        capture_stdout(Command::new("kill").args(["-TERM", &child.id().to_string()]))?;
        let status = child.wait().map_err(|e| format!("the program: {e}"))?;
        if status.success() { Ok(()) } else { Err(format!("the program ended with {status}")) }
    }

    pub fn restart(&mut self, number: usize) -> Outcome {
        self.children[number] = self.spawn(number)?;
        self.wait_until_ready(number)
    }

    /// Those that do not run any more: no fault of the database may end one.
    pub fn ended(&mut self) -> Vec<usize> {
        let children = self.children.iter_mut().enumerate();
        children
            .filter_map(|(number, child)| (!matches!(child.try_wait(), Ok(None))).then_some(number))
            .collect()
    }

    /// Runs a command of the program against the database; what it printed is in the error.
    pub fn command(&self, words: &[&str]) -> Outcome<String> {
        let mut command = Command::new(binary());
        command.args(words).arg("--data").arg(self.data(0)).args(["--database", self.url]);
        let done = command.output().map_err(|e| format!("{}: {e}", words.join(" ")))?;
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        if done.status.success() { Ok(text) } else { Err(format!("{}: {text}", words.join(" "))) }
    }

    fn data(&self, number: usize) -> PathBuf {
        self.places.folder.join(format!("program{number}"))
    }

    fn join(&self, number: usize) -> Outcome {
        let (first, data) = (self.data(0), self.data(number));
        let failed = |e: std::io::Error| format!("{}: {e}", data.display());
        fs::create_dir(&data).map_err(failed)?;
        run(Command::new("cp")
            .arg("--preserve=mode")
            .args([first.join("secret.key"), first.join("sandbox.json")])
            .arg(&data))?;
        run(Command::new("chmod").arg("700").arg(&data))?;
        std::os::unix::fs::symlink(first.join("clearing"), data.join("clearing")).map_err(failed)
    }

    fn spawn(&self, number: usize) -> Outcome<Child> {
        let mut command = Command::new(binary());
        command.args(["sandbox", "--rate-limit", "off", "--listen", &address(number).to_string()]);
        command.args(["--database", self.url, "--data"]).arg(self.data(number));
        // As deploy/cluster/trapeza.toml has it.
        command.env("TRAPEZA_STORE_POSTGRES_CONNECT_TIMEOUT_SECONDS", "3").env("TRAPEZA_LOG_LEVEL", "info");
        spawn(&mut command, &self.data(number).with_extension("log"))
    }

    fn wait_until_ready(&self, number: usize) -> Outcome {
        let url = format!("http://{}/readyz", address(number));
        let ready = || {
            let mut curl = Command::new("curl");
            curl.args(["--silent", "--fail", "--max-time", "2", &url]).stdout(Stdio::null());
            curl.status().is_ok_and(|status| status.success()).then_some(())
        };
        wait_for(&format!("program {number} to be ready"), START_TIMEOUT, ready)
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        for child in &mut self.children {
            // Has no effect when it has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn address(number: usize) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 18080 + u16::try_from(number).unwrap_or(0)))
}

fn binary() -> PathBuf {
    root().join("target").join("debug").join("trapeza")
}
