//! What a consent says besides its accounts: the names of owners, the types of accounts, and the brand that asks for it.

use super::{authorise, client, consent_order, iban, path, refusal};
use crate::http::payment;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank};

/// A client with a valid consent to this access, and the consent as the bank shows it.
async fn consented(bank: &TestBank, access: Value) -> (ApiClient, Value) {
    let tpp = client(bank, 0);
    let explicit = tpp.clone().with("TPP-Explicit-Authorisation-Preferred", "true");
    let created = explicit.post(&path("/v1/consents"), &consent_order(access)).await;
    authorise(bank, &tpp, &created, 0).await;
    let id = created.text("/consentId").to_owned();
    let consent = tpp.get(&path(&format!("/v1/consents/{id}"))).await;
    let tpp = tpp.with("Consent-ID", &id).with("PSU-IP-Address", "192.0.2.7");
    (tpp, consent.body["access"].clone())
}

/// The first account as the other dialect shows it under the same consent.
async fn native(bank: &TestBank, tpp: &ApiClient) -> Value {
    let consent = tpp.header("Consent-ID").expect("a consent");
    let caller = payment::tpp(bank, payment::ELENI).with("consentID", consent);
    caller.with("pSUIPAddress", "192.0.2.7").get("/v1/accounts").await.body["accounts"][0].clone()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn owner_name_is_shown_where_the_consent_grants_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let own = json!({ "iban": iban(&bank, 0) });
    let (tpp, access) = consented(&bank, json!({ "allPsd2": "allAccountsWithOwnerName" })).await;
    assert_eq!(access, json!({ "allPsd2": "allAccountsWithOwnerName" }));
    let accounts = tpp.get(&path("/v1/accounts")).await;
    let list = accounts.body["accounts"].as_array().expect("accounts");
    assert!(list.iter().all(|account| account["ownerName"].is_string()), "{accounts:?}");
    assert!(native(&bank, &tpp).await["ownerName"].is_string());
    let id = list[0]["resourceId"].as_str().expect("an id");
    let details = tpp.get(&path(&format!("/v1/accounts/{id}"))).await;
    assert_eq!(details.body["account"]["ownerName"], list[0]["ownerName"]);
    let cards = tpp.get(&path("/v1/card-accounts")).await;
    let cards = cards.body["cardAccounts"].as_array().expect("cards");
    assert!(cards.iter().all(|card| card["ownerName"].is_string()), "{cards:?}");

    let named = json!({ "balances": [own], "additionalInformation": { "ownerName": [own] } });
    let (tpp, access) = consented(&bank, named.clone()).await;
    assert_eq!(access, named);
    assert!(tpp.get(&path("/v1/accounts")).await.body["accounts"][0]["ownerName"].is_string());

    let all = json!({ "accounts": [own], "additionalInformation": { "ownerName": [] } });
    let (tpp, access) = consented(&bank, all.clone()).await;
    assert_eq!(access, all);
    assert!(tpp.get(&path("/v1/accounts")).await.body["accounts"][0]["ownerName"].is_string());

    let other =
        json!({ "accounts": [own], "additionalInformation": { "ownerName": [{ "iban": iban(&bank, 1) }] } });
    let (tpp, _) = consented(&bank, other).await;
    let accounts = tpp.get(&path("/v1/accounts")).await;
    assert_eq!(accounts.body["accounts"].as_array().map(Vec::len), Some(1), "{accounts:?}");
    assert!(accounts.body["accounts"][0].get("ownerName").is_none(), "{accounts:?}");
    let shown = native(&bank, &tpp).await;
    assert!(shown["iban"].is_string() && shown.get("ownerName").is_none(), "{shown}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn restriction_hides_accounts_of_other_types(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    for (types, accounts) in [(json!(["CACC"]), true), (json!(["LOAN", "SVGS"]), false)] {
        let access = json!({ "allPsd2": "allAccounts", "restrictedTo": types });
        let (tpp, shown) = consented(&bank, access.clone()).await;
        assert_eq!(shown, access);
        let list = tpp.get(&path("/v1/accounts")).await;
        let list = list.body["accounts"].as_array().expect("accounts").clone();
        let types = types.as_array().expect("types");
        assert!(list.iter().all(|account| types.contains(&account["cashAccountType"])), "{list:?}");
        assert_eq!(list.iter().any(|account| account["cashAccountType"] == "CACC"), accounts, "{list:?}");
        assert_eq!(tpp.get(&path("/v1/card-accounts")).await.body["cardAccounts"], json!([]));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn further_information_that_is_not_offered_is_refused() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0);
    let own = json!({ "iban": iban(&bank, 0) });
    for (access, code, at) in [
        (
            json!({ "accounts": [own], "additionalInformation": { "trustedBeneficiaries": [own] } }),
            "PARAMETER_NOT_SUPPORTED",
            "access.additionalInformation.trustedBeneficiaries",
        ),
        (
            json!({ "accounts": [own], "additionalInformation": { "ownerName": [{ "iban": "GR00" }] } }),
            "FORMAT_ERROR",
            "access.additionalInformation.ownerName[0].iban",
        ),
        (
            json!({ "allPsd2": "allAccounts", "restrictedTo": ["cash"] }),
            "FORMAT_ERROR",
            "access.restrictedTo",
        ),
        (json!({ "allPsd2": "allAccountsWithName" }), "FORMAT_ERROR", "access.allPsd2"),
    ] {
        let answer = tpp.post(&path("/v1/consents"), &consent_order(access)).await;
        assert_eq!(refusal(&answer), (400, code.to_owned()), "{answer:?}");
        assert_eq!(answer.text("/tppMessages/0/path"), at);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn owner_names_are_named_to_the_customer_who_approves_them() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0)
        .with("TPP-Redirect-Preferred", "true")
        .with("TPP-Redirect-URI", "http://127.0.0.1:9090/back");
    for access in [
        json!({ "allPsd2": "allAccountsWithOwnerName" }),
        json!({ "accounts": [], "additionalInformation": { "ownerName": [] } }),
    ] {
        let created = tpp.post(&path("/v1/consents"), &consent_order(access)).await;
        assert_eq!(created.status, 201, "{created:?}");
        let mut browser = bank.browser();
        let page = browser.get(&super::link(&bank, &created, "scaRedirect")).await;
        let page = browser.send(&page, &[("step", "open")]).await;
        let password = super::psu(&bank, 0)["password"].as_str().expect("a password");
        let page = browser.send(&page, &[("step", "password"), ("password", password)]).await;
        assert!(page.html.to_ascii_lowercase().contains("names of the owners"), "{}", page.html);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn brand_of_the_third_party_is_kept_in_the_audit_log(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = client(&bank, 0).with("TPP-Brand-Logging-Information", "Sunny Money");
    let order = consent_order(json!({ "allPsd2": "allAccounts" }));
    let created = tpp.post(&path("/v1/consents"), &order).await;
    let object = format!("consent:{}", created.text("/consentId"));
    let events = bank.app.timeline(vec![object]).await.expect("events");
    let named = events.iter().find(|event| event.action == "third_party.brand_named").expect("the event");
    assert_eq!(named.detail, "brand=Sunny Money");
}
