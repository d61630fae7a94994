//! Who may call, what a call must look like, and what everybody else is reported. Nothing that is refused leaves a trace.

use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::id::ApplicationId;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

const KEY: &str = "Ocp-Apim-Subscription-Key";
const PATH: &str = "/v1/consents";

fn order() -> Value {
    json!({
        "access": { "allPsd2": "allAccounts" },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    })
}

/// What was refused, on one line: status, and each message's code, path and text.
fn line(case: &str, answer: &ApiResponse) -> String {
    let messages = answer.body["tppMessages"].as_array().cloned().unwrap_or_default();
    let mut line = format!("{case}: {}", answer.status);
    for message in messages {
        let path = message["path"].as_str().map(|path| format!(" [{path}]")).unwrap_or_default();
        line.push_str(&format!(
            " | {}{path} {}",
            message["code"],
            message["text"].as_str().unwrap_or_default()
        ));
    }
    if let Some(detail) = answer.body["detail"].as_str() {
        line.push_str(&format!(" | {} | {} | {}", answer.body["title"], answer.body["errors"], detail));
    }
    line
}

async fn rows(bank: &TestBank) -> i64 {
    let counted = bank.app.store().read(|tx| {
        let sql = "SELECT (SELECT COUNT(*) FROM audit_event) + (SELECT COUNT(*) FROM consent) + (SELECT COUNT(*) FROM idempotency_record)";
        Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)
    });
    counted.await.expect("the store counts")
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn key_client_and_certificate_must_match(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, other) = (&bank.sandbox_file["tpps"][0], &bank.sandbox_file["tpps"][1]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let good = || bank.tpp(0).with("PSU_ID", "customer");
    let cases: Vec<(&str, ApiClient)> = vec![
        ("no key", good().without(KEY)),
        ("empty key", good().with(KEY, "")),
        ("wrong key", good().with(KEY, "wrong")),
        ("another's key", good().with(KEY, &text(&other["subscription_key"]))),
        ("key twice", good().with_second(KEY, "second")),
        ("no client", good().without("ClientId")),
        ("client that is no id", good().with("ClientId", "x")),
        ("another's client", good().with("ClientId", &text(&other["client_id"]))),
        ("no certificate", good().without("Certificate")),
        ("garbage certificate", good().with("Certificate", "garbage!")),
        ("garbage DER", good().with("Certificate", "MIIBszCCAVmgAwIBAgIUJ")),
        ("another's certificate", good().with("Certificate", &text(&other["certificate"]))),
        ("expired certificate", good().with("Certificate", &text(&tpp["faulty"]["expired"]))),
        ("blocked certificate", good().with("Certificate", &text(&tpp["faulty"]["blocked"]))),
        ("revoked certificate", good().with("Certificate", &text(&tpp["faulty"]["revoked"]))),
        ("certificate without a role", good().with("Certificate", &text(&tpp["faulty"]["no_role"]))),
        ("a merchant's key", good().with(KEY, &text(&bank.sandbox_file["merchants"][0]["subscription_key"]))),
        ("Accept without JSON", good().with("Accept", "text/html, application/json;q=0")),
        ("no x-Request-ID", good().without("x-Request-ID")),
        ("x-Request-ID that is no UUID", good().with("x-Request-ID", "12345")),
        ("x-Request-ID in braces", good().with("x-Request-ID", "{6f9619ff-8b86-d011-b42d-00cf4fc964f}")),
        ("no PSU_ID", good().without("PSU_ID")),
        ("blank PSU_ID", good().with("PSU_ID", " ")),
        ("PSU_ID twice, once by its alias", good().with("PSU-ID", "customer")),
    ];
    let before = rows(&bank).await;
    let mut lines = Vec::new();
    for (case, caller) in cases {
        let answer = caller.post(PATH, &order()).await;
        assert!(answer.headers.contains_key("x-correlation-id"), "{case}");
        lines.push(line(case, &answer));
    }
    assert_eq!(rows(&bank).await, before, "a refused call leaves nothing behind");
    insta::assert_snapshot!("callers", lines.join("\n"));
    let percent = percent_encoded_pem(&text(&tpp["certificate"]));
    let (spaced, joined) = (percent.replace("%0A", " "), percent.replace("%0A", ""));
    for certificate in [percent, spaced, joined] {
        let answer = good().with("Certificate", &certificate).post(PATH, &order()).await;
        assert_eq!(answer.status, 201, "{answer:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn invalid_bodies_report_all_field_errors(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = bank.tpp(0).with("PSU_ID", "customer");
    let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(70_000));
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("not JSON", b"consent please".to_vec()),
        ("not an object", b"[]".to_vec()),
        ("not UTF-8", vec![b'"', 0xff, b'"']),
        ("too deep", deep.into_bytes()),
        ("a key twice", br#"{"access":{"allPsd2":"allAccounts"},"access":{}}"#.to_vec()),
        ("too large", long.into_bytes()),
        ("an empty object", b"{}".to_vec()),
        ("every field null", br#"{"access":null,"recurringIndicator":null,"validUntil":null,"frequencyPerDay":null}"#.to_vec()),
        ("every field wrong", br#"{"access":[],"recurringIndicator":"yes","validUntil":"soon","frequencyPerDay":"4"}"#.to_vec()),
        ("odd references", br#"{"access":{"accounts":[{"iban":"GR00"},{"iban":"GR1601101250000000012300695","pan":"4111111111111111"},{}],"balances":[7]},"recurringIndicator":true,"validUntil":"2020-01-01","frequencyPerDay":0}"#.to_vec()),
        ("past and zero", br#"{"access":{"allPsd2":"allAccounts"},"recurringIndicator":true,"validUntil":"2020-01-01","frequencyPerDay":0}"#.to_vec()),
        ("one-off with four", br#"{"access":{"allPsd2":"allAccounts"},"recurringIndicator":false,"validUntil":"2099-01-01","frequencyPerDay":4}"#.to_vec()),
        ("flag and list", br#"{"access":{"allPsd2":"allAccounts","accounts":[{"iban":"GR1601101250000000012300695"}]},"recurringIndicator":true,"validUntil":"2099-01-01","frequencyPerDay":4}"#.to_vec()),
    ];
    let before = rows(&bank).await;
    let mut lines = Vec::new();
    for (case, body) in bodies {
        lines.push(line(case, &tpp.send(Method::POST, PATH, Some(body)).await));
    }
    assert_eq!(rows(&bank).await, before, "a refused call leaves nothing behind");
    insta::assert_snapshot!("bodies", lines.join("\n"));
}

#[tokio::test]
async fn every_path_and_method_answers_with_json() {
    let bank = TestBank::start(sqlite()).await;
    let cases = [
        (Method::GET, "/"),
        (Method::GET, "/nothing"),
        (Method::GET, "/v1"),
        (Method::GET, "/v1/nothing/here"),
        (Method::GET, "/v2/nothing"),
        (Method::GET, "/v1/consents"),
        (Method::PUT, "/v1/consents/6f9619ff-8b86-4011-b42d-00cf4fc964ff"),
        (Method::POST, "/configuration"),
        (Method::GET, "/configuration"),
        (Method::DELETE, "/sandbox/clock"),
        (Method::GET, "/v1/consents/%ff"),
        // These first segments are never a payment service.
        (Method::POST, "/v1/accounts/internal-transfers"),
        (Method::GET, "/v1/cards/x/nothing"),
        (Method::GET, "/v1/consents/x/nothing/here"),
        (Method::GET, "/v1/funds-confirmations/x/y"),
        (Method::PUT, "/v1/accounts/x/nothing"),
    ];
    let mut lines = Vec::new();
    for (method, path) in cases {
        let answer = bank.anonymous().with("x-Request-ID", "As-Sent").send(method.clone(), path, None).await;
        let json = answer.headers.get("content-type").map(String::as_str);
        assert_eq!(json, Some("application/json"), "{method} {path}");
        assert_eq!(
            answer.headers.get("x-request-id").map(String::as_str),
            Some("As-Sent"),
            "{method} {path}"
        );
        let allow = answer.headers.get("allow").map(|allow| format!(" (Allow: {allow})")).unwrap_or_default();
        lines.push(line(&format!("{method} {path}{allow}"), &answer));
    }
    insta::assert_snapshot!("paths", lines.join("\n"));
}

#[tokio::test]
async fn merchant_key_and_application_must_match() {
    let bank = TestBank::start(sqlite()).await;
    let other = bank.sandbox_file["merchants"][1]["application_id"].as_str().unwrap().to_owned();
    let tpp_key = bank.sandbox_file["tpps"][0]["subscription_key"].as_str().unwrap().to_owned();
    let good = || bank.merchant(0);
    let cases = [
        ("good", good()),
        ("no key", good().without(KEY)),
        ("wrong key", good().with(KEY, "wrong")),
        ("a third party's key", good().with(KEY, &tpp_key)),
        ("no application", good().without("X-Application-ID")),
        ("another's application", good().with("X-Application-ID", &other)),
        ("application that is no id", good().with("X-Application-ID", "x")),
        ("Accept without JSON", good().with("Accept", "application/xml")),
    ];
    let mut lines = Vec::new();
    for (case, caller) in cases {
        lines.push(line(case, &caller.get("/configuration").await));
    }
    insta::assert_snapshot!("merchants", lines.join("\n"));
}

#[tokio::test]
async fn rate_limits_apply_per_key_and_address() {
    let bank = TestBank::with_options(sqlite(), TestBankOptions::limited()).await;
    let mut answers = Vec::new();
    for _ in 0..12 {
        answers.push(bank.merchant(0).with(KEY, "wrong").get("/configuration").await);
    }
    let refused: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(refused[..10], [401; 10]);
    assert_eq!(refused[10..], [429; 2]);
    assert!(answers[11].headers["retry-after"].parse::<u64>().unwrap() >= 1);
    // Only further failing calls are held up.
    assert_eq!(bank.merchant(0).get("/configuration").await.status, 200);

    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let merchant = bank.merchant(1);
        calls.spawn(async move { merchant.get("/configuration").await.status });
    }
    let answers = calls.join_all().await;
    let served = answers.iter().filter(|status| **status == 200).count();
    assert!(answers.iter().all(|status| matches!(status, 200 | 429)));
    assert!(served >= 100, "the burst is served: {served}");
    assert!(served < 200, "more than burst and rate is not: {served}");
    assert_eq!(bank.merchant(0).get("/configuration").await.status, 200, "another key is not held up");
}

fn sqlite() -> trapeza_testkit::database::Database {
    trapeza_testkit::database::Database::new(trapeza_testkit::database::Engine::Sqlite)
}

/// A certificate in another form that its header may have.
fn percent_encoded_pem(base64: &str) -> String {
    let body =
        base64.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect::<Vec<_>>();
    let pem = format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", body.join("\n"));
    pem.replace('+', "%2B").replace('\n', "%0A")
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn key_rotation_has_no_gap(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let old = bank.merchant(0);
    let id = ApplicationId::parse(old.header("X-Application-ID").unwrap()).unwrap();
    let issued = bank.app.key_issue(id).await.unwrap();
    let new = old.clone().with("Ocp-Apim-Subscription-Key", issued.subscription_key.expose());
    assert_eq!((old.get("/configuration").await.status, new.get("/configuration").await.status), (200, 200));

    assert_eq!(bank.app.older_keys_retire(id).await, Ok(1));
    assert_eq!((old.get("/configuration").await.status, new.get("/configuration").await.status), (401, 200));
    let keys = bank.app.key_list(id).await.unwrap();
    let statuses: Vec<bool> = keys.iter().map(|key| key.retired_at.is_none()).collect();
    assert_eq!(statuses, [false, true], "the older key is retired");
    assert!(keys.iter().all(|key| key.last_used_at.is_some()), "{keys:?}");
    assert_eq!(bank.app.older_keys_retire(id).await, Ok(0), "the last key stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn request_with_two_hosts_is_refused() {
    use std::io::{Read, Write};
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let address = bank.base_url.trim_start_matches("http://").to_owned();
    let exchange = move |head: &str| {
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let (one, two) = tokio::task::spawn_blocking(move || {
        let one = exchange("GET /livez HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n\r\n");
        let two = exchange("GET /livez HTTP/1.1\r\nHost: bank\r\nHost: other\r\nConnection: close\r\n\r\n");
        (one, two)
    })
    .await
    .unwrap();
    assert!(one.starts_with("HTTP/1.1 200"), "{one}");
    assert!(two.starts_with("HTTP/1.1 400") && two.contains("\"field\":\"Host\""), "{two}");
}
