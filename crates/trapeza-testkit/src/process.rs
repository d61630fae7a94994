//! The program as a process with a data directory and a log.

use crate::api_client::ApiClient;
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

pub struct ServerProcess {
    child: Child,
    pub data: PathBuf,
    pub base_url: String,
    /// Content of `sandbox.json`.
    pub sandbox_file: Value,
    client: reqwest::Client,
}

/// Longer than the ninety days that require recent SCA, short enough for hundreds of tests.
const DAYS: &str = "120";
/// Timeout of a start.
const TIMEOUT: Duration = Duration::from_secs(60);

impl ServerProcess {
    /// Starts `trapeza sandbox`, on a free port unless `more` has another address, with a short history unless it has another length,
    /// and waits until it is ready. Its log is `trapeza.log` beside the data directory.
    pub async fn sandbox(data: &Path, database: &str, more: &[&str]) -> Self {
        let log = File::options().create(true).append(true).open(log_file(data)).expect("a log file");
        let mut command = Command::new(binary());
        command.args(["sandbox", "--rate-limit", "off", "--data"]).arg(data);
        if !more.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        if !more.contains(&"--days") {
            command.args(["--days", DAYS]);
        }
        if !database.is_empty() {
            command.args(["--database", database]);
        }
        let child = command
            .args(more)
            .env("TRAPEZA_LOG_LEVEL", "trace")
            .env("TRAPEZA_LOG_FORMAT", "json")
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the program starts");
        let mut program = Self {
            child,
            data: data.into(),
            base_url: String::new(),
            sandbox_file: Value::Null,
            client: reqwest::Client::new(),
        };
        program.wait_until_ready().await;
        program
    }

    /// The welcome is printed when the server listens; sandbox.json contains its address.
    async fn wait_until_ready(&mut self) {
        use std::io::{BufRead, BufReader};
        let started = Instant::now();
        let out = self.child.stdout.take().expect("the output is piped");
        let welcome = tokio::task::spawn_blocking(move || {
            let mut reader = BufReader::new(out);
            let mut line = String::new();
            reader.read_line(&mut line).map(|_| line)
        });
        let line = welcome.await.expect("the output is read").expect("the output is read");
        assert!(line.starts_with("Trapeza sandbox"), "{line:?}: {}", self.log_tail());
        let sandbox_file =
            std::fs::read_to_string(self.data.join("sandbox.json")).expect("the sandbox_file is there");
        self.sandbox_file = serde_json::from_str(&sandbox_file).expect("the sandbox_file is JSON");
        self.base_url = self.sandbox_file["base_url"].as_str().expect("an address").to_owned();
        while self.try_get("/readyz").await != Some(200) {
            if started.elapsed() >= TIMEOUT {
                panic!("not ready: {:?}\n{}", self.text("/readyz").await, self.log_tail());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn text(&self, path: &str) -> Option<String> {
        let answer = self.client.get(format!("{}{path}", self.base_url)).send().await.ok()?;
        answer.text().await.ok()
    }

    async fn try_get(&self, path: &str) -> Option<u16> {
        let answer = self.client.get(format!("{}{path}", self.base_url)).send().await;
        answer.ok().map(|answer| answer.status().as_u16())
    }

    pub fn anonymous(&self) -> ApiClient {
        ApiClient::new(self.client.clone(), self.base_url.clone())
    }

    pub fn tpp(&self, number: usize) -> ApiClient {
        self.anonymous().as_tpp(&self.sandbox_file["tpps"][number])
    }

    pub fn merchant(&self, number: usize) -> ApiClient {
        self.anonymous().as_merchant(&self.sandbox_file["merchants"][number])
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// kill -9.
    pub fn kill(&mut self) {
        self.child.kill().expect("the process can be killed");
        self.child.wait().expect("the process ends");
    }

    /// SIGTERM; returns the exit status.
    pub fn terminate(&mut self) -> ExitStatus {
        let signalled = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(signalled.expect("kill runs").success());
        self.wait()
    }

    /// The exit status, when it has exited.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().expect("the process ends")
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(log_file(&self.data)).unwrap_or_default()
    }

    fn log_tail(&self) -> String {
        let log = self.log();
        log.lines().rev().take(20).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to its end.
pub fn run(arguments: &[&str]) -> Output {
    Command::new(binary()).args(arguments).output().expect("the program starts")
}

fn log_file(data: &Path) -> PathBuf {
    data.with_extension("log")
}

/// The binary that was built with the running test.
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a program");
    let directory = test.ancestors().find(|place| place.join("trapeza").is_file());
    directory.map(|place| place.join("trapeza")).expect("the program is built: cargo build -p trapeza")
}
