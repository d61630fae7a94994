//! What clients of other banks send: more slashes than needed, booleans in capitals, fields that say what is done anyway.

use super::{client, consented_client, iban, path, refusal};
use rstest::rstest;
use serde_json::json;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn slashes_that_are_too_many_are_accepted() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = consented_client(&bank, 0).await;
    let accounts = tpp.get(&path("/v1/accounts")).await;
    let id = accounts.text("/accounts/0/resourceId");
    let list = path("//v1/accounts/?withBalance=true");
    assert_eq!(tpp.get(&list).await.body, tpp.get(&path("/v1/accounts?withBalance=true")).await.body);
    let details = tpp.get(&path(&format!("/v1//accounts/{id}/"))).await;
    assert_eq!((details.status, &details.body["account"]["resourceId"]), (200, &json!(id)), "{details:?}");
    assert_eq!(refusal(&tpp.get(&path("/v1/nowhere/")).await), (404, "RESOURCE_UNKNOWN".to_owned()));
    let native = bank.tpp(0).get("/v1/accounts/").await;
    assert_eq!(native.status, 404, "the bank's own interface has one address for one resource: {native:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn base_names_the_document() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    for base in ["", "/"] {
        let answer = bank.anonymous().get(&path(base)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let document =
            answer.text("/_links/openapi/href").strip_prefix(bank.base_url.as_str()).expect("absolute");
        assert_eq!(bank.anonymous().get(document).await.body["openapi"], "3.1.0");
    }
    assert_eq!(bank.anonymous().post(&path(""), &json!({})).await.status, 405);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn boolean_parameters_have_any_case() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = consented_client(&bank, 0).await;
    for (value, has_balances) in [("True", true), ("FALSE", false), ("", false)] {
        let list = tpp.get(&path(&format!("/v1/accounts?withBalance={value}"))).await;
        assert_eq!(list.body["accounts"][0]["balances"].is_array(), has_balances, "{value}: {list:?}");
    }
    let odd = tpp.get(&path("/v1/accounts?withBalance=yes")).await;
    assert_eq!(refusal(&odd), (400, "FORMAT_ERROR".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn charge_bearer_of_sepa_is_accepted_and_no_other() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = client(&bank, 0).with("PSU-IP-Address", "192.0.2.7");
    for (bearer, status) in [("SLEV", 201), ("DEBT", 400)] {
        let order = json!({
            "debtorAccount": { "iban": iban(&bank, 0) },
            "instructedAmount": { "currency": "EUR", "amount": "1.00" },
            "creditorAccount": { "iban": "DE89370400440532013000" },
            "creditorName": "Anna Muster",
            "chargeBearer": bearer,
        });
        let answer = tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
}
