//! What third parties and customers do, with its events.

use super::Scenario;
use crate::http::checkout::JONAS;
use crate::http::page_forms::enrol;
use crate::http::payment::{
    INTERNAL, OTHER_BANK_IBAN, SEPA, challenged, changed, code, iban, initiate, order, psu, text, tpp,
};
use serde_json::json;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{TestBank, Transcript};

#[tokio::test(flavor = "multi_thread")]
async fn consent_and_payment_have_their_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (tpp, customer) = (tpp(&bank, JONAS), psu(&bank, JONAS).clone());
    let mut scenario = Scenario::begin(&bank);
    let consent = json!({
        "access": { "balances": [{ "iban": iban(&bank, JONAS, 0) }] }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let created = tpp.post("/v1/consents", &consent).await;
    scenario.step("consent");
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    scenario.step("start");
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    tpp.put(&own, &json!({ "psuData": { "password": "wrong" } })).await;
    scenario.step("wrong password");
    bank.pass(TimeDelta::seconds(2)).await;
    tpp.put(&own, &json!({ "psuData": { "password": customer["password"] } })).await;
    scenario.step("password, one method");
    tpp.put(&own, &json!({ "scaAuthenticationData": "999999" })).await;
    scenario.step("wrong code");
    code(&bank, &tpp, &own).await;
    scenario.step("code");
    bank.tpp(0).with("consentID", created.text("/consentId")).get("/v1/accounts").await;
    scenario.step("read");
    tpp.delete(&path).await;
    scenario.step("end by the third party");
    let funds = json!({ "account": { "iban": iban(&bank, JONAS, 0), "currency": "EUR" } });
    tpp.post("/v2/consents/confirmation-of-funds", &funds).await;
    scenario.step("funds consent");

    let pay = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    scenario.step("payment");
    bank.pass(TimeDelta::seconds(31)).await;
    bank.authorise(&tpp, &pay, &customer).await;
    scenario.step("authorised in three steps, booked");
    let unfunded = changed(order(&bank, "1.00"), "/instructedAmount/Amount", json!("99999999.99"));
    let unfunded = initiate(&tpp, INTERNAL, &unfunded).await;
    bank.pass(TimeDelta::seconds(31)).await;
    bank.authorise(&tpp, &unfunded, &customer).await;
    scenario.step("payment without funds");
    let cancelled = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    tpp.delete(&cancelled).await;
    scenario.step("payment, cancelled before its authorisation");
    let away = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let held = initiate(&tpp, SEPA, &away).await;
    bank.pass(TimeDelta::seconds(31)).await;
    bank.authorise(&tpp, &held, &customer).await;
    scenario.step("transfer to another bank, held");
    tpp.delete(&held).await;
    scenario.step("cancellation requested");
    bank.pass(TimeDelta::seconds(31)).await;
    let steps = format!("{held}/cancellation-authorisations");
    let own = challenged(&bank, &tpp, &steps, &mut Transcript::default()).await;
    code(&bank, &tpp, &own).await;
    scenario.step("cancellation authorised");
    for name in ["Maria Ioannou", "REJECT AC04", "RETURN", "SILENT"] {
        let sent = initiate(&tpp, SEPA, &changed(away.clone(), "/creditorName", json!(name))).await;
        bank.pass(TimeDelta::seconds(31)).await;
        bank.authorise(&tpp, &sent, &customer).await;
        bank.advance("PT5S").await;
        scenario.step(&format!("transfer to {name}, sent"));
    }
    bank.advance("PT24H").await;
    scenario.step("a day later");
    tpp.post("/v1/consents", &consent).await;
    initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    bank.advance("P2D").await;
    scenario.step("consent and payment that were not authorised");
    insta::assert_snapshot!("consent_and_payment", scenario.end().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn app_of_a_customer_has_its_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let customer = psu(&bank, 0).clone();
    let mut scenario = Scenario::begin(&bank);
    let mut first = bank.browser();
    enrol(&bank, &mut first, 0).await;
    scenario.step("device enrolled");
    let mut other = bank.browser();
    let page = other.get("/app").await;
    let fields =
        [("step", "sign-in"), ("user", text(&customer["psu_id"])), ("password", text(&customer["password"]))];
    let wrong = [("step", "sign-in"), ("user", text(&customer["psu_id"])), ("password", "wrong")];
    other.send(&page, &wrong).await;
    scenario.step("wrong password");
    bank.pass(TimeDelta::seconds(31)).await;
    let code_page = other.send(&page, &fields).await;
    scenario.step("password on a new device");
    other.send(&code_page, &[("step", "code"), ("code", "999999")]).await;
    scenario.step("wrong code");
    other.send(&code_page, &[("step", "code"), ("code", "123456")]).await;
    scenario.step("code");
    let devices = first.get("/app/devices").await;
    let remove = devices.attributes("href=\"/app/devices/").remove(0);
    let confirm = first.get(&format!("/app/devices/{remove}")).await;
    first.send(&confirm, &[]).await;
    scenario.step("other device removed");
    let tpp = bank.tpp(0).with("PSU_ID", text(&customer["psu_id"]));
    let consent = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let created = tpp.post("/v1/consents", &consent).await;
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    bank.authorise(&tpp, &path, &customer).await;
    scenario.step("consent with several methods");
    let permissions = first.get("/app/permissions").await;
    let permission = permissions.attributes("href=\"/app/permissions/").remove(0);
    let confirm = first.get(&format!("/app/permissions/{permission}")).await;
    first.send(&confirm, &[]).await;
    scenario.step("permission revoked");
    let device = first.get("/app/device").await;
    first.send(&device, &[]).await;
    scenario.step("device removed");
    insta::assert_snapshot!("app", scenario.end().await);
}
