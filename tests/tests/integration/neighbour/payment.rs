//! Consents and payments of two customers, ordered by two third parties.

use super::{Scenario, Side, Turns, take_turns};
use crate::http::payment::{
    ELENI, INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, changed, code, iban, initiate, psu, text,
};
use serde_json::{Value, json};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank};

/// A customer and the third party.
struct Pair {
    customer: usize,
    tpp: ApiClient,
}

fn pair(bank: &TestBank, side: Side) -> Pair {
    let customer = side.of(JONAS, ELENI);
    let tpp = bank.tpp(side.of(0, 1)).with("PSU_ID", text(&psu(bank, customer)["psu_id"]));
    Pair { customer, tpp: tpp.with("pSUIPAddress", "192.0.2.1") }
}

/// From one of the two to the other.
fn order(bank: &TestBank, side: Side) -> Value {
    let (payer, payee) = (side.of(JONAS, ELENI), side.of(ELENI, JONAS));
    json!({
        "debtorAccount": { "iban": iban(bank, payer, 0) },
        "instructedAmount": { "currency": "EUR", "Amount": "1.00" },
        "creditorAccount": { "iban": iban(bank, payee, 0) },
        "creditorName": psu(bank, payee)["name"],
    })
}

/// Starts an authorisation and authenticates; returns where the code is sent to.
async fn authenticated(
    bank: &TestBank,
    pair: &Pair,
    authorisations: &str,
    scenario: &Scenario<'_>,
) -> String {
    bank.pass(TimeDelta::seconds(31)).await;
    let started = pair.tpp.post(authorisations, &json!({})).await;
    scenario.step("start").await;
    let own = format!("{authorisations}/{}", started.text("/authorisationId"));
    let password = json!({ "psuData": { "password": psu(bank, pair.customer)["password"] } });
    let answer = pair.tpp.put(&own, &password).await;
    if let Some(method) = answer.method_with_code() {
        pair.tpp.put(&own, &method).await;
    }
    scenario.step("password").await;
    own
}

#[tokio::test(flavor = "multi_thread")]
async fn consents_of_two_customers_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let pair = pair(bank, scenario.side);
        let consent = json!({
            "access": { "balances": [{ "iban": iban(bank, pair.customer, 0) }] }, "recurringIndicator": true,
            "validUntil": "2099-12-31", "frequencyPerDay": 4,
        });
        let created = pair.tpp.post("/v1/consents", &consent).await;
        scenario.step("consent").await;
        let path = format!("/v1/consents/{}", created.text("/consentId"));
        let own = authenticated(bank, &pair, &format!("{path}/authorisations"), &scenario).await;
        pair.tpp.put(&own, &json!({ "scaAuthenticationData": "999999" })).await;
        scenario.step("wrong code").await;
        code(bank, &pair.tpp, &own).await;
        scenario.step("code").await;
        let reader = pair.tpp.clone().with("consentID", created.text("/consentId"));
        let accounts = reader.get("/v1/accounts").await;
        let account = accounts.text("/accounts/0/resourceId");
        reader.get(&format!("/v1/accounts/{account}/balances")).await;
        scenario.step("read").await;
        let next = pair.tpp.post("/v1/consents", &consent).await;
        let next = format!("/v1/consents/{}", next.text("/consentId"));
        let own = authenticated(bank, &pair, &format!("{next}/authorisations"), &scenario).await;
        code(bank, &pair.tpp, &own).await;
        scenario.step("code of a consent that replaces the first one").await;
        pair.tpp.delete(&next).await;
        scenario.step("revoked").await;
        pair.tpp.post("/v1/consents", &consent).await;
        scenario.step("consent that is not authorised").await;
        bank.advance("P1DT1M").await;
        scenario.step("a day later").await;
    })
    .await;
    insta::assert_snapshot!("consent", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_of_two_customers_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let pair = pair(bank, scenario.side);
        let order = order(bank, scenario.side);
        let paid = initiate(&pair.tpp, INTERNAL, &order).await;
        scenario.step("payment").await;
        let own = authenticated(bank, &pair, &format!("{paid}/authorisations"), &scenario).await;
        code(bank, &pair.tpp, &own).await;
        scenario.step("code, booked").await;
        let away = changed(order.clone(), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
        let held = initiate(&pair.tpp, SEPA, &away).await;
        let own = authenticated(bank, &pair, &format!("{held}/authorisations"), &scenario).await;
        code(bank, &pair.tpp, &own).await;
        scenario.step("code, held").await;
        pair.tpp.delete(&held).await;
        scenario.step("cancellation requested").await;
        let own = authenticated(bank, &pair, &format!("{held}/cancellation-authorisations"), &scenario).await;
        code(bank, &pair.tpp, &own).await;
        scenario.step("code, cancelled").await;
        let cancelled = initiate(&pair.tpp, INTERNAL, &order).await;
        pair.tpp.delete(&cancelled).await;
        scenario.step("payment, cancelled before its authorisation").await;
        for name in ["Maria Ioannou", "REJECT AC04", "RETURN", "SILENT"] {
            let sent = initiate(&pair.tpp, SEPA, &changed(away.clone(), "/creditorName", json!(name))).await;
            let own = authenticated(bank, &pair, &format!("{sent}/authorisations"), &scenario).await;
            code(bank, &pair.tpp, &own).await;
            scenario.step(&format!("transfer to {name}")).await;
        }
        bank.advance("PT10S").await;
        scenario.step("sent").await;
        initiate(&pair.tpp, INTERNAL, &order).await;
        scenario.step("payment that is not authorised").await;
        bank.advance("P1DT1M").await;
        scenario.step("a day later").await;
    })
    .await;
    insta::assert_snapshot!("payment", changes);
}
