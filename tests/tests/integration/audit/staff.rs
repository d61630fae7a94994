//! What staff and the sandbox do, with its events.

use super::Scenario;
use serde_json::{Value, json};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ConsoleUser, StaffUser, TestBank};

async fn create(bank: &TestBank, kind: &str, body: Value) -> Value {
    let created = bank.anonymous().post(&format!("/sandbox/{kind}"), &body).await;
    assert!(created.status < 300, "{created:?}");
    created.body
}

#[tokio::test(flavor = "multi_thread")]
async fn staff_has_its_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut scenario = Scenario::begin(&bank);
    let mut person = ConsoleUser::enrol(&bank, StaffRole::Operations, "operations@bank.example").await;
    scenario.step("created by command, enrolled, signed in");
    person.post("/console/account/tokens", &[("name", "reports"), ("days", "7")]).await;
    scenario.step("token");
    let tokens = person.browser.get("/console/account/tokens").await;
    let token = tokens.attributes("action=\"/console/account/tokens/").remove(0);
    person.post(&format!("/console/account/tokens/{token}"), &[]).await;
    scenario.step("token revoked");
    let admin = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let new = [("email", "new@bank.example"), ("name", "New"), ("role", "risk")];
    let created = admin.run(StaffAction::StaffCreate, &new).await.unwrap();
    let trapeza_app::staff::ActionResult::Done(outcome) = created else { panic!("{created:?}") };
    let new = StaffUser::accept(&bank, outcome.enrolment.unwrap().expose()).await;
    scenario.step("login created by an administrator");
    new.confirm(Actor::Operator(Some(0))).await.unwrap();
    scenario.step("confirmed");
    let id = new.id.to_string();
    admin.run(StaffAction::StaffRoleChange, &[("staff", &id), ("role", "auditor")]).await.unwrap();
    scenario.step("role");
    insta::assert_snapshot!("staff", scenario.end().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn sandbox_and_keys_have_their_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut scenario = Scenario::begin(&bank);
    let person = json!({
        "psuId": "maria.test", "password": "correct-horse-1", "name": "Maria Test", "phone": "+306900000200", "methods": ["SMSOTP"],
    });
    create(&bank, "customers", person).await;
    scenario.step("customer");
    let account =
        create(&bank, "accounts", json!({ "owners": ["maria.test"], "openingBalance": "10" })).await;
    scenario.step("account");
    create(&bank, "cards", json!({ "psuId": "maria.test", "iban": account["iban"] })).await;
    scenario.step("card");
    create(&bank, "transactions", json!({ "iban": account["iban"], "amount": "-1" })).await;
    scenario.step("transaction");
    let merchant = bank.merchant(0);
    let id = ApplicationId::parse(merchant.header("X-Application-ID").unwrap()).unwrap();
    bank.app.key_issue(id).await.unwrap();
    scenario.step("key issued by command");
    bank.app.older_keys_retire(id).await.unwrap();
    scenario.step("keys retired by command");
    bank.app.clock_advance(TimeDelta::days(1)).await.unwrap();
    scenario.step("clock");
    let lines = scenario.end().await;
    let mut scenario = Scenario::begin(&bank);
    assert_eq!(bank.anonymous().post("/sandbox/reset", &json!({})).await.status, 200);
    let replaced = super::counts(&bank).keys().any(|event| event.starts_with("bank.replaced"));
    assert!(replaced, "the new log begins with what replaced the bank");
    scenario.lines.push(lines);
    insta::assert_snapshot!("sandbox", scenario.lines.join("\n"));
}
