//! What customers refuse or let pass, with its events.

use super::Scenario;
use crate::http::checkout::JONAS;
use crate::http::clearing::{authorised, away};
use crate::http::payment::{iban, psu, text, tpp};
use serde_json::json;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank};

/// Opens the redirect page of an authorisation and refuses there.
async fn refuse(bank: &TestBank, tpp: &ApiClient, authorisations: &str, scenario: &mut Scenario<'_>) {
    let back = text(&bank.sandbox_file["tpps"][0]["redirect_uris"][0]);
    let starter = tpp.clone().with("TPP-Redirect-Preferred", "true").with("TPP-Redirect-URI", back);
    let started = starter.post(authorisations, &json!({})).await;
    scenario.step("start");
    let mut browser = bank.browser();
    let page = browser.get(started.text("/_links/scaRedirect/href")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    scenario.step("page opened");
    let password = text(&psu(bank, JONAS)["password"]);
    let page = browser.send(&page, &[("step", "password"), ("password", password)]).await;
    scenario.step("password");
    browser.send(&page, &[("step", "refuse")]).await;
    scenario.step("refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_and_abandoned_authorisations_have_their_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = tpp(&bank, JONAS);
    let mut scenario = Scenario::begin(&bank);
    let consent = |until: String| {
        json!({
            "access": { "balances": [{ "iban": iban(&bank, JONAS, 0) }] }, "recurringIndicator": true,
            "validUntil": until, "frequencyPerDay": 4,
        })
    };
    let created = tpp.post("/v1/consents", &consent("2099-12-31".to_owned())).await;
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    refuse(&bank, &tpp, &format!("{path}/authorisations"), &mut scenario).await;
    bank.pass(TimeDelta::seconds(31)).await;
    let held = authorised(&bank, &tpp, &away(&bank, "HOLD")).await;
    tpp.delete(&held).await;
    scenario.step("payment, held, cancellation requested");
    bank.pass(TimeDelta::seconds(31)).await;
    refuse(&bank, &tpp, &format!("{held}/cancellation-authorisations"), &mut scenario).await;
    let created = tpp.post("/v1/consents", &consent(bank.days_ago(-2))).await;
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    bank.pass(TimeDelta::seconds(31)).await;
    tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    scenario.step("consent of three days, started");
    bank.advance("PT16M").await;
    scenario.step("no answer for 16 minutes");
    bank.authorise(&tpp, &path, psu(&bank, JONAS)).await;
    scenario.step("authorised");
    bank.advance("P4D").await;
    scenario.step("past its end");
    bank.book_opening(&iban(&bank, JONAS, 0), 100).await;
    scenario.step("posting of the bank");
    insta::assert_snapshot!("refusal", scenario.end().await);
}
