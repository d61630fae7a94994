//! Rotation of the root secret: under load, killed in the middle, and with each wrong pair of files.

use crate::http::payment::{INTERNAL, text};
use rstest::rstest;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};

/// A bank with three root secrets and a configuration for each pair.
struct Setup {
    directory: tempfile::TempDir,
    database: Database,
}

impl Setup {
    fn new(engine: Engine) -> Self {
        let setup = Self { directory: tempfile::tempdir().unwrap(), database: Database::new(engine) };
        for (number, name) in ["one", "two", "three"].into_iter().enumerate() {
            let secret: Vec<u8> = (0..32).map(|byte| byte * 3 + u8::try_from(number).unwrap()).collect();
            let file = setup.path(name);
            std::fs::write(&file, secret).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        setup
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A configuration with this secret and this previous one.
    fn config(&self, current: &str, previous: Option<&str>) -> String {
        let file = self.path(&format!("{current}-{}.toml", previous.unwrap_or("none")));
        let setting = |name: &str, secret: &str| format!("{name} = {:?}\n", self.path(secret));
        let previous = previous.map(|previous| setting("previous_secret_file", previous));
        std::fs::write(&file, setting("secret_file", current) + previous.unwrap_or_default().as_str())
            .unwrap();
        file.to_str().unwrap().to_owned()
    }

    async fn start(&self, config: &str) -> ServerProcess {
        ServerProcess::sandbox(&self.path("data"), &self.database.url(), &["--config", config]).await
    }

    fn run(&self, command: &[&str], config: &str) -> Output {
        let (data, url) = (self.path("data"), self.database.url());
        let mut arguments = [command, &["--config", config, "--data", data.to_str().unwrap()]].concat();
        if !url.is_empty() {
            arguments.extend(["--database", &url]);
        }
        process::run(&arguments)
    }

    /// The command succeeds and prints this.
    fn assert_prints(&self, command: &[&str], config: &str, expected: &str) {
        let output = self.run(command, config);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(expected), "{command:?}: {text}");
    }

    fn assert_refused(&self, command: &[&str], config: &str, expected: &str) {
        let output = self.run(command, config);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {text}");
        assert!(text.contains(expected), "{command:?}: {text}");
    }
}

/// Initiates payments until it is stopped; every request must succeed.
fn start_load(server: &ServerProcess, stop: &Arc<AtomicBool>, served: &Arc<AtomicUsize>) -> JoinSet<()> {
    let mut callers = JoinSet::new();
    let accounts = |number: usize| server.sandbox_file["psus"][number]["accounts"][0]["iban"].clone();
    let order = json!({
        "debtorAccount": { "iban": accounts(1) },
        "instructedAmount": { "currency": "EUR", "Amount": "0.01" },
        "creditorAccount": { "iban": accounts(0) },
        "creditorName": "Papadaki Eleni",
    });
    let login = text(&server.sandbox_file["psus"][1]["psu_id"]).to_owned();
    for _ in 0..4 {
        let client = server.tpp(0).with("PSU_ID", &login).with("pSUIPAddress", "192.0.2.1");
        let (order, stop, served) = (order.clone(), stop.clone(), served.clone());
        callers.spawn(async move {
            while !stop.load(Ordering::SeqCst) {
                let response = client.post(INTERNAL, &order).await;
                assert_eq!(response.status, 200, "{response:?}");
                served.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    callers
}

async fn wait_for(served: &AtomicUsize, more: usize) {
    let target = served.load(Ordering::SeqCst) + more;
    while served.load(Ordering::SeqCst) < target {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn root_secret_is_rotated_under_load_without_a_failed_request(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::new(engine);
    let (before, both, after) =
        (setup.config("one", None), setup.config("two", Some("one")), setup.config("two", None));
    let mut server = setup.start(&before).await;
    let client =
        server.tpp(0).with("PSU_ID", "customer").with("x-Request-ID", "00000000-0000-4000-8000-000000000009");
    let consent = json!({
        "access": { "allPsd2": "allAccounts" },
        "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let created = client.post("/v1/consents", &consent).await;
    assert_eq!(created.status, 201, "{created:?}");

    let (stop, served) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let callers = start_load(&server, &stop, &served);
    wait_for(&served, 100).await;
    setup.assert_refused(&["secret", "status"], &both, "still protects the database");
    let output = tokio::task::spawn_blocking({
        let data = setup.path("data");
        let (both, url) = (both.clone(), setup.database.url());
        move || {
            let mut arguments = vec!["secret", "rotate", "--config", &both, "--data", data.to_str().unwrap()];
            if !url.is_empty() {
                arguments.extend(["--database", &url]);
            }
            process::run(&arguments)
        }
    });
    let output = output.await.unwrap();
    assert!(output.status.success(), "{output:?}");
    wait_for(&served, 100).await;
    stop.store(true, Ordering::SeqCst);
    callers.join_all().await;
    setup.assert_prints(&["secret", "status"], &both, "previous_secret_file is not needed any more");
    setup.assert_prints(&["secret", "rotate"], &both, "secret_file protects the database already");
    setup.assert_prints(&["audit", "verify"], &both, "intact");
    server.terminate();

    // The old secret opens nothing, the new one everything: keys, idempotency records, audit log, MACs of transfers.
    setup.assert_refused(&["ledger", "check"], &before, "another root secret");
    setup.assert_refused(&["secret", "status"], &before, "another root secret");
    let keys = server.sandbox_file["tpps"].clone();
    let server = setup.start(&after).await;
    assert_eq!(server.sandbox_file["tpps"], keys);
    let client =
        server.tpp(0).with("PSU_ID", "customer").with("x-Request-ID", "00000000-0000-4000-8000-000000000009");
    let replayed = client.post("/v1/consents", &consent).await;
    assert_eq!(replayed.headers.get("idempotent-replay").map(String::as_str), Some("true"), "{replayed:?}");
    assert_eq!(replayed.text("/consentId"), created.text("/consentId"));
    setup.assert_prints(&["audit", "verify"], &after, "intact");
    setup.assert_prints(&["ledger", "check"], &after, "all in balance");
    let rotated = "SELECT COUNT(*) FROM audit_event WHERE action = 'root_secret.rotated'";
    let database = if engine == Engine::Sqlite { Database::at(&setup.path("data")) } else { setup.database };
    assert_eq!(database.number(rotated), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn start_with_the_previous_secret_rotates_and_too_early_a_removal_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::new(engine);
    setup.start(&setup.config("one", None)).await.terminate();
    let without = setup.config("two", None);
    setup.assert_refused(&["sandbox", "--listen", "127.0.0.1:0"], &without, "another root secret");
    setup.assert_refused(&["secret", "rotate"], &without, "another root secret");
    let wrong = setup.config("two", Some("three"));
    setup.assert_refused(&["sandbox", "--listen", "127.0.0.1:0"], &wrong, "another root secret");
    let missing = setup.config("two", Some("absent"));
    setup.assert_refused(&["secret", "status"], &missing, "previous_secret_file: ");

    let mut server = setup.start(&setup.config("two", Some("one"))).await;
    assert!(server.log().contains("previous_secret_file may be removed"));
    server.terminate();
    setup.start(&without).await.terminate();
    setup.assert_prints(&["secret", "status"], &without, "secret_file protects the database since");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn rotation_that_is_killed_is_done_or_not_begun(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::new(engine);
    setup.start(&setup.config("one", None)).await.terminate();
    let mut names = ["one", "two"];
    for round in 0..6_u64 {
        let [previous, current] = names;
        let config = setup.config(current, Some(previous));
        let (data, url) = (setup.path("data"), setup.database.url());
        let mut command = std::process::Command::new(process::binary());
        command.args(["secret", "rotate", "--config", &config, "--data"]).arg(&data);
        if !url.is_empty() {
            command.args(["--database", &url]);
        }
        let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        // Another moment each round: before, in and after the transaction.
        tokio::time::sleep(Duration::from_millis(round * 25)).await;
        let _ = child.kill();
        child.wait().unwrap();
        setup.assert_prints(&["secret", "rotate"], &config, "secret_file protects the database");
        names.reverse();
    }
    let last = setup.config(names[0], None);
    setup.assert_prints(&["audit", "verify"], &last, "intact");
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_from_before_a_rotation_needs_the_previous_secret() {
    let setup = Setup::new(Engine::Sqlite);
    let before = setup.config("one", None);
    setup.start(&before).await.terminate();
    let file = setup.path("bank.backup");
    let file = file.to_str().unwrap();
    setup.assert_prints(&["backup", file], &before, "SQLite");
    setup.assert_prints(&["secret", "rotate"], &setup.config("two", Some("one")), "secret_file protects");
    let restore = |config: &str, data: &Path| {
        process::run(&["restore", file, "--config", config, "--data", data.to_str().unwrap()])
    };
    let place = setup.path("restored");
    let refused = restore(&setup.config("two", None), &place);
    assert!(String::from_utf8_lossy(&refused.stdout).contains("another root secret"), "{refused:?}");
    assert!(!place.exists());
    let restored = restore(&setup.config("two", Some("one")), &place);
    assert!(String::from_utf8_lossy(&restored.stdout).ends_with("complete and sound\n"), "{restored:?}");
    let status =
        ["secret", "status", "--config", &setup.config("two", None), "--data", place.to_str().unwrap()];
    assert!(process::run(&status).status.success(), "the restored bank uses the current secret");
}

#[test]
fn processes_that_create_a_bank_at_the_same_time_share_its_root_key() {
    let setup = Setup::new(Engine::Postgres);
    let (config, url) = (setup.config("one", None), setup.database.url());
    let processes = ["data", "data-2", "data-3", "data-4"].map(|data| {
        let mut command = std::process::Command::new(process::binary());
        command.args(["migrate", "--config", &config, "--database", &url, "--data"]);
        command.arg(setup.path(data)).spawn().unwrap()
    });
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    setup.assert_prints(&["audit", "verify"], &config, "intact");
    let created = "SELECT COUNT(*) FROM audit_event WHERE action = 'bank.created'";
    assert_eq!(setup.database.number(created), 1);
}
