//! Refusals: each row of the table once.

use super::{client, consent_order, consented_client, iban, path, refusal};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiResponse, TestBank};

const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn read_is_refused_with_status_and_code_of_the_standard() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = consented_client(&bank, 0).await;
    let account = tpp.get(&path("/v1/accounts")).await.text("/accounts/0/resourceId").to_owned();
    let transactions = |query: &str| path(&format!("/v1/accounts/{account}/transactions{query}"));
    for (target, status, code) in [
        (transactions("?dateFrom=2035-01-01"), 400, "FORMAT_ERROR"),
        (transactions("?bookingStatus=booked"), 400, "FORMAT_ERROR"),
        (transactions("?bookingStatus=booked&dateFrom=tomorrow"), 400, "FORMAT_ERROR"),
        (transactions("?bookingStatus=booked&dateFrom=2035-02-01&dateTo=2035-01-01"), 400, "PERIOD_INVALID"),
        (transactions("?bookingStatus=some&dateFrom=2035-01-01"), 400, "PARAMETER_NOT_SUPPORTED"),
        (transactions("?bookingStatus=booked&deltaList=yes"), 400, "FORMAT_ERROR"),
        (
            transactions(&format!("?bookingStatus=booked&deltaList=true&entryReferenceFrom={UNKNOWN_ID}")),
            400,
            "FORMAT_ERROR",
        ),
        (path(&format!("/v1/accounts/{UNKNOWN_ID}")), 404, "RESOURCE_UNKNOWN"),
        (path(&format!("/v1/cards/{UNKNOWN_ID}")), 404, "RESOURCE_UNKNOWN"),
        (path(&format!("/v1/accounts/{account}/transactions/{UNKNOWN_ID}")), 404, "RESOURCE_UNKNOWN"),
        (path(&format!("/v1/accounts/{account}/cheques")), 405, "SERVICE_INVALID"),
        (path(&format!("/v1/consents/{UNKNOWN_ID}")), 403, "CONSENT_UNKNOWN"),
        (path(&format!("/v1/signing-baskets/{UNKNOWN_ID}")), 403, "RESOURCE_UNKNOWN"),
        (path(&format!("/v1/payments/sepa-credit-transfers/{UNKNOWN_ID}")), 403, "RESOURCE_UNKNOWN"),
        (path(&format!("/v1/payments/target-2-payments/{UNKNOWN_ID}")), 404, "PRODUCT_UNKNOWN"),
        (path(&format!("/v1/payments/pain.001-sepa-credit-transfers/{UNKNOWN_ID}")), 403, "RESOURCE_UNKNOWN"),
        (path(&format!("/v1/payments/pain.001-target-2-payments/{UNKNOWN_ID}")), 404, "PRODUCT_UNKNOWN"),
        (path(&format!("/v1/verification-of-payee/{UNKNOWN_ID}")), 405, "SERVICE_INVALID"),
        (path("/v1/nowhere"), 404, "RESOURCE_UNKNOWN"),
    ] {
        let refused = tpp.get(&target).await;
        assert_eq!(refusal(&refused), (status, code.to_owned()), "{target}: {refused:?}");
        check_form(&refused);
    }
    let unknown = tpp.clone().with("Consent-ID", UNKNOWN_ID).get(&path("/v1/accounts")).await;
    assert_eq!(refusal(&unknown), (400, "CONSENT_UNKNOWN".to_owned()));
    let missing = tpp.clone().without("Consent-ID").get(&path("/v1/accounts")).await;
    assert_eq!(
        (refusal(&missing), missing.text("/tppMessages/0/path")),
        ((400, "FORMAT_ERROR".to_owned()), "Consent-ID")
    );
    let address = tpp.clone().with("PSU-IP-Address", "somewhere").get(&path("/v1/accounts")).await;
    assert_eq!(
        (refusal(&address), address.text("/tppMessages/0/path")),
        ((400, "FORMAT_ERROR".to_owned()), "PSU-IP-Address")
    );
    let xml = tpp.clone().with("Accept", "application/xml").get(&path("/v1/accounts")).await;
    assert_eq!(refusal(&xml), (406, "REQUESTED_FORMATS_INVALID".to_owned()));
    let both =
        tpp.clone().with("Accept", "application/xml, application/json").get(&path("/v1/accounts")).await;
    assert_eq!(both.status, 200);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_is_refused_with_status_and_code_of_the_standard() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0);
    let consents = path("/v1/consents");
    for (access, status, code, place) in [
        (json!({ "accounts": [{ "iban": "XX00" }] }), 400, "FORMAT_ERROR", "access.accounts[0].iban"),
        (json!({ "allPsd2": "some" }), 400, "FORMAT_ERROR", "access.allPsd2"),
    ] {
        let refused = tpp.post(&consents, &consent_order(access.clone())).await;
        assert_eq!(refusal(&refused), (status, code.to_owned()), "{access}: {refused:?}");
        assert_eq!(refused.text("/tppMessages/0/path"), place);
        check_form(&refused);
    }
    let embedded = tpp.clone().with("TPP-Redirect-Preferred", "false");
    let refused = embedded.post(&consents, &consent_order(json!({ "accounts": [] }))).await;
    assert_eq!(refusal(&refused), (400, "SERVICE_INVALID".to_owned()), "{refused:?}");
    let order = consent_order(json!({ "balances": [{ "iban": iban(&bank, 0) }] }));
    let wrong = tpp.clone().with("TPP-Redirect-Preferred", "maybe").post(&consents, &order).await;
    assert_eq!(refusal(&wrong), (400, "FORMAT_ERROR".to_owned()));
    let without_uri = tpp.clone().with("TPP-Redirect-Preferred", "true").post(&consents, &order).await;
    assert_eq!(without_uri.text("/tppMessages/0/path"), "TPP-Redirect-URI", "{without_uri:?}");
    let twice = r#"{"access": {"allPsd2": "allAccounts"}, "access": {}}"#;
    let twice = tpp.send(reqwest::Method::POST, &consents, Some(twice.into())).await;
    assert_eq!(refusal(&twice), (400, "FORMAT_ERROR".to_owned()));
    let large = tpp.send(reqwest::Method::POST, &consents, Some(vec![b' '; 70_000])).await;
    assert_eq!(refusal(&large), (413, "FORMAT_ERROR".to_owned()));
    let method = tpp.send(reqwest::Method::PATCH, &consents, Some("{}".into())).await;
    assert_eq!(
        (refusal(&method), method.headers["allow"].as_str()),
        ((405, "SERVICE_INVALID".to_owned()), "POST")
    );
    let media = bank.anonymous().with_request_id().with("PSU-ID", "x").with("Content-Type", "text/xml");
    let media = media.send(reqwest::Method::POST, &consents, None).await;
    assert_eq!((media.status, &media.body), (415, &Value::Null), "{media:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_is_refused_with_status_and_code_of_the_standard() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0).with("PSU-IP-Address", "192.0.2.7");
    let none = json!({});
    for (target, status, code) in [
        ("/v1/payments/target-2-payments", 404, "PRODUCT_UNKNOWN"),
        ("/v1/payments/cross-border-credit-transfers", 404, "PRODUCT_UNKNOWN"),
        ("/v1/periodic-payments/sepa-credit-transfers", 400, "FORMAT_ERROR"),
        ("/v1/signing-baskets", 400, "FORMAT_ERROR"),
        ("/v1/payments/sepa-credit-transfers", 400, "FORMAT_ERROR"),
    ] {
        let refused = tpp.post(&path(target), &none).await;
        assert_eq!(refusal(&refused), (status, code.to_owned()), "{target}: {refused:?}");
        check_form(&refused);
    }
    let absent =
        tpp.clone().without("PSU-IP-Address").post(&path("/v1/payments/sepa-credit-transfers"), &none).await;
    assert_eq!(absent.text("/tppMessages/0/path"), "PSU-IP-Address");
    let format = tpp
        .clone()
        .with("Accept", "text/plain")
        .get(&path(&format!("/v1/payments/sepa-credit-transfers/{UNKNOWN_ID}")))
        .await;
    assert_eq!((format.status, &format.body), (406, &Value::Null), "the standard defines no body");
}

/// What every refusal with a body has in common.
fn check_form(refused: &ApiResponse) {
    let message = &refused.body["tppMessages"][0];
    assert_eq!(message["category"], "ERROR", "{refused:?}");
    let (code, text) = (message["code"].as_str(), message["text"].as_str());
    assert!(!text.expect("a text").starts_with(code.expect("a code")), "{refused:?}");
    assert_eq!(refused.body.as_object().map(|body| body.len()), Some(1), "nothing but messages: {refused:?}");
    assert_eq!(refused.headers["content-type"], "application/json");
}
