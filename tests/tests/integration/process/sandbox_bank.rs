//! A sandbox is exported, imported by another one, reset, and killed in the middle of an import.

use rstest::rstest;
use serde_json::{Value, json};
use std::time::Duration;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};

/// A program with a database of its own.
struct Bank {
    database: Database,
    directory: tempfile::TempDir,
    program: ServerProcess,
}

impl Bank {
    async fn start(engine: Engine) -> Self {
        let (database, directory) = (Database::new(engine), tempfile::tempdir().unwrap());
        let program = start(&database, directory.path()).await;
        Self { database, directory, program }
    }

    /// Starts the program again after it was killed.
    async fn restart(&mut self) {
        self.program = start(&self.database, self.directory.path()).await;
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.program.anonymous().get(path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.program.anonymous().post(path, body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body
    }

    /// Logins and balances of all customers.
    async fn balances(&self) -> Vec<(String, String)> {
        let all = self.get("/sandbox/customers").await;
        let customers = all["customers"].as_array().unwrap().iter();
        customers.map(|one| (one["psuId"].to_string(), one["accounts"].to_string())).collect()
    }

    /// The ledger and the audit log are intact.
    fn check(&self) {
        let data = self.directory.path().join("data");
        for command in [["ledger", "check"], ["audit", "verify"]] {
            let output = process::run(&[command[0], command[1], "--data", data.to_str().unwrap()]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
    }
}

async fn start(database: &Database, directory: &std::path::Path) -> ServerProcess {
    ServerProcess::sandbox(&directory.join("data"), &database.url(), &[]).await
}

/// The exported bank with one more customer, who has an account.
fn with_customer(mut file: Value) -> Value {
    let person = json!({ "psuId": "imported", "name": "Imported", "phone": "+306900000299", "password": "imported-1" });
    file["customers"].as_array_mut().unwrap().push(person);
    file["accounts"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "owners": ["imported"], "openingBalance": "7.00" }));
    file
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bank_moves_to_another_program_and_survives_a_kill_during_import(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let source = Bank::start(engine).await;
    let demo = source.balances().await;
    let file = with_customer(source.get("/sandbox/bank").await);
    drop(source);

    let mut bank = Bank::start(engine).await;
    assert_eq!(bank.balances().await, demo, "the demo bank is the same everywhere");
    let keys = bank.program.sandbox_file.clone();
    for delay in [100, 400, 900, 1600] {
        let client = bank.program.anonymous();
        let body = file.to_string().into_bytes();
        let import =
            tokio::spawn(
                async move { client.try_send(reqwest::Method::POST, "/sandbox/bank", Some(body)).await },
            );
        tokio::time::sleep(Duration::from_millis(delay)).await;
        bank.program.kill();
        let _answer = import.await.unwrap();
        bank.restart().await;
        let found = bank.balances().await;
        let (old, imported): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(login, _)| login != "\"imported\"");
        assert_eq!(old, demo, "the old bank or the new one");
        assert!(imported.is_empty() || imported[0].1.contains("\"7.00\""), "{imported:?}");
        bank.check();
    }

    bank.post("/sandbox/bank", &file).await;
    let mut expected = demo.clone();
    expected.extend(bank.balances().await.into_iter().filter(|(login, _)| login == "\"imported\""));
    expected.sort();
    let mut found = bank.balances().await;
    found.sort();
    assert_eq!((found.len(), found), (6, expected));
    bank.post("/sandbox/reset", &json!({})).await;
    assert_eq!(bank.balances().await, demo);
    bank.check();
    assert_eq!(bank.program.sandbox_file["tpps"], keys["tpps"]);
    assert_eq!(bank.program.merchant(0).get("/configuration").await.status, 200, "the keys are valid");
}
