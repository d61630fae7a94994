//! Every step in every state, over HTTP: nothing breaks, and what is out of order is said to be.

use rstest::rstest;
use serde_json::{Value, json};
use std::time::Instant;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank, iterations};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn order() -> Value {
    json!({
        "access": { "allPsd2": "allAccounts" },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    })
}

/// The states that a third party can bring an authorisation to.
const STATES: [&str; 6] =
    ["psuIdentified", "psuAuthenticated", "scaMethodSelected", "finalised", "failed", "redirect only"];

/// A fresh consent with an authorisation in a state: its consent's path and its own.
async fn in_state(bank: &TestBank, tpp: &ApiClient, psu: &Value, state: &str) -> (String, String) {
    let created = tpp.post("/v1/consents", &order()).await;
    let consent = format!("/v1/consents/{}", created.text("/consentId"));
    let starter = if state == "redirect only" {
        tpp.clone().with("TPP-Redirect-Preferred", "true")
    } else {
        tpp.clone()
    };
    let started = starter.post(&format!("{consent}/authorisations"), &json!({})).await;
    let own = format!("{consent}/authorisations/{}", started.text("/authorisationId"));
    let method = started.text("/scaMethods/0/authenticationMethodId").to_owned();
    let steps = [
        json!({ "psuData": { "password": psu["password"] } }),
        json!({ "authenticationMethodId": method }),
        json!({ "scaAuthenticationData": bank.sandbox_file["otp"] }),
    ];
    let count = match state {
        "psuAuthenticated" => 1,
        "scaMethodSelected" => 2,
        "finalised" => 3,
        _ => 0,
    };
    for step in &steps[..count] {
        assert_eq!(tpp.put(&own, step).await.status, 200);
    }
    if state == "failed" {
        // A newer authorisation makes the older one fail.
        assert_eq!(tpp.post(&format!("{consent}/authorisations"), &json!({})).await.status, 200);
    }
    (consent, own)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_sca_step_in_every_state_has_its_response(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let method = psu["methods"][0]["id"].clone();
    let app = psu["methods"].as_array().unwrap().iter().find(|method| method["type"] == "PUSHOTP").unwrap();
    let steps = [
        ("password", json!({ "psuData": { "password": psu["password"] } })),
        ("method", json!({ "authenticationMethodId": method })),
        ("unknown method", json!({ "authenticationMethodId": "00000000-0000-4000-8000-000000000000" })),
        ("the app", json!({ "authenticationMethodId": app["id"] })),
        ("code", json!({ "scaAuthenticationData": bank.sandbox_file["otp"] })),
        ("wrong code", json!({ "scaAuthenticationData": "999999" })),
        ("nothing", json!({})),
        ("two at once", json!({ "authenticationMethodId": method, "scaAuthenticationData": "123456" })),
        ("odd", json!({ "scaAuthenticationData": 123456 })),
    ];
    let mut lines = Vec::new();
    for state in STATES {
        for (name, step) in &steps {
            let (_, own) = in_state(&bank, &tpp, &psu, state).await;
            let answer = tpp.put(&own, step).await;
            let reported = match answer.status {
                200 => answer.text("/scaStatus").to_owned(),
                _ => answer.text("/tppMessages/0/text").split(':').next().unwrap().to_owned(),
            };
            assert!(answer.status < 500, "{state}, {name}: {answer:?}");
            lines.push(format!("{state}: {name}: {} {reported}", answer.status));
            // The 30 seconds between two codes and the rows of failures must not shape what follows.
            bank.advance("PT20M").await;
        }
    }
    insta::assert_snapshot!("steps", lines.join("\n"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_wrong_code_is_marked_as_replay(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let (_, own) = in_state(&bank, &tpp, &psu, "scaMethodSelected").await;
    let same = tpp.with("x-Request-ID", "6f9619ff-8b86-4011-b42d-00cf4fc964ff");
    let wrong = json!({ "scaAuthenticationData": "999999" });
    let (first, again) = (same.put(&own, &wrong).await, same.put(&own, &wrong).await);
    assert_eq!((first.status, first.headers.get("idempotent-replay")), (401, None));
    assert_eq!(
        (again.status, again.headers.get("idempotent-replay").map(String::as_str)),
        (401, Some("true"))
    );
    assert_eq!(first.body, again.body);
}

/// A consent in a state that a third party can see.
async fn consent_in(bank: &TestBank, tpp: &ApiClient, psu: &Value, state: &str) -> String {
    let mut body = order();
    if state == "rejected" {
        // An account of another customer: rejected when it is authorised.
        body["access"] =
            json!({ "accounts": [{ "iban": bank.sandbox_file["psus"][1]["accounts"][0]["iban"] }] });
    }
    if state == "expired" {
        body["recurringIndicator"] = json!(false);
        body["frequencyPerDay"] = json!(1);
    }
    let created = tpp.post("/v1/consents", &body).await;
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    if matches!(state, "valid" | "rejected" | "expired") {
        bank.authorise(tpp, &path, psu).await;
    }
    if state == "expired" {
        bank.advance("PT21M").await;
    }
    if state == "terminatedByTpp" {
        assert_eq!(tpp.delete(&path).await.status, 204);
    }
    path
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_consent_request_in_every_state_has_its_response(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let mut lines = Vec::new();
    for state in ["received", "valid", "rejected", "expired", "terminatedByTpp"] {
        let path = consent_in(&bank, &tpp, &psu, state).await;
        let reader =
            bank.tpp(0).with("consentID", path.rsplit('/').next().unwrap()).with("pSUIPAddress", "192.0.2.1");
        let status = tpp.get(&format!("{path}/status")).await;
        let calls = [
            ("fetch", tpp.get(&path).await),
            ("authorisations", tpp.get(&format!("{path}/authorisations")).await),
            ("read", reader.get("/v1/accounts").await),
            ("start", tpp.post(&format!("{path}/authorisations"), &json!({})).await),
            ("give back", tpp.delete(&path).await),
            ("give back again", tpp.delete(&path).await),
        ];
        lines.push(format!("{state} is {}", status.body["consentStatus"]));
        for (call, answer) in calls {
            assert!(answer.status < 500, "{state}, {call}: {answer:?}");
            let reported =
                answer.body.pointer("/tppMessages/0/text").and_then(Value::as_str).unwrap_or_default();
            lines.push(format!(
                "  {call}: {} {}",
                answer.status,
                reported.split(':').next().unwrap_or_default()
            ));
        }
        let after = tpp.get(&format!("{path}/status")).await;
        lines.push(format!("  ends as {}", after.body["consentStatus"]));
    }
    insta::assert_snapshot!("calls", lines.join("\n"));
}

/// Not an assertion about time: prints both medians, for a person to compare.
#[tokio::test(flavor = "multi_thread")]
async fn unknown_customers_get_identical_responses() {
    let database = trapeza_testkit::database::Database::new(trapeza_testkit::database::Engine::Sqlite);
    let bank = TestBank::start(database).await;
    let rounds = iterations(30);
    let known = text(&bank.sandbox_file["psus"][1]["psu_id"]).to_owned();
    let names = [known, "unknown.customer".to_owned()];
    let (mut times, mut answers) = ([Vec::new(), Vec::new()], Vec::new());
    // Alternating, so that other load on the machine affects both alike.
    for round in 0..rounds {
        for (name, times) in names.iter().zip(&mut times) {
            let tpp = bank.tpp(round % 2).with("PSU_ID", name);
            let created = tpp.post("/v1/consents", &order()).await;
            let path = format!("/v1/consents/{}/authorisations", created.text("/consentId"));
            let own = format!("{path}/{}", tpp.post(&path, &json!({})).await.text("/authorisationId"));
            let started = Instant::now();
            let answer = tpp.put(&own, &json!({ "psuData": { "password": "wrong" } })).await;
            times.push(started.elapsed());
            answers.push((answer.status, answer.body["tppMessages"].to_string()));
        }
        // Past the back-off after wrong passwords, which would dominate the times.
        bank.advance("P1D").await;
    }
    let medians = times.map(|mut times| {
        times.sort();
        times[rounds / 2]
    });
    println!("median of {rounds}: known {:?}, unknown {:?}", medians[0], medians[1]);
    // Times are compared only with many repetitions (`cargo xtask stress`): a few say nothing on a busy machine.
    if rounds > 30 {
        let ratio = medians[0].as_secs_f64() / medians[1].as_secs_f64();
        assert!((0.67..1.5).contains(&ratio), "the response time reveals who is a customer: {medians:?}");
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "all answers are the same: {answers:?}");
}
