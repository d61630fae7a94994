//! The program as its operator knows it: starts, stops, refuses a second server, keeps secrets out of its log.

use serde_json::{Value, json};
use std::process::Command;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};

fn order(iban: &str) -> Value {
    json!({
        "access": { "accounts": [{ "iban": iban }, { "pan": "4111111111111111" }] },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    })
}

async fn starts_stops_and_starts_again(database: Database) {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let mut program = ServerProcess::sandbox(&data, &database.url(), &[]).await;
    let made =
        program.tpp(0).with("PSU_ID", "x").post("/v1/consents", &order("GR1601101250000000012300695")).await;
    assert_eq!(made.status, 201, "{made:?}");
    let clock = program.anonymous().post("/sandbox/clock", &json!({ "advance": "P2D" })).await;
    let moved = clock.text("/now").to_owned();
    let status = program.terminate();
    assert_eq!(status.code(), Some(0), "SIGTERM ends it in order");
    if database.directory().is_some() {
        assert!(!data.join("trapeza.db-wal").exists(), "the write-ahead log was folded into the file");
    }

    let keys = program.sandbox_file["tpps"].clone();
    let mut program = ServerProcess::sandbox(&data, &database.url(), &[]).await;
    assert_eq!(program.sandbox_file["tpps"], keys, "a second start keeps the keys");
    let path = format!("/v1/consents/{}", made.text("/consentId"));
    assert_eq!(program.tpp(0).get(&path).await.status, 200, "what was made is there");
    assert!(
        program.anonymous().get("/sandbox/clock").await.text("/now") > moved.as_str(),
        "the clock stays moved"
    );
    program.terminate();

    // Keys are shown once: a lost sandbox_file means new ones, and the old still work beside them.
    std::fs::remove_file(data.join("sandbox.json")).unwrap();
    let program = ServerProcess::sandbox(&data, &database.url(), &[]).await;
    assert_ne!(program.sandbox_file["tpps"], keys);
    assert_eq!(program.tpp(0).get(&path).await.status, 200);
    let text = data.to_str().unwrap();
    let check = process::run(&["audit", "verify", "--data", text]);
    assert!(check.status.success(), "through the running server: {}", String::from_utf8_lossy(&check.stdout));
}

