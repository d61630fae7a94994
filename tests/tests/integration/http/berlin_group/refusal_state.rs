//! Refusals that depend on the state of an object, a counter or a certificate.

use super::{authorise, checked, client, consent_order, iban, link, path, psu, refusal};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

fn code(code: &str, status: u16) -> (u16, String) {
    (status, code.to_owned())
}

/// An account of another bank.
const OTHER_BANK_IBAN: &str = "DE89370400440532013000";

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn step_is_refused_by_its_kind() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0);
    let order = consent_order(json!({ "allPsd2": "allAccounts" }));
    let created = tpp.post(&path("/v1/consents"), &order).await;
    let own = link(&bank, &created, "updatePsuAuthentication");
    let password = |text: &Value| json!({ "psuData": { "password": text } });
    for (body, expected) in [
        (json!({ "scaAuthenticationData": "123456" }), code("SERVICE_INVALID", 400)),
        (json!({ "confirmationCode": "1" }), code("SERVICE_INVALID", 400)),
        (json!({ "psuData": { "encryptedPassword": "x" } }), code("PARAMETER_NOT_SUPPORTED", 400)),
        (json!({ "authenticationMethodId": "x", "scaAuthenticationData": "1" }), code("FORMAT_ERROR", 400)),
        (password(&json!("wrong")), code("PSU_CREDENTIALS_INVALID", 401)),
    ] {
        let refused = tpp.put(&own, &body).await;
        assert_eq!(refusal(&refused), expected, "{body}: {refused:?}");
    }
    let answer = tpp.put(&own, &password(&psu(&bank, 0)["password"])).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let unknown = json!({ "authenticationMethodId": "00000000000040008000000000000000" });
    assert_eq!(refusal(&tpp.put(&own, &unknown).await), code("SCA_METHOD_UNKNOWN", 400));
    let unknown_path =
        own.replace(own.rsplit('/').next().expect("an id"), "00000000-0000-4000-8000-000000000000");
    assert_eq!(refusal(&tpp.get(&unknown_path).await), code("RESOURCE_UNKNOWN", 403));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_is_refused_by_its_state_and_its_frequency() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0).with("TPP-Explicit-Authorisation-Preferred", "true");
    let mut order = consent_order(json!({ "accounts": [{ "iban": iban(&bank, 0) }] }));
    order["validUntil"] = json!(bank.days_ago(-2));
    order["frequencyPerDay"] = json!(1);
    let created = tpp.post(&path("/v1/consents"), &order).await;
    let reader = tpp.clone().with("Consent-ID", created.text("/consentId"));
    let accounts = path("/v1/accounts");
    assert_eq!(refusal(&reader.get(&accounts).await), code("CONSENT_INVALID", 401), "not authorised yet");
    authorise(&bank, &tpp, &created, 0).await;
    let list = reader.get(&accounts).await;
    let account = list.text("/accounts/0/resourceId");
    let balances = reader.get(&path(&format!("/v1/accounts/{account}/balances"))).await;
    assert_eq!(refusal(&balances), code("CONSENT_INVALID", 401), "without the right to balances");
    let again = reader.get(&accounts).await;
    assert_eq!(refusal(&again), code("ACCESS_EXCEEDED", 429));
    assert!(again.headers.contains_key("retry-after"));
    bank.advance("P4D").await;
    assert_eq!(refusal(&reader.get(&accounts).await), code("CONSENT_EXPIRED", 401));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_is_refused_by_its_product_and_its_state() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0)
        .with("PSU-IP-Address", "192.0.2.7")
        .with("TPP-Explicit-Authorisation-Preferred", "true");
    let order = json!({
        "debtorAccount": { "iban": iban(&bank, 0) },
        "instructedAmount": { "currency": "EUR", "amount": "1.00" },
        "creditorAccount": { "iban": iban(&bank, 1) },
        "creditorName": psu(&bank, 1)["name"],
    });
    let initiated = tpp.post(&path("/v1/payments/internal-transfers"), &order).await;
    authorise(&bank, &tpp, &initiated, 0).await;
    let own = link(&bank, &initiated, "self");
    let mut abroad = order.clone();
    abroad["creditorAccount"]["iban"] = json!(OTHER_BANK_IBAN);
    let sent = tpp.post(&path("/v1/payments/sepa-credit-transfers"), &abroad).await;
    let other = link(&bank, &sent, "self").replace("sepa-credit-transfers", "internal-transfers");
    assert_eq!(refusal(&tpp.get(&other).await), code("PRODUCT_INVALID", 403));
    assert_eq!(refusal(&tpp.delete(&own).await), code("CANCELLATION_INVALID", 405));
    let again = tpp.post(&format!("{own}/authorisations"), &json!({})).await;
    assert_eq!(refusal(&again), code("STATUS_INVALID", 409));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn funds_are_refused_for_a_foreign_card() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0).with("TPP-Explicit-Authorisation-Preferred", "true");
    let order = json!({ "account": { "iban": iban(&bank, 0) } });
    let created = tpp.post(&path("/v2/consents/confirmation-of-funds"), &order).await;
    authorise(&bank, &tpp, &created, 0).await;
    let question = json!({
        "account": { "iban": iban(&bank, 0) },
        "cardNumber": "4111111111111111",
        "instructedAmount": { "currency": "EUR", "amount": "1.00" },
    });
    let refused = tpp.post(&path("/v1/funds-confirmations"), &question).await;
    assert_eq!(refusal(&refused), code("CARD_INVALID", 400), "{refused:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn caller_over_its_rate_is_refused_without_a_body_outside_of_account_information() {
    let options = trapeza_testkit::test_bank::TestBankOptions::limited();
    let bank = TestBank::with_options(Database::new(Engine::Sqlite), options).await;
    let tpp = checked(bank.anonymous()).with_request_id();
    let over_rate = async |unknown_path: &str| {
        let mut last = tpp.get(&path(unknown_path)).await;
        for _ in 0..300 {
            if last.status == 429 {
                break;
            }
            last = tpp.get(&path(unknown_path)).await;
        }
        last
    };
    let id = "00000000-0000-4000-8000-000000000000";
    let last = over_rate(&format!("/v1/payments/sepa-credit-transfers/{id}")).await;
    assert_eq!((last.status, &last.body), (429, &Value::Null), "{last:?}");
    assert!(last.headers.contains_key("retry-after"));
    let read = over_rate(&format!("/v1/consents/{id}")).await;
    assert_eq!(refusal(&read), code("ACCESS_EXCEEDED", 429));
}
