//! The process is killed while it writes, the disk is full, connections are lost. What was acknowledged is there.

use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::iterations;
use trapeza_testkit::ledger_fixture;
use trapeza_testkit::process::{self, ServerProcess};

const ROUNDS: usize = 20;

/// Kills a process that transfers money, round after round. Returns how many transfers it had acknowledged.
async fn kill_repeatedly(database: Database, url: &str) -> usize {
    let mut acknowledged = HashSet::new();
    let app = ledger_fixture::open_app(database.open()).await;
    ledger_fixture::funded_accounts(&app, 8, 100_000_000).await;
    app.store().close();
    for round in 0..iterations(ROUNDS) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_transfers"))
            .arg(url)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the process starts");
        let out = BufReader::new(child.stdout.take().expect("its output is piped"));
        let reader = std::thread::spawn(move || out.lines().map_while(Result::ok).collect::<Vec<_>>());
        // Another moment each round: in the first commits, in the middle, in a checkpoint.
        std::thread::sleep(Duration::from_millis(120 + round as u64 * 53 % 400));
        child.kill().expect("the process runs");
        child.wait().expect("the process ends");
        acknowledged.extend(reader.join().expect("its output is read"));
        let app = ledger_fixture::open_app(database.open()).await;
        let found = app
            .store()
            .read(|tx| Ok(tx.query("SELECT reference FROM transfer", &[], |row| row.read::<String>())?));
        let found: HashSet<String> = found.await.expect("the transfers are read").into_iter().collect();
        let lost: Vec<_> = acknowledged.difference(&found).collect();
        assert!(
            lost.is_empty(),
            "round {round}: {} of {} acknowledged are lost",
            lost.len(),
            acknowledged.len()
        );
        let app = std::sync::Arc::new(app);
        let checking = app.clone();
        let report =
            tokio::task::spawn_blocking(move || checking.ledger_check()).await.expect("it is checked");
        let report = report.expect("the ledger is read");
        assert!(report.is_sound(), "round {round}: {:?}", report.findings);
        let store = app.store().clone();
        let audit = store.read(|tx| Ok(tx.audit_verify(&trapeza_testkit::database::AUDIT_KEY, &[])?));
        let findings = audit.await.expect("the audit log is read").findings;
        assert!(findings.is_empty(), "round {round}: {findings:?}");
        store.close();
    }
    acknowledged.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_process_keeps_acknowledged_writes_sqlite() {
    let database = Database::new(Engine::Sqlite);
    let path = database.sqlite_path();
    let acknowledged = kill_repeatedly(database_at(&path), path.to_str().unwrap()).await;
    let connection = rusqlite::Connection::open(&path).unwrap();
    let result: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(result, "ok");
    assert!(acknowledged > 100, "{acknowledged} transfers were acknowledged");
    drop(database);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_process_keeps_acknowledged_writes_postgres() {
    let database = Database::new(Engine::Postgres);
    let url = database.url();
    let acknowledged = kill_repeatedly(database, &url).await;
    assert!(acknowledged > 100, "{acknowledged} transfers were acknowledged");
}

/// The same file again, without owning its directory.
fn database_at(path: &Path) -> Database {
    Database::at(path.parent().expect("the file is in a directory"))
}

fn order() -> Value {
    json!({
        "access": { "allPsd2": "allAccounts" },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_refuses_writes_and_recovers() {
    let disk = SmallDisk::mount(12);
    let data = disk.path().join("data");
    // The demo bank fits, and so does a file whose removal frees space later.
    let program = ServerProcess::sandbox(&data, "", &[]).await;
    let free = disk.free_bytes();
    let filler = disk.path().join("filler");
    std::fs::write(&filler, vec![0; usize::try_from(free.saturating_sub(400_000)).unwrap()]).unwrap();

    let tpp = program.tpp(0).with("PSU_ID", "customer");
    let mut kept = Vec::new();
    let mut refused = 0;
    for _ in 0..20_000 {
        let answer = tpp.post("/v1/consents", &order()).await;
        match answer.status {
            201 => kept.push(answer.text("/consentId").to_owned()),
            503 => refused += 1,
            _ => panic!("{answer:?}"),
        }
        if refused >= 5 {
            assert_eq!(answer.headers["retry-after"], "1");
            break;
        }
    }
    assert!(refused >= 5, "the disk was filled");
    assert!(!kept.is_empty());
    assert_eq!(program.anonymous().get("/livez").await.status, 200);
    // The last free bytes as well, so that the smallest periodic write fails.
    let rest = disk.path().join("rest");
    let _full = std::fs::write(&rest, vec![0; 1 << 20]);
    wait_for_readiness(&program, 503).await;
    for id in &kept {
        assert_eq!(program.tpp(0).get(&format!("/v1/consents/{id}")).await.status, 200, "{id}");
    }

    std::fs::remove_file(&rest).unwrap();
    std::fs::remove_file(&filler).unwrap();
    wait_for_readiness(&program, 200).await;
    let answer = tpp.post("/v1/consents", &order()).await;
    assert_eq!(answer.status, 201, "there is space again: {answer:?}");
    kept.push(answer.text("/consentId").to_owned());

    let mut program = program;
    program.kill();
    let program = ServerProcess::sandbox(&data, "", &[]).await;
    for id in &kept {
        assert_eq!(program.tpp(0).get(&format!("/v1/consents/{id}")).await.status, 200, "{id}");
    }
    let text = data.to_str().unwrap();
    let check = process::run(&["ledger", "check", "--data", text]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
    let audit = process::run(&["audit", "verify", "--data", text]);
    assert!(audit.status.success(), "{}", String::from_utf8_lossy(&audit.stdout));
}

/// Waits until `/readyz` has this status: the periodic write decides it.
async fn wait_for_readiness(program: &ServerProcess, status: u16) {
    while program.anonymous().get("/readyz").await.status != status {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// A file system in memory with this number of mebibytes.
struct SmallDisk {
    directory: tempfile::TempDir,
}

impl SmallDisk {
    fn mount(mebibytes: u32) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let size = format!("size={mebibytes}m");
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(directory.path()).output();
        let mount = mount.expect("mount runs");
        assert!(
            mount.status.success(),
            "a small disk needs root: {}",
            String::from_utf8_lossy(&mount.stderr)
        );
        Self { directory }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn free_bytes(&self) -> u64 {
        let df = Command::new("df").args(["--output=avail", "-B1"]).arg(self.path()).output().unwrap();
        String::from_utf8_lossy(&df.stdout).lines().last().unwrap().trim().parse().unwrap()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.directory.path()).status();
    }
}

/// Connections that the server ends in the middle of things: what was answered is there once, and nothing twice.
#[tokio::test(flavor = "multi_thread")]
async fn lost_connections_neither_lose_nor_duplicate_writes() {
    let database = Database::new(Engine::Postgres);
    let bank = std::sync::Arc::new(trapeza_testkit::TestBank::start(database).await);
    let tpp = bank.tpp(0).with("PSU_ID", "customer");
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..iterations(200) {
        let tpp = tpp.clone().with("x-Request-ID", &bank.app.entropy().uuid().to_string());
        calls.spawn(async move {
            // The same call under the same id until it is answered, as a caller would.
            loop {
                let answer = tpp.post("/v1/consents", &order()).await;
                match answer.status {
                    201 => return answer.text("/consentId").to_owned(),
                    503 => tokio::time::sleep(Duration::from_millis(20)).await,
                    _ => panic!("{answer:?}"),
                }
            }
        });
    }
    let cutter = {
        let bank = bank.clone();
        tokio::task::spawn_blocking(move || {
            for _ in 0..10 {
                bank.database.cut_connections();
                std::thread::sleep(Duration::from_millis(60));
            }
        })
    };
    let ids: HashSet<String> = calls.join_all().await.into_iter().collect();
    cutter.await.unwrap();
    assert_eq!(ids.len(), iterations(200), "every call has its own consent");
    let kept = bank
        .app
        .store()
        .read(|tx| Ok(tx.query_one("SELECT COUNT(*) FROM consent", &[], |row| row.read::<i64>())?));
    assert_eq!(usize::try_from(kept.await.unwrap()).unwrap(), ids.len(), "and none has two");
    let app = bank.app.clone();
    let report = tokio::task::spawn_blocking(move || app.audit_verify(Vec::new())).await.unwrap().unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}
