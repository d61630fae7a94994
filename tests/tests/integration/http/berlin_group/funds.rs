//! Confirmation of funds, and consents to it.

use super::{authorise, client, iban, link, path, refusal};
use rstest::rstest;
use serde_json::json;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn funds_are_confirmed_with_and_without_a_named_consent(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = client(&bank, 0).with("TPP-Explicit-Authorisation-Preferred", "true");
    let question = json!({
        "account": { "iban": iban(&bank, 0) },
        "instructedAmount": { "currency": "EUR", "amount": "1.00" },
    });
    let funds = path("/v1/funds-confirmations");
    let refused = tpp.post(&funds, &question).await;
    assert_eq!(refusal(&refused), (400, "NO_PIIS_ACTIVATION".to_owned()), "{refused:?}");

    let order = json!({ "account": { "iban": iban(&bank, 0) }, "cardExpiryDate": "2040-12-31" });
    let same = tpp.clone().with("X-Request-ID", "6f9619ff-8b86-4011-b42d-00cf4fc964ff");
    let created = same.post(&path("/v2/consents/confirmation-of-funds"), &order).await;
    let again = same.post(&path("/v2/consents/confirmation-of-funds"), &order).await;
    assert_eq!(again.headers.get("idempotent-replay").map(String::as_str), Some("true"), "{again:?}");
    assert_eq!((again.status, &again.body), (201, &created.body));
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM consent"), 1);
    authorise(&bank, &tpp, &created, 0).await;
    let own = link(&bank, &created, "self");
    let expected = json!({ "account": { "iban": iban(&bank, 0) }, "cardExpiryDate": "2040-12-31", "consentStatus": "valid" });
    assert_eq!(tpp.get(&own).await.body, expected);
    assert_eq!(tpp.get(&link(&bank, &created, "status")).await.body, json!({ "consentStatus": "valid" }));
    assert_eq!(tpp.post(&funds, &question).await.body, json!({ "fundsAvailable": true }));
    let mut other = question.clone();
    other["account"]["iban"] = json!(iban(&bank, 1));
    let refused = tpp.post(&funds, &other).await;
    assert_eq!(refusal(&refused), (400, "NO_PIIS_ACTIVATION".to_owned()), "another account: {refused:?}");
    let mut wrong = question.clone();
    wrong["cardNumber"] = json!("no card");
    assert_eq!(refusal(&tpp.post(&funds, &wrong).await), (400, "FORMAT_ERROR".to_owned()));
    let named = tpp.clone().with("Consent-ID", created.text("/consentId"));
    assert_eq!(named.post(&funds, &question).await.body, json!({ "fundsAvailable": true }));

    assert_eq!(tpp.delete(&own).await.status, 204);
    assert_eq!(refusal(&named.post(&funds, &question).await), (401, "CONSENT_INVALID".to_owned()));
    assert_eq!(refusal(&tpp.post(&funds, &question).await), (400, "NO_PIIS_ACTIVATION".to_owned()));
}