#[tokio::test(flavor = "multi_thread")]
async fn server_restarts_on_sqlite() {
    let directory = Database::new(Engine::Sqlite);
    starts_stops_and_starts_again(directory).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_restarts_on_postgres() {
    starts_stops_and_starts_again(Database::new(Engine::Postgres)).await;
}

/// The heads that the server logs when it stops notice what the database alone cannot: rows that were cut off with their stored heads.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_were_cut_off_are_missing_against_the_logged_heads() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let mut program = ServerProcess::sandbox(&data, "", &[]).await;
    let order = order("GR1601101250000000012300695");
    assert_eq!(program.tpp(0).with("PSU_ID", "x").post("/v1/consents", &order).await.status, 201);
    assert_eq!(program.terminate().code(), Some(0));
    let (data, log) = (data.to_str().unwrap(), data.with_extension("log").display().to_string());
    Database::at(std::path::Path::new(data)).tamper(
        "DELETE FROM audit_head;
         DELETE FROM audit_event WHERE position = (SELECT MAX(position) FROM audit_event)",
    );
    let alone = process::run(&["audit", "verify", "--data", data]);
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stdout));
    let with_heads = process::run(&["audit", "verify", "--data", data, "--heads", &log]);
    let printed = String::from_utf8_lossy(&with_heads.stdout);
    assert_eq!(with_heads.status.code(), Some(1), "{printed}");
    assert!(printed.contains("logged as its head, is missing"), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_server_on_the_same_data_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let _first = ServerProcess::sandbox(&data, "", &[]).await;
    let second = process::run(&["sandbox", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()]);
    assert!(!second.status.success());
    let output = String::from_utf8_lossy(&second.stdout);
    assert!(output.contains("data directory") || output.contains("lock"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn database_with_another_root_secret_is_refused() {
    let database = Database::new(Engine::Postgres);
    let directory = tempfile::tempdir().unwrap();
    let first = ServerProcess::sandbox(&directory.path().join("one"), &database.url(), &[]).await;
    drop(first);
    let other = directory.path().join("two");
    let arguments = [
        "sandbox",
        "--listen",
        "127.0.0.1:0",
        "--data",
        other.to_str().unwrap(),
        "--database",
        &database.url(),
    ];
    let second = process::run(&arguments);
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stdout).contains("another root secret"), "{second:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn log_contains_no_secrets_at_any_level() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = ServerProcess::sandbox(&directory.path().join("data"), "", &[]).await;
    let tpp = program.tpp(0).with("PSU_ID", "planted-psu-name");
    let iban = "GR1601101250000000012300695";
    let answers = [
        tpp.post("/v1/consents", &order(iban)).await.status,
        tpp.clone()
            .with("Ocp-Apim-Subscription-Key", "planted-wrong-key")
            .post("/v1/consents", &order(iban))
            .await
            .status,
        tpp.clone()
            .with("Certificate", "planted-certificate")
            .post("/v1/consents", &order(iban))
            .await
            .status,
        tpp.post("/v1/consents", &json!({ "planted-field": "planted-value" })).await.status,
        tpp.get("/v1/consents/planted-path-secret?code=planted-query-secret").await.status,
    ];
    assert_eq!(answers, [201, 401, 401, 400, 403]);
    let metrics = program.anonymous().get("/metrics").await.body.to_string();
    program.terminate();
    let log = program.log();
    assert!(log.matches("request completed").count() >= answers.len(), "every request is logged");
    let sandbox_file = &program.sandbox_file;
    let mut secrets: Vec<&str> = vec!["planted", iban, "4111111111111111"];
    for tpp in sandbox_file["tpps"].as_array().unwrap() {
        secrets.extend([tpp["subscription_key"].as_str().unwrap(), tpp["certificate"].as_str().unwrap()]);
    }
    for merchant in sandbox_file["merchants"].as_array().unwrap() {
        secrets.extend([
            merchant["subscription_key"].as_str().unwrap(),
            merchant["webhook_secret"].as_str().unwrap(),
        ]);
    }
    for psu in sandbox_file["psus"].as_array().unwrap() {
        secrets.push(psu["password"].as_str().unwrap());
    }
    for secret in secrets {
        let found = log.lines().find(|line| line.contains(secret));
        assert!(found.is_none(), "{secret} is in the log: {found:?}");
        assert!(!metrics.contains(secret), "{secret} is in the metrics");
    }
}

#[test]
fn production_refuses_an_unsafe_configuration() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bank.toml");
    std::fs::write(&file, "[callers]\ncertificate_mode = \"header\"\n").unwrap();
    let refused = process::run(&["serve", "--config", file.to_str().unwrap()]);
    assert!(!refused.status.success());
    let output = String::from_utf8_lossy(&refused.stdout).into_owned();
    for error in ["certificate_mode", "public_url", "tls.certificate", "secret_file"] {
        assert!(output.contains(error), "{error}: {output}");
    }
    std::fs::write(&file, "lisen = \"127.0.0.1:1\"\n").unwrap();
    let unknown = process::run(&["config", "check", "--config", file.to_str().unwrap()]);
    let output = String::from_utf8_lossy(&unknown.stdout).into_owned();
    assert!(!unknown.status.success() && output.contains("lisen") && output.contains("listen"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_client_is_disconnected() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bank.toml");
    std::fs::write(&file, "[timeouts]\nheader_seconds = 1\nbody_seconds = 1\n").unwrap();
    let config = file.to_str().unwrap();
    let program = ServerProcess::sandbox(&directory.path().join("data"), "", &["--config", config]).await;
    let address = program.base_url.trim_start_matches("http://").to_owned();
    let slow_head = tokio::task::spawn_blocking({
        let address = address.clone();
        move || exchange(&address, "GET /livez HTTP/1.1\r\nHost: bank\r\n")
    });
    let slow_body = tokio::task::spawn_blocking(move || {
        exchange(&address, "POST /sandbox/clock HTTP/1.1\r\nHost: bank\r\nContent-Length: 20\r\n\r\n{")
    });
    assert_eq!(program.anonymous().get("/livez").await.status, 200);
    let (head, body) = (slow_head.await.unwrap(), slow_body.await.unwrap());
    assert!(head.is_empty() || head.starts_with("HTTP/1.1 408"), "{head}");
    assert!(body.starts_with("HTTP/1.1 408"), "{body}");
}

/// Sends a piece of a request and reads until the server ends it.
fn exchange(address: &str, piece: &str) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(piece.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn request_in_progress_finishes_before_shutdown() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = ServerProcess::sandbox(&directory.path().join("data"), "", &[]).await;
    let address = program.base_url.trim_start_matches("http://").to_owned();
    let body = r#"{"advance":"PT1M"}"#;
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    use std::io::{Read, Write};
    let length = body.len();
    let head = format!(
        "POST /sandbox/clock HTTP/1.1\r\nHost: bank\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    // The interim response shows that the server waits for the body.
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).unwrap();
    assert_eq!(String::from_utf8_lossy(&interim), "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(&body.as_bytes()[..5]).unwrap();
    let reported = Command::new("kill").args(["-TERM", &program.process_id().to_string()]).status().unwrap();
    assert!(reported.success());
    while !program.log().contains("shutdown:") {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    stream.write_all(&body.as_bytes()[5..]).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(program.wait().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn command_that_names_another_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let _server = ServerProcess::sandbox(&data, "", &[]).await;
    let data = data.to_str().unwrap();
    let other = "postgres://bank:hunter2@127.0.0.1:1/does_not_exist";
    let check = process::run(&["ledger", "check", "--data", data, "--database", other]);
    let printed = String::from_utf8_lossy(&check.stdout);
    assert_eq!(check.status.code(), Some(1), "{printed}");
    assert!(printed.contains("uses SQLite, not postgres://bank:***@127.0.0.1:1/does_not_exist"), "{printed}");
    assert!(process::run(&["ledger", "check", "--data", data]).status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_the_bank_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let _server = ServerProcess::sandbox(&data, "", &[]).await;
    let mut checked = 0;
    for entry in std::fs::read_dir(&data).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", entry.path().display());
        checked += 1;
    }
    assert!(checked > 5, "the data directory has files");
}

#[tokio::test(flavor = "multi_thread")]
async fn merchant_added_in_a_sandbox_is_a_test_application_with_a_loopback_callback() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let program = ServerProcess::sandbox(&data, "", &[]).await;
    let added = process::run(&[
        "merchant",
        "add",
        "--data",
        data.to_str().unwrap(),
        "--name",
        "Corner shop",
        "--code",
        "CORNER",
        "--number",
        "2001",
        "--minimum",
        "10",
        "--maximum",
        "500",
        "--plan",
        "3",
        "--success-callback",
        "http://127.0.0.1:9090/paid",
    ]);
    let lines = String::from_utf8(added.stdout).unwrap();
    assert!(added.status.success(), "{lines}");
    let word = |name: &str| {
        let line = lines.lines().find(|line| line.starts_with(name)).unwrap();
        line.trim_start_matches(name).split_whitespace().next().unwrap().to_owned()
    };
    let merchant = program.anonymous().as_merchant(&json!({
        "application_id": word("X-Application-ID"), "subscription_key": word("key"),
    }));
    let request = json!({
        "basketValue": 50, "requestId": "00000000-0000-4000-8000-000000000001", "orderIdentifier": "order-1",
    });
    let basket = merchant.post("/createbasket", &request).await;
    assert_eq!(basket.status, 201, "{basket:?}");
    let path = format!("/bnplsandbox/createbnpl?basketId={}&isSuccessCallback=true", basket.body["basketId"]);
    let simulated = merchant.post(&path, &json!({})).await;
    assert_eq!(simulated.status, 200, "a test application: {simulated:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ledger_check_reports_a_damaged_database_file() {
    use std::os::unix::fs::FileExt;
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    ServerProcess::sandbox(&data, "", &[]).await.terminate();
    let check = || process::run(&["ledger", "check", "--data", data.to_str().unwrap()]);
    assert!(check().status.success());
    let file = data.join("trapeza.db");
    let connection = rusqlite::Connection::open(&file).unwrap();
    let number = |sql: &str| -> u64 {
        let number = connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        number.try_into().unwrap()
    };
    // An index that no check of the ledger reads.
    let page = number("SELECT rootpage FROM sqlite_master WHERE name = 'consent_psu'");
    let size = number("PRAGMA page_size");
    drop(connection);
    let database = std::fs::File::options().write(true).open(&file).unwrap();
    database.write_all_at(&vec![0xff; usize::try_from(size).unwrap()], (page - 1) * size).unwrap();
    let damaged = check();
    let text = String::from_utf8(damaged.stdout).unwrap();
    assert!(!damaged.status.success() && text.contains("the database file is damaged"), "{text}");
}
