//! Payments whose third party does not know the customer, authorised in the other dialect.

use super::path;
use super::payment::{order, payer};
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
