//! Payments whose third party does not know the customer, authorised in the other dialect.

use super::payment::{order, payer};
use super::signing_basket::{basket, consent, members, payment, status};
use super::{link, path};
use crate::http::payment::{OTHER_BANK_IBAN, SEPA, text};
use rstest::rstest;
use serde_json::json;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_without_a_customer_is_authorised_on_the_page_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let unnamed = payer(&bank).without("PSU-ID");
    let created =
        unnamed.post(&path("/v1/payments/sepa-credit-transfers"), &order(&bank, OTHER_BANK_IBAN)).await;
    assert_eq!(created.status, 201, "{created:?}");
    // The native dialect offers several approaches by default, but only the page asks for the name.
    let (native, own) = (bank.tpp(0), format!("{SEPA}/{}", created.text("/paymentId")));
    let started = native.post(&format!("{own}/authorisations"), &json!({})).await;
    assert_eq!((started.status, started.headers["aspsp-sca-approach"].as_str()), (200, "REDIRECT"));
    let mut browser = bank.browser();
    let page = browser.get(started.text("/_links/scaRedirect/href")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    let customer = &bank.sandbox_file["psus"][0];
    let (user, password) = (text(&customer["psu_id"]), text(&customer["password"]));
    let page = browser.send(&page, &[("step", "password"), ("user", user), ("password", password)]).await;
    let method = text(&customer["methods"][0]["id"]);
    let page = browser.send(&page, &[("step", "method"), ("method", method)]).await;
    let page = browser.send(&page, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
    assert_eq!(page.title(), "Approved", "{page:?}");
    assert_eq!(native.get(&own).await.text("/transactionStatus"), "ACCP");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn start_of_a_member_alone_ends_its_basket_only_when_the_customer_changes(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (named, unnamed) = (payer(&bank), payer(&bank).without("PSU-ID"));
    let member = consent(&bank, &named).await;
    let created = basket(&named, &members(&[], &[&member])).await;
    let authorisations = format!("{}/authorisations", link(&bank, &member, "self"));
    assert_eq!(named.post(&authorisations, &json!({})).await.status, 201);
    assert_eq!(status(&bank, &named, &created).await, "RCVD", "it is still the same customer");

    let member = payment(&bank, &unnamed, "1.00").await;
    let created = basket(&unnamed, &members(&[&member], &[])).await;
    let authorisations = format!("{}/authorisations", link(&bank, &member, "self"));
    assert_eq!(unnamed.post(&authorisations, &json!({})).await.status, 201);
    assert_eq!(status(&bank, &unnamed, &created).await, "RCVD", "both still have no customer");
    assert_eq!(named.post(&authorisations, &json!({})).await.status, 201);
    assert_eq!(status(&bank, &unnamed, &created).await, "RJCT", "the member has a customer of its own now");
}
