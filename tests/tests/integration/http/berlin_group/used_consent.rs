//! Payments that use a consent (`Consent-ID`): it must be valid, of the same third party and of the same customer, who need not be named.

use super::payment::{OTHER_BANK_IBAN, order, payer};
use super::{authorise, client, consent_order, consented_client, iban, link, login, path, refusal};
use rstest::rstest;
use serde_json::json;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

async fn initiate(bank: &TestBank, tpp: &ApiClient) -> ApiResponse {
    tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order(bank, OTHER_BANK_IBAN)).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_under_a_consent_has_its_customer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let consented = consented_client(&bank, 0).await;
    let consent = consented.header("Consent-ID").expect("a consent").to_owned();
    bank.pass(TimeDelta::seconds(31)).await;
    let unnamed = payer(&bank).without("PSU-ID").with("Consent-ID", &consent);
    let created = initiate(&bank, &unnamed).await;
    authorise(&bank, &unnamed, &created, 0).await;
    let status = unnamed.get(&link(&bank, &created, "status")).await;
    assert_eq!(status.text("/transactionStatus"), "ACCP", "{status:?}");
    assert_eq!(bank.database.rows("SELECT psu_login FROM payment"), [[login(&bank, 0)]]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_that_is_not_valid_or_of_others_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let consented = consented_client(&bank, 0).await;
    let valid = consented.header("Consent-ID").expect("a consent").to_owned();
    let tpp = payer(&bank).with("Consent-ID", &valid);
    let other_customer = tpp.clone().with("PSU-ID", login(&bank, 1));
    let certificate = bank.sandbox_file["tpps"][1]["certificate"].as_str().expect("PEM");
    let other_tpp = tpp.clone().with("TPP-QWAC-Certificate", certificate);
    let access = consent_order(json!({ "balances": [{ "iban": iban(&bank, 0) }] }));
    let explicit = client(&bank, 0).with("TPP-Explicit-Authorisation-Preferred", "true");
    let received = explicit.post(&path("/v1/consents"), &access).await;
    let waiting = tpp.clone().with("Consent-ID", received.text("/consentId"));
    for (caller, expected) in [
        (&tpp, (201, "")),
        (&other_customer, (400, "CONSENT_UNKNOWN")),
        (&other_tpp, (400, "CONSENT_UNKNOWN")),
        (&tpp.clone().with("Consent-ID", "nonsense"), (400, "CONSENT_UNKNOWN")),
        (&waiting, (401, "CONSENT_INVALID")),
    ] {
        let answer = initiate(&bank, caller).await;
        assert_eq!(refusal(&answer), (expected.0, expected.1.to_owned()), "{answer:?}");
    }
    bank.pass(TimeDelta::days(181)).await;
    assert_eq!(refusal(&initiate(&bank, &tpp).await), (401, "CONSENT_EXPIRED".to_owned()));
    let deleted = consented_client(&bank, 0).await;
    let ended = deleted.header("Consent-ID").expect("a consent").to_owned();
    assert_eq!(deleted.delete(&path(&format!("/v1/consents/{ended}"))).await.status, 204);
    let tpp = payer(&bank).with("Consent-ID", &ended);
    assert_eq!(refusal(&initiate(&bank, &tpp).await), (401, "CONSENT_INVALID".to_owned()));
}
