//! `trapeza psu export` and `psu erase`: a copy of a customer's data, and its erasure after the end of the relationship.

use super::production;
use super::registry_commands::Sandbox;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::ServerProcess;
use trapeza_testkit::database::Engine;

const PHONE: &str = "+306912345678";

/// Every table and column in which a text of the customer could be; the number of rows that have it.
fn rows_with(sandbox: &Sandbox, text: &str) -> i64 {
    let columns = [("psu", "name"), ("psu", "phone"), ("notification", "recipient"), ("checkout", "phone")];
    let count = |(table, column): (&str, &str)| {
        sandbox.number(&format!("SELECT COUNT(*) FROM {table} WHERE {column} = '{text}'"))
    };
    columns.into_iter().map(count).sum()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn export_contains_the_data_of_one_customer_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start_with(engine, &["--days", "730"]).await;
    let psu = sandbox.psu().clone();
    let login = psu["psu_id"].as_str().unwrap();
    let iban = psu["accounts"][0]["iban"].as_str().unwrap();
    let tpp = sandbox
        .program
        .anonymous()
        .with_request_id()
        .with("PSU-ID", login)
        .with("TPP-Explicit-Authorisation-Preferred", "true");
    let order = json!({ "access": { "balances": [{ "iban": iban }] }, "recurringIndicator": false,
        "validUntil": "9999-12-31", "frequencyPerDay": 1 });
    let consent = tpp.post("/berlin-group/v1/consents", &order).await;
    let members = json!({ "consentIds": [consent.text("/consentId")] });
    let basket = tpp.post("/berlin-group/v1/signing-baskets", &members).await;
    assert_eq!(basket.status, 201, "{basket:?}");
    let text = sandbox.run(&["psu", "export", login]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["customer"]["name"], psu["name"], "{document}");
    assert_eq!(document["customer"]["phone"], psu["phone"]);
    assert_eq!(document["accounts"][0]["iban"], psu["accounts"][0]["iban"]);
    let exported = &document["signingBaskets"];
    assert_eq!(exported.as_array().map(Vec::len), Some(1), "{exported}");
    assert_eq!(exported[0]["id"], basket.body["basketId"]);
    assert_eq!(exported[0]["consents"], members["consentIds"]);
    assert_eq!(exported[0]["status"], "RCVD");
    let transactions = document["accounts"][0]["transactions"].as_array().unwrap();
    let stored = sandbox.number(&format!(
        "SELECT COUNT(*) FROM entry e JOIN account a ON a.ledger_account = e.account WHERE a.iban = '{}'",
        psu["accounts"][0]["iban"].as_str().unwrap()
    ));
    assert_eq!(i64::try_from(transactions.len()).unwrap(), stored, "the whole statement");
    assert!(stored > 200, "of several pages: {stored}");
    let other = sandbox.program.sandbox_file["psus"][0]["phone"].as_str().unwrap();
    assert!(!text.contains(other), "no telephone number of another customer");
    assert!(!text.contains("argon2"), "no secret");
    assert!(sandbox.refused(&["psu", "export", "unknown"]).starts_with("login: "));
    assert!(sandbox.audited("psu.exported"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn erased_customer_leaves_no_personal_data_and_the_ledger_stays_in_balance(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start(engine).await;
    let add =
        ["psu", "add", "--login", "anna", "--name", "Anna Example", "--phone", PHONE, "--method", "chip"];
    let account = ["--bic", "TRPZGRAA", "--account", "GR1601101250000000012300695"];
    let (added, succeeded) = sandbox.run_with("olive-tree-7\n", &[&add[..], &account].concat());
    assert!(succeeded, "{added}");
    // A message to the customer.
    assert!(sandbox.run_with("olive-tree-8\n", &["psu", "reset-password", "anna"]).1);
    assert_eq!(rows_with(&sandbox, PHONE), 2);
    let refused = sandbox.refused(&["psu", "erase", "anna"]);
    assert!(refused.contains("is still a customer"), "{refused}");
    sandbox.run(&["psu", "close", "anna"]);
    let export = sandbox.run(&["psu", "export", "anna"]);
    assert!(export.contains("Anna Example"), "a former customer has the right to a copy: {export}");
    sandbox.run(&["psu", "erase", "anna"]);
    assert_eq!((rows_with(&sandbox, PHONE), rows_with(&sandbox, "Anna Example")), (0, 0));
    let secrets =
        "SELECT (SELECT COUNT(*) FROM sca_method m JOIN psu p ON p.id = m.psu WHERE p.login = 'anna')
        + (SELECT COUNT(*) FROM psu WHERE login = 'anna' AND password_hash IS NOT NULL)";
    assert_eq!(sandbox.number(secrets), 0);
    assert!(sandbox.refused(&["psu", "erase", "anna"]).contains("is erased"));
    assert!(sandbox.refused(&["psu", "export", "anna"]).contains("is erased"));
    let (again, succeeded) = sandbox.run_with("olive-tree-7\n", &add);
    assert!(!succeeded, "the login stays reserved: {again}");
    // What the law requires is there.
    let accounts = "SELECT COUNT(*) FROM account WHERE iban = 'GR1601101250000000012300695'";
    assert_eq!(sandbox.number(accounts), 1);
    assert!(sandbox.run(&["ledger", "check"]).contains("all in balance"));
    assert!(sandbox.run(&["audit", "verify"]).contains("intact"));
    assert!(sandbox.audited("psu.erased"));
}

/// Moves the sandbox clock, which leaves the customer's relationship ended for longer.
async fn advance(sandbox: &Sandbox, duration: &str) {
    let answer = sandbox.program.anonymous().post("/sandbox/clock", &json!({ "advance": duration })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn retention_erases_former_customers_after_their_years(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start(engine).await;
    for (login, phone) in [("anna", PHONE), ("ben", "+306912345679")] {
        let add =
            ["psu", "add", "--login", login, "--name", "Anna Example", "--phone", phone, "--method", "sms"];
        assert!(sandbox.run_with("olive-tree-7\n", &add).1);
    }
    sandbox.run(&["psu", "close", "anna"]);
    let apply = |more: &[&str]| sandbox.run(&[&["retention", "apply", "--years", "5"], more].concat());
    let nothing = "erased the personal data of 0 former customers and 0 accounts of loan payers\n";
    advance(&sandbox, "P1820D").await;
    assert_eq!(apply(&[]), nothing, "not five years yet");
    assert_eq!(rows_with(&sandbox, PHONE), 1);
    sandbox.run(&["psu", "close", "ben"]);
    advance(&sandbox, "P10D").await;
    let would = "would erase the personal data of 1 former customers and 0 accounts of loan payers\n";
    assert_eq!(apply(&["--dry-run"]), would);
    assert_eq!(rows_with(&sandbox, PHONE), 1, "nothing was changed");
    assert_eq!(apply(&[]), would.replace("would erase", "erased"));
    assert_eq!((rows_with(&sandbox, PHONE), rows_with(&sandbox, "+306912345679")), (0, 1));
    assert_eq!(apply(&[]), nothing);
    assert!(sandbox.audited("psu.erased") && sandbox.audited("retention.applied"));
    assert_eq!(sandbox.refused(&["retention", "apply", "--years", "4"]), "years: must be 5 to 100\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn export_may_be_larger_than_a_response_of_the_admin_socket() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let _program = ServerProcess::sandbox(&data, "", &["--scale", "70000"]).await;
    let (text, succeeded) =
        production::run_with("", &["psu", "export", "pontos.payments", "--data", data.to_str().unwrap()]);
    assert!(succeeded, "{text}");
    assert!(text.len() > 16 << 20, "{} bytes", text.len());
    let document: Value = serde_json::from_str(&text).unwrap();
    let numbers = document["accounts"][0]["transactions"].as_array().unwrap().iter();
    let numbers: Vec<i64> = numbers.map(|entry| entry["number"].as_i64().unwrap()).collect();
    assert_eq!(numbers.len(), 70_000);
    assert!(numbers.is_sorted_by(|one, next| one > next), "every entry once, the newest first");
}
