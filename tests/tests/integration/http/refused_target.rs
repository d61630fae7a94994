//! What a customer refuses on the page of the bank: a payment, a cancellation, a consent for funds. The refusal is stored at once, and
//! nothing waits for what was refused.

use crate::http::clearing::{authorised, away};
use crate::http::payment::{JONAS, SEPA, balance, check_ledger, iban, initiate, psu, text, tpp};
use rstest::rstest;
use serde_json::json;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank};

/// Opens the redirect page of a new authorisation and refuses there.
async fn refuse(bank: &TestBank, tpp: &ApiClient, authorisations: &str) {
    let back = text(&bank.sandbox_file["tpps"][0]["redirect_uris"][0]);
    let starter = tpp.clone().with("TPP-Redirect-Preferred", "true").with("TPP-Redirect-URI", back);
    let started = starter.post(authorisations, &json!({})).await;
    let mut browser = bank.browser();
    let page = browser.get(started.text("/_links/scaRedirect/href")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    let password = text(&psu(bank, JONAS)["password"]);
    let page = browser.send(&page, &[("step", "password"), ("password", password)]).await;
    let end = browser.send(&page, &[("step", "refuse")]).await;
    assert_eq!(end.status, 200, "{end:?}");
    let ended = tpp.get(&format!("{authorisations}/{}", started.text("/authorisationId"))).await;
    assert_eq!(ended.body["scaStatus"], 6, "failed: {ended:?}");
}

async fn status(tpp: &ApiClient, payment: &str) -> String {
    tpp.get(payment).await.text("/transactionStatus").to_owned()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refused_payment_is_rejected_and_cannot_be_authorised_any_more(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await;
    let path = initiate(&tpp, SEPA, &away(&bank, "Maria Ioannou")).await;
    let authorisations = format!("{path}/authorisations");
    refuse(&bank, &tpp, &authorisations).await;
    assert_eq!(status(&tpp, &path).await, "RJCT");
    bank.pass(TimeDelta::seconds(31)).await;
    assert_eq!(tpp.post(&authorisations, &json!({})).await.status, 409);
    bank.advance("P2D").await;
    assert_eq!((status(&tpp, &path).await.as_str(), balance(&bank, &payer).await), ("RJCT", before));
    let rejected = bank.database.rows("SELECT status, rejection_reason FROM payment");
    assert_eq!(rejected, [["RJCT", "refused"]]);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refused_cancellation_lets_the_payment_go_on_at_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let path = authorised(&bank, &tpp, &away(&bank, "Maria Ioannou")).await;
    assert_eq!(tpp.delete(&path).await.text("/transactionStatus"), "RECEIVED");
    bank.pass(TimeDelta::seconds(31)).await;
    refuse(&bank, &tpp, &format!("{path}/cancellation-authorisations")).await;
    assert_eq!(status(&tpp, &path).await, "ACCP");
    bank.advance("PT5S").await;
    assert_eq!(status(&tpp, &path).await, "ACSC", "it does not wait for the end of the suspension");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refused_consent_for_funds_is_rejected(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let account = json!({ "account": { "iban": iban(&bank, JONAS, 0), "currency": "EUR" } });
    let created = tpp.post("/v2/consents/confirmation-of-funds", &account).await;
    let path = format!("/v2/consents/confirmation-of-funds/{}", created.text("/consentId"));
    refuse(&bank, &tpp, &format!("{path}/authorisations")).await;
    assert_eq!(bank.database.rows("SELECT status FROM consent"), [["rejected"]]);
    assert_eq!(tpp.get(&format!("{path}/status")).await.status, 200);
}
