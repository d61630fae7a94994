//! What operations teams rely on in every request: the fields of the log line, and Strict-Transport-Security behind HTTPS.

use super::production::{now, open};
use super::reload::{connect, request};
use serde_json::{Value, json};
use trapeza::demo::authority::Authority;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::process::ServerProcess;

/// The log line of a completed request by its correlation id.
fn line_of(bank: &ServerProcess, correlation: &str) -> Value {
    let log = bank.log();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut own =
        lines.filter(|line| line["message"] == "request completed" && line["correlation"] == correlation);
    own.next().unwrap_or_else(|| panic!("no line of {correlation} in {log}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn request_log_line_has_typed_fields_and_the_application() {
    let directory = tempfile::tempdir().unwrap();
    let bank = ServerProcess::sandbox(&directory.path().join("data"), "", &[]).await;
    let created = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let tpp = bank.tpp(0).with("PSU_ID", "a-customer");
    let answer = tpp.post("/v1/consents", &created).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let line = line_of(&bank, &answer.headers["x-correlation-id"]);
    assert!(line["micros"].as_u64().is_some_and(|micros| micros > 0), "a number: {line}");
    assert_eq!((&line["status"], &line["method"]), (&json!(201), &json!("POST")), "{line}");
    assert_eq!(line["route"], "/v1/consents", "{line}");
    assert_eq!(line["application"], bank.sandbox_file["tpps"][0]["client_id"], "{line}");
    assert!(line["timestamp"].is_string() && line["level"] == "INFO", "{line}");
    // The template of the path, not the path: an id may be a secret.
    let fetched = tpp.get(&format!("/v1/consents/{}", answer.text("/consentId"))).await;
    let line = line_of(&bank, &fetched.headers["x-correlation-id"]);
    assert_eq!(line["route"], "/v1/consents/{consentId}", "{line}");
    // A caller that was not authenticated has no application.
    let unknown = bank.anonymous().get("/v1/consents/1").await;
    let line = line_of(&bank, &unknown.headers["x-correlation-id"]);
    assert_eq!((&line["status"], line.get("application")), (&json!(401), None), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn strict_transport_security_is_sent_where_the_public_url_is_https_only() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let bank = open(directory.path(), &authority).await;
    let head = request(&mut connect(&bank).await).await.to_ascii_lowercase();
    assert!(head.contains("\r\nstrict-transport-security: max-age=31536000"), "{head}");
    let sandbox = ServerProcess::sandbox(&directory.path().join("sandbox"), "", &[]).await;
    let answer = sandbox.anonymous().get("/livez").await;
    assert_eq!(
        answer.headers.get("strict-transport-security"),
        None,
        "a browser would refuse plain HTTP for a year"
    );
}
