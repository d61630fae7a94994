//! Confirmation of funds, and consents to it.

use super::{authorise, client, iban, link, path, psu, refusal};
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

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn blocked_account_has_no_funds_and_a_closed_one_does_not_take_part(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = client(&bank, 0).with("TPP-Explicit-Authorisation-Preferred", "true");
    let account = json!({ "iban": iban(&bank, 0) });
    let order = json!({ "account": account });
    let created = tpp.post(&path("/v2/consents/confirmation-of-funds"), &order).await;
    authorise(&bank, &tpp, &created, 0).await;
    let named = tpp.clone().with("Consent-ID", created.text("/consentId"));
    let (funds, set) = (path("/v1/funds-confirmations"), |status: &str| {
        let sql = format!("UPDATE account SET status = '{status}' WHERE iban = '{}'", iban(&bank, 0));
        bank.database.tamper(&sql);
    });
    let question = json!({ "account": account, "instructedAmount": { "currency": "EUR", "amount": "1.00" } });
    for (status, available) in [("enabled", true), ("blocked", false)] {
        set(status);
        let answer = named.post(&funds, &question).await;
        assert_eq!(answer.body, json!({ "fundsAvailable": available }), "{status}");
    }
    // A replay is answered as the first request was, whatever the account has now.
    for (id, first, then, available) in [
        ("5f7c1d7a-4a5a-4a0e-9d0f-4f2b9ad0c001", "enabled", "blocked", true),
        ("5f7c1d7a-4a5a-4a0e-9d0f-4f2b9ad0c002", "blocked", "enabled", false),
    ] {
        let same = named.clone().with("X-Request-ID", id);
        for (status, replay) in [(first, None), (then, Some("true"))] {
            set(status);
            let answer = same.post(&funds, &question).await;
            assert_eq!(answer.body, json!({ "fundsAvailable": available }), "{first} {status}");
            assert_eq!(answer.headers.get("idempotent-replay").map(String::as_str), replay, "{answer:?}");
        }
    }
    set("deleted");
    let refused = named.post(&funds, &question).await;
    assert_eq!(refusal(&refused), (400, "NO_PIIS_ACTIVATION".to_owned()), "{refused:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_consents_for_an_account_must_be_named(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = client(&bank, 0).with("TPP-Explicit-Authorisation-Preferred", "true");
    let account = json!({ "iban": iban(&bank, 0) });
    for _ in 0..2 {
        let order = json!({ "account": account });
        let created = tpp.post(&path("/v2/consents/confirmation-of-funds"), &order).await;
        authorise(&bank, &tpp, &created, 0).await;
    }
    let question = json!({ "account": account, "instructedAmount": { "currency": "EUR", "amount": "1.00" } });
    let refused = tpp.post(&path("/v1/funds-confirmations"), &question).await;
    assert_eq!(refusal(&refused), (400, "FORMAT_ERROR".to_owned()), "{refused:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_field_of_a_funds_consent_is_read_back(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, card) = (client(&bank, 0), &psu(&bank, 0)["cards"][0]);
    let order = json!({
        "account": { "iban": iban(&bank, 0), "currency": "EUR" },
        "cardNumber": card["pan"],
        "cardExpiryDate": "2040-12-31",
        "cardInformation": "My card",
        "registrationInformation": "Registered",
    });
    let created = tpp.post(&path("/v2/consents/confirmation-of-funds"), &order).await;
    assert_eq!((created.status, created.text("/consentStatus")), (201, "received"), "{created:?}");
    let mut expected = order.clone();
    expected["cardNumber"] = card["masked_pan"].clone();
    expected["consentStatus"] = json!("received");
    assert_eq!(tpp.get(&link(&bank, &created, "self")).await.body, expected);
}
