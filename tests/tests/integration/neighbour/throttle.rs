//! Failed attempts of one customer with two third parties, of two customers, and of passwords and codes: each is counted alone.

use super::{Scenario, Turns, take_turns};
use crate::http::payment::{ELENI, JONAS, code, iban, psu, text};
use serde_json::json;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank};

/// Starts an authorisation of a consent; returns the address of its steps.
async fn started(bank: &TestBank, tpp: &ApiClient, customer: usize) -> String {
    let consent = json!({
        "access": { "balances": [{ "iban": iban(bank, customer, 0) }] }, "recurringIndicator": false,
        "validUntil": "2099-12-31", "frequencyPerDay": 1,
    });
    let created = tpp.post("/v1/consents", &consent).await;
    let steps = format!("/v1/consents/{}/authorisations", created.text("/consentId"));
    let started = tpp.post(&steps, &json!({})).await;
    format!("{steps}/{}", started.text("/authorisationId"))
}

/// A wrong password and a wrong code, and then the right ones.
async fn fail_and_succeed(bank: &TestBank, tpp: &ApiClient, customer: usize, scenario: &Scenario<'_>) {
    let (first, second) = (started(bank, tpp, customer).await, started(bank, tpp, customer).await);
    scenario.step("two authorisations").await;
    let wrong = json!({ "psuData": { "password": "wrong" } });
    tpp.put(&first, &wrong).await;
    scenario.step("wrong password").await;
    bank.pass(TimeDelta::seconds(31)).await;
    let right = json!({ "psuData": { "password": psu(bank, customer)["password"] } });
    let answer = tpp.put(&second, &right).await;
    scenario.step("right password in the other one").await;
    if let Some(method) = answer.method_with_code() {
        tpp.put(&second, &method).await;
    }
    tpp.put(&second, &json!({ "scaAuthenticationData": "999999" })).await;
    scenario.step("wrong code").await;
    tpp.put(&first, &wrong).await;
    scenario.step("wrong password again").await;
    let finalised = code(bank, tpp, &second).await;
    assert_eq!(finalised.text("/scaStatus"), "finalised", "{finalised:?}");
    scenario.step("right code").await;
    // Both of them pass half a day.
    bank.pass(TimeDelta::hours(13)).await;
    scenario.step("a day later").await;
    let later = started(bank, tpp, customer).await;
    let answer = tpp.put(&later, &right).await;
    if let Some(method) = answer.method_with_code() {
        tpp.put(&later, &method).await;
    }
    scenario.step("right password in another authorisation").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_of_two_customers_are_counted_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let customer = scenario.side.of(JONAS, ELENI);
        let tpp = bank.tpp(0).with("PSU_ID", text(&psu(bank, customer)["psu_id"]));
        fail_and_succeed(bank, &tpp, customer, &scenario).await;
    })
    .await;
    insta::assert_snapshot!("customers", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_with_two_third_parties_are_counted_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let tpp = bank.tpp(scenario.side.of(0, 1)).with("PSU_ID", text(&psu(bank, JONAS)["psu_id"]));
        fail_and_succeed(bank, &tpp, JONAS, &scenario).await;
    })
    .await;
    insta::assert_snapshot!("third_parties", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn unblocked_customer_leaves_the_counters_of_others() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let customer = scenario.side.of(JONAS, ELENI);
        let login = text(&psu(bank, customer)["psu_id"]);
        let tpp = bank.tpp(0).with("PSU_ID", login);
        let own = started(bank, &tpp, customer).await;
        for _ in 0..5 {
            tpp.put(&own, &json!({ "psuData": { "password": "wrong" } })).await;
        }
        scenario.step("blocked").await;
        bank.app.psu_unblock(login).await.unwrap();
        scenario.step("unblocked").await;
    })
    .await;
    insta::assert_snapshot!("unblock", changes);
}
