//! The program as a bank that is killed in the middle of writes and started again; the caller then sends the same request again.

use super::step::Kill;
use crate::http::payment::{ELENI, JONAS, text};
use reqwest::Method;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{ApiClient, ApiResponse};
use uuid::Uuid;

pub type Violation = String;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Native,
    BerlinGroup,
    /// Sandbox operations, and merchants, who have keys in bodies.
    Plain,
    Merchant,
}

pub struct KilledBank {
    program: ServerProcess,
    database: Database,
    _directory: tempfile::TempDir,
    data: PathBuf,
    seed: u64,
    keys: u64,
    /// The kill of this step, and how many of its writes were sent.
    planned: Option<Kill>,
    writes: usize,
    pub kills: usize,
}

impl KilledBank {
    pub async fn start(engine: Engine, seed: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        let postgres = (engine == Engine::Postgres).then(|| Database::new(engine));
        let url = postgres.as_ref().map(Database::url).unwrap_or_default();
        let program = ServerProcess::sandbox(&data, &url, &[]).await;
        let database = postgres.unwrap_or_else(|| Database::at(&data));
        Self {
            program,
            database,
            _directory: directory,
            data,
            seed,
            keys: 0,
            planned: None,
            writes: 0,
            kills: 0,
        }
    }

    /// Plans the kill of the next step.
    pub fn plan(&mut self, kill: Option<Kill>) {
        (self.planned, self.writes) = (kill, 0);
    }

    async fn kill(&mut self) {
        self.program.kill();
        self.kills += 1;
        self.program = ServerProcess::sandbox(&self.data, &self.database.url(), &[]).await;
    }

    pub fn psu(&self, number: usize) -> Value {
        self.program.sandbox_file["psus"][number].clone()
    }

    pub fn iban(&self, number: usize) -> String {
        text(&self.psu(number)["accounts"][0]["iban"]).to_owned()
    }

    pub fn code(&self) -> Value {
        self.program.sandbox_file["otp"].clone()
    }

    pub fn base_url(&self) -> &str {
        &self.program.base_url
    }

    pub fn client(&self, dialect: Dialect) -> ApiClient {
        let psu = self.psu(JONAS);
        let login = text(&psu["psu_id"]);
        match dialect {
            Dialect::Native => self.program.tpp(0).with("PSU_ID", login).with("pSUIPAddress", "192.0.2.1"),
            Dialect::BerlinGroup => self
                .program
                .anonymous()
                .with_request_id()
                .with("PSU-ID", login)
                .with("PSU-IP-Address", "192.0.2.1")
                .with("TPP-Explicit-Authorisation-Preferred", "true"),
            Dialect::Plain => self.program.anonymous(),
            Dialect::Merchant => self.program.merchant(0),
        }
    }

    /// Sends a write; where it is planned, the process is killed under it, and the same is sent to the next one.
    pub async fn write(
        &mut self,
        dialect: Dialect,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<ApiResponse, Violation> {
        self.keys += 1;
        let key = Uuid::from_u64_pair(self.seed, self.keys).to_string();
        let keyed = matches!(dialect, Dialect::Native | Dialect::BerlinGroup);
        let client = |bank: &Self| match keyed {
            true => bank.client(dialect).without("x-Request-ID").with("X-Request-ID", &key),
            false => bank.client(dialect),
        };
        let body = body.map(|body| body.to_string().into_bytes());
        self.writes += 1;
        let mut answered = None;
        if let Some(kill) = self.planned.filter(|kill| kill.write + 1 == self.writes) {
            let (client, method, path, body) = (client(self), method.clone(), path.to_owned(), body.clone());
            let sent = tokio::spawn(async move { client.try_send(method, &path, body).await });
            tokio::time::sleep(Duration::from_micros(kill.micros)).await;
            self.kill().await;
            answered = sent.await.unwrap().ok().filter(|first| first.status < 300);
        }
        let answer = loop {
            let answer = client(self).send(method.clone(), path, body.clone()).await;
            match answer.status {
                // Too many at once: the same again.
                503 => tokio::time::sleep(Duration::from_millis(20)).await,
                500.. => return Err(format!("{method} {path}: {answer:?}")),
                _ => break answer,
            }
        };
        match answered.filter(|_| keyed) {
            Some(first) if same_body(&first.body) != same_body(&answer.body) => {
                Err(format!("{method} {path}: answered {first:?}, after the kill {answer:?}"))
            }
            _ => Ok(answer),
        }
    }

    pub async fn advance(&mut self, span: &str) -> Result<(), Violation> {
        let moved = self
            .write(Dialect::Plain, Method::POST, "/sandbox/clock", Some(json!({ "advance": span })))
            .await?;
        if moved.status == 200 { Ok(()) } else { Err(format!("{moved:?}")) }
    }

    /// The bank's date, which near midnight may be the next one already.
    pub async fn today(&self) -> jiff::civil::Date {
        let clock = self.client(Dialect::Plain).get("/sandbox/clock").await;
        clock.text("/now")[..10].parse().unwrap()
    }

    /// Booked and held of both customers.
    pub fn balances(&self) -> [(i64, i64); 2] {
        [JONAS, ELENI].map(|customer| {
            let sql = format!(
                "SELECT l.booked_minor, l.held_minor FROM account a JOIN ledger_account l ON l.id = a.ledger_account WHERE a.iban = '{}'",
                self.iban(customer)
            );
            let row = self.database.rows(&sql).remove(0);
            (row[0].parse().unwrap(), row[1].parse().unwrap())
        })
    }

    /// How many payments there are: those that were ordered, and executions of standing orders.
    pub fn payments(&self) -> (i64, i64) {
        let count = |filter: &str| {
            self.database.number(&format!("SELECT COUNT(*) FROM payment WHERE standing_order IS {filter}"))
        };
        (count("NULL"), count("NOT NULL"))
    }

    /// Ends the program and checks ledger and audit log.
    pub fn check(mut self) -> Result<(), Violation> {
        if !self.program.terminate().success() {
            return Err("the program ended with an error".to_owned());
        }
        let (data, url) = (self.data.to_str().unwrap().to_owned(), self.database.url());
        for command in [["ledger", "check"], ["audit", "verify"]] {
            let place: &[&str] = if url.is_empty() { &[] } else { &["--database", &url] };
            let check = process::run(&[&command[..], &["--data", &data], place].concat());
            if !check.status.success() {
                return Err(format!("{command:?}: {}", String::from_utf8_lossy(&check.stdout)));
            }
        }
        Ok(())
    }
}

/// The body without the address of the process, which the next one has not.
fn same_body(body: &Value) -> String {
    let text = body.to_string();
    let parts: Vec<&str> = text.split("http://127.0.0.1:").collect();
    parts.iter().map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit())).collect()
}
