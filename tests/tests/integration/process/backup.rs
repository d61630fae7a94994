//! `trapeza backup` and `trapeza restore`: under load, into another place, and with each bad input.

use crate::http::payment::{INTERNAL, text};
use rstest::rstest;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{ApiClient, iterations};

const PAYMENTS: usize = 1000;
const CALLERS: usize = 8;
/// Number of acknowledged payments after which the backup begins.
const BEFORE_BACKUP: usize = 300;

const JONAS: usize = 1;

fn payment_order(sandbox_file: &Value) -> Value {
    json!({
        "debtorAccount": { "iban": sandbox_file["psus"][JONAS]["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "Amount": "0.01" },
        "creditorAccount": { "iban": sandbox_file["psus"][0]["accounts"][0]["iban"] },
        "creditorName": "Papadaki Eleni",
    })
}

fn payer(server: &ServerProcess) -> ApiClient {
    let login = text(&server.sandbox_file["psus"][JONAS]["psu_id"]).to_owned();
    server.tpp(0).with("PSU_ID", &login).with("pSUIPAddress", "192.0.2.1")
}

/// Initiates a payment and authorises it, so that it is booked.
async fn pay(server: &ServerProcess) -> String {
    let client = payer(server);
    let id = client.post(INTERNAL, &payment_order(&server.sandbox_file)).await.text("/paymentId").to_owned();
    let authorisations = format!("{INTERNAL}/{id}/authorisations");
    let started = client.post(&authorisations, &json!({})).await;
    let own = format!("{authorisations}/{}", started.text("/authorisationId"));
    let password = &server.sandbox_file["psus"][JONAS]["password"];
    client.put(&own, &json!({ "psuData": { "password": password } })).await;
    let last = client.put(&own, &json!({ "scaAuthenticationData": server.sandbox_file["otp"] })).await;
    assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    id
}

/// Initiates payments from several callers and records the id of each when it is acknowledged.
fn start_load(server: &ServerProcess, acknowledged: &Arc<Mutex<Vec<String>>>) -> JoinSet<()> {
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let (client, order) = (payer(server), payment_order(&server.sandbox_file));
        let acknowledged = acknowledged.clone();
        callers.spawn(async move {
            for _ in 0..iterations(PAYMENTS) / CALLERS {
                let response = client.post(INTERNAL, &order).await;
                assert_eq!(response.status, 200, "{response:?}");
                acknowledged.lock().unwrap().push(response.text("/paymentId").to_owned());
            }
        });
    }
    callers
}

/// The options that name a bank.
fn bank(data: &Path, database: &Database) -> Vec<String> {
    let mut options = vec!["--data".to_owned(), data.to_str().unwrap().to_owned()];
    if !database.url().is_empty() {
        options.extend(["--database".to_owned(), database.url()]);
    }
    options
}

fn run(command: &str, file: &Path, options: &[String]) -> Output {
    let options = options.iter().map(String::as_str);
    process::run(&[command, file.to_str().unwrap()].into_iter().chain(options).collect::<Vec<_>>())
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A data directory with the secret and the keys of another, and no database.
fn empty_place(from: &Path, directory: &Path, name: &str) -> PathBuf {
    let place = directory.join(name);
    std::fs::create_dir(&place).unwrap();
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o700)).unwrap();
    for file in ["secret.key", "sandbox.json"] {
        std::fs::copy(from.join(file), place.join(file)).unwrap();
    }
    place
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn backup_under_load_restores_every_acknowledged_payment(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (source, target) = (Database::new(engine), Database::empty(engine));
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let mut server = ServerProcess::sandbox(&data, &source.url(), &[]).await;
    let booked = [pay(&server).await, pay(&server).await];
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let callers = start_load(&server, &acknowledged);
    while acknowledged.lock().unwrap().len() < BEFORE_BACKUP {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let before: Vec<String> = acknowledged.lock().unwrap().clone();
    assert!(before.len() < iterations(PAYMENTS) / CALLERS * CALLERS, "payments are still being made");
    let file = directory.path().join("bank.backup");
    let options = bank(&data, &source);
    let backup = tokio::task::spawn_blocking({
        let (file, options) = (file.clone(), options.clone());
        move || run("backup", &file, &options)
    });
    pay(&server).await;
    let backup = backup.await.unwrap();
    assert!(backup.status.success(), "{backup:?}");
    callers.join_all().await;
    server.kill();

    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let place = empty_place(&data, directory.path(), "restored");
    let restored = run("restore", &file, &bank(&place, &target));
    let text = printed(&restored);
    assert!(restored.status.success(), "{restored:?}");
    assert!(text.contains("all in balance") && text.contains("intact"), "{text}");
    assert!(text.ends_with("complete and sound\n"), "{text}");

    let server = ServerProcess::sandbox(&place, &target.url(), &[]).await;
    let client = payer(&server);
    for id in before.iter().chain(&booked) {
        let status = client.get(&format!("{INTERNAL}/{id}/status")).await;
        assert_eq!(status.status, 200, "{id}: {status:?}");
    }
    let status = client.get(&format!("{INTERNAL}/{}/status", booked[0])).await;
    assert_eq!(status.body["transactionStatus"], 4, "it was executed: {status:?}");
    // The restored bank goes on.
    pay(&server).await;
}

/// A sandbox whose server was killed, with a backup that was made afterwards.
struct Backup {
    directory: tempfile::TempDir,
    data: PathBuf,
    file: PathBuf,
}

impl Backup {
    async fn make() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (data, file) = (directory.path().join("data"), directory.path().join("bank.backup"));
        ServerProcess::sandbox(&data, "", &[]).await.kill();
        let made = run("backup", &file, &sqlite(&data));
        assert!(made.status.success(), "{made:?}");
        Self { directory, data, file }
    }

    /// A place for a restore that must not be changed.
    fn place(&self, name: &str) -> PathBuf {
        empty_place(&self.data, self.directory.path(), name)
    }

    /// A copy of the backup with another manifest.
    fn with_manifest(&self, name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
        let bytes = std::fs::read(&self.file).unwrap();
        let body = &bytes[..bytes.len() - 1];
        let start = body.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let mut manifest: Value = serde_json::from_slice(&body[start..]).unwrap();
        change(&mut manifest);
        self.with_bytes(name, &[&bytes[..start], manifest.to_string().as_bytes(), b"\n"].concat())
    }

    fn with_bytes(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let file = self.directory.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        file
    }
}

fn sqlite(data: &Path) -> Vec<String> {
    vec!["--data".to_owned(), data.to_str().unwrap().to_owned()]
}

/// The command fails with one line that contains `expected`.
fn assert_refused(output: &Output, expected: &str) {
    let text = printed(output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(text.lines().count(), 1, "one sentence: {text}");
    assert!(text.contains(expected), "{expected:?} is not in {text:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn restore_refuses_a_bad_backup_and_changes_nothing() {
    let backup = Backup::make().await;
    let place = backup.place("target");
    let bytes = std::fs::read(&backup.file).unwrap();
    let mut flipped = bytes.clone();
    flipped[5000] ^= 1;
    let cases = [
        (backup.directory.path().join("missing"), "No such file"),
        (backup.with_bytes("empty", b""), "it has no manifest"),
        (backup.with_bytes("foreign", b"a text\nof another program\n"), "it has no manifest"),
        (backup.with_bytes("half", &bytes[..bytes.len() / 2]), "it has no manifest"),
        (backup.with_bytes("short", &bytes[..bytes.len() - 1]), "it has no manifest"),
        (backup.with_bytes("shifted", &bytes[4096..]), "bytes of content"),
        (backup.with_bytes("flipped", &flipped), "does not have the checksum"),
        (backup.with_manifest("format", |manifest| manifest["format"] = json!(2)), "format 2"),
        (
            backup.with_manifest("newer", |manifest| manifest["schema"] = json!("9999_future")),
            "schema 9999_future",
        ),
        (
            backup.with_manifest("engine", |manifest| manifest["engine"] = json!("postgres")),
            "the backup is of PostgreSQL",
        ),
    ];
    for (file, expected) in cases {
        assert_refused(&run("restore", &file, &sqlite(&place)), expected);
    }
    let mut files: Vec<_> =
        std::fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["sandbox.json", "secret.key"], "nothing was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn restore_refuses_another_secret_and_a_place_with_a_database() {
    let backup = Backup::make().await;
    let other = backup.place("other");
    std::fs::write(other.join("secret.key"), (0..32).collect::<Vec<u8>>()).unwrap();
    assert_refused(&run("restore", &backup.file, &sqlite(&other)), "another root secret");
    assert!(!other.join("trapeza.db").exists());

    assert_refused(&run("restore", &backup.file, &sqlite(&backup.data)), "trapeza.db exists");
    let wal = backup.place("wal");
    std::fs::write(wal.join("trapeza.db-wal"), b"").unwrap();
    assert_refused(&run("restore", &backup.file, &sqlite(&wal)), "trapeza.db-wal exists");
    let absent = backup.directory.path().join("absent");
    assert_refused(&run("restore", &backup.file, &sqlite(&absent)), "secret.key cannot be read");
    assert!(!absent.exists(), "a refused restore creates no directory");
}

#[tokio::test(flavor = "multi_thread")]
async fn restore_reports_a_backup_without_rows_of_its_audit_log() {
    let backup = Backup::make().await;
    let file = backup.with_manifest("cut", |manifest| {
        manifest["audit_heads"][0] = json!(format!("1:1:{}", "0f".repeat(32)));
    });
    let restored = run("restore", &file, &sqlite(&backup.place("cut-target")));
    let text = printed(&restored);
    assert_eq!(restored.status.code(), Some(1), "{text}");
    assert!(text.contains("NOT intact") && text.ends_with("NOT sound, do not use it\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_refuses_an_existing_file_and_a_place_without_a_database() {
    let backup = Backup::make().await;
    let before = std::fs::read(&backup.file).unwrap();
    assert_refused(&run("backup", &backup.file, &sqlite(&backup.data)), "already exists");
    assert_eq!(std::fs::read(&backup.file).unwrap(), before);
    let directory = backup.directory.path();
    assert_refused(
        &run("backup", &directory.join("second"), &sqlite(&directory.join("none"))),
        "there is no database",
    );
    assert_refused(
        &run("backup", &directory.join("no/such/directory"), &sqlite(&backup.data)),
        "No such file",
    );
    assert!(!directory.join("second").exists() && !directory.join("second.new").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn restore_refuses_a_postgres_database_with_tables() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let (data, file) = (directory.path().join("data"), directory.path().join("bank.backup"));
    ServerProcess::sandbox(&data, &database.url(), &[]).await.terminate();
    assert!(run("backup", &file, &bank(&data, &database)).status.success());
    let rows = database.number("SELECT COUNT(*) FROM audit_event");
    assert_refused(&run("restore", &file, &bank(&data, &database)), "needs an empty database");
    assert_eq!(database.number("SELECT COUNT(*) FROM audit_event"), rows);
    let unreachable = ["--database".to_owned(), "postgres://bank@127.0.0.1:1/none".to_owned()];
    let options = [sqlite(&data), unreachable.to_vec()].concat();
    assert_refused(
        &run("backup", &directory.path().join("second"), &options),
        "no connection to the database",
    );
}

/// A program named `pg_dump` that records its arguments and its password, and fails.
fn recording_pg_dump(directory: &Path) -> PathBuf {
    let script = format!(
        "#!/bin/sh\necho \"$@\" > {0}/arguments\necho \"$PGPASSWORD\" > {0}/password\necho out of paper >&2\nexit 3\n",
        directory.display()
    );
    let file = directory.join("pg_dump");
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700)).unwrap();
    directory.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_passes_the_password_by_the_environment_and_names_a_missing_or_failing_pg_dump() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let data = directory.path().join("data");
    ServerProcess::sandbox(&data, &database.url(), &[]).await.terminate();
    // A server that trusts its callers accepts any password.
    let server = database.url();
    let (scheme, rest) = server.split_once("://").unwrap();
    let (account, host) = rest.split_once('@').unwrap();
    let (user, password) = account.split_once(':').unwrap_or((account, "hunter2"));
    let url = format!("{scheme}://{user}:{password}@{host}");
    let backup = |programs: &Path| {
        Command::new(process::binary())
            .arg("backup")
            .arg(directory.path().join("bank.backup"))
            .arg("--data")
            .arg(&data)
            .env("TRAPEZA_DATABASE", &url)
            .env("TRAPEZA_BACKUP_POSTGRES_PROGRAMS", programs)
            .output()
            .unwrap()
    };
    assert_refused(&backup(Path::new("/nonexistent")), "/nonexistent/pg_dump cannot be started");
    let recorded = recording_pg_dump(directory.path());
    assert_refused(&backup(&recorded), "out of paper");
    let arguments = std::fs::read_to_string(directory.path().join("arguments")).unwrap();
    assert!(arguments.contains("--snapshot=") && !arguments.contains(password), "{arguments}");
    assert_eq!(std::fs::read_to_string(directory.path().join("password")).unwrap().trim_end(), password);
    assert!(!directory.path().join("bank.backup").exists(), "a failed backup leaves no file");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn backup_and_restore_are_in_the_audit_log(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let (source, target) = (Database::new(engine), Database::empty(engine));
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let mut server = ServerProcess::sandbox(&data, &source.url(), &[]).await;
    let options = bank(&data, &source);
    let files = ["one", "two"].map(|name| directory.path().join(name));
    // Beside the running server, and without it.
    assert!(run("backup", &files[0], &options).status.success());
    assert!(server.terminate().success());
    let made = run("backup", &files[1], &options);
    assert!(made.status.success() && printed(&made).lines().count() == 1, "{made:?}");
    let place = empty_place(&data, directory.path(), "restored");
    let restored = run("restore", &files[1], &bank(&place, &target));
    assert!(restored.status.success(), "{restored:?}");
    let events = |data: &Path, database: &Database, action: &str| {
        let sql = format!(
            "SELECT object, actor LIKE 'operator:%' AND detail LIKE 'created_at=2%' FROM audit_event WHERE action = '{action}'"
        );
        match engine {
            Engine::Sqlite => Database::at(data).rows(&sql),
            Engine::Postgres => database.rows(&sql),
        }
    };
    let made = events(&data, &source, "backup.created");
    assert_eq!(made.len(), 2, "{made:?}");
    assert!(made.iter().all(|row| row[1] == "1" || row[1] == "t"), "{made:?}");
    // The restored bank has the event of the first backup, and that of the restore, which names the second.
    assert_eq!(events(&place, &target, "backup.created")[0], made[0]);
    let restore = events(&place, &target, "bank.restored");
    assert_eq!((restore.len(), &restore[0][0]), (1, &made[1][0]), "{restore:?}");
    let verified = process::run(
        &["audit", "verify"]
            .into_iter()
            .chain(bank(&place, &target).iter().map(String::as_str))
            .collect::<Vec<_>>(),
    );
    assert!(verified.status.success(), "{verified:?}");
}
