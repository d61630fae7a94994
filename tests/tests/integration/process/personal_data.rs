//! `trapeza psu export` and `psu forget`: a copy of a customer's data, and its erasure after the end of the relationship.

use super::registry_commands::Sandbox;
use rstest::rstest;
use serde_json::Value;
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
    let sandbox = Sandbox::start(engine).await;
    let psu = sandbox.psu().clone();
    let login = psu["psu_id"].as_str().unwrap();
    let text = sandbox.run(&["psu", "export", login]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["customer"]["name"], psu["name"], "{document}");
    assert_eq!(document["customer"]["phone"], psu["phone"]);
    assert_eq!(document["accounts"][0]["iban"], psu["accounts"][0]["iban"]);
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
async fn forgotten_customer_leaves_no_personal_data_and_the_ledger_stays_in_balance(
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
    let refused = sandbox.refused(&["psu", "forget", "anna"]);
    assert!(refused.contains("is still a customer"), "{refused}");
    sandbox.run(&["psu", "close", "anna"]);
    let export = sandbox.run(&["psu", "export", "anna"]);
    assert!(export.contains("Anna Example"), "a former customer has the right to a copy: {export}");
    sandbox.run(&["psu", "forget", "anna"]);
    assert_eq!((rows_with(&sandbox, PHONE), rows_with(&sandbox, "Anna Example")), (0, 0));
    let secrets =
        "SELECT (SELECT COUNT(*) FROM sca_method m JOIN psu p ON p.id = m.psu WHERE p.login = 'anna')
        + (SELECT COUNT(*) FROM psu WHERE login = 'anna' AND password_hash IS NOT NULL)";
    assert_eq!(sandbox.number(secrets), 0);
    assert!(sandbox.refused(&["psu", "forget", "anna"]).contains("is erased"));
    assert!(sandbox.refused(&["psu", "export", "anna"]).contains("is erased"));
    let (again, succeeded) = sandbox.run_with("olive-tree-7\n", &add);
    assert!(!succeeded, "the login stays reserved: {again}");
    // What the law requires is there.
    let accounts = "SELECT COUNT(*) FROM account WHERE iban = 'GR1601101250000000012300695'";
    assert_eq!(sandbox.number(accounts), 1);
    assert!(sandbox.run(&["ledger", "check"]).contains("all in balance"));
    assert!(sandbox.run(&["audit", "verify"]).contains("intact"));
    assert!(sandbox.audited("psu.forgotten"));
}
