//! Why a payment was not made: third parties read it from status and payment, the payer on the redirect pages, in the list of the app
//! and on the receipt. Neither learns what concerns another person only.

use super::app_confirmation::pay;
use super::page_forms::enrol;
use super::payment::{
    INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, challenged, changed, code, iban, initiate, order, psu, text, tpp,
};
use rstest::rstest;
use serde_json::json;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, Page, TestBank, Transcript};

const TOO_MUCH: &str = "99999999.99";

/// The texts of tppMessages in status and payment.
async fn reported(tpp: &ApiClient, path: &str) -> (String, String) {
    let (status, fetched) = (tpp.get(&format!("{path}/status")).await, tpp.get(path).await);
    (status.text("/tppMessages/0/text").to_owned(), fetched.text("/tppMessages/0/text").to_owned())
}

/// A SEPA transfer of Jonas that clearing rejects with this code.
async fn rejected_by_clearing(bank: &TestBank, reason: &str) -> String {
    let tpp = tpp(bank, JONAS);
    let order = changed(order(bank, "20.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let order = changed(order, "/creditorName", json!(format!("REJECT {reason}")));
    let path = initiate(&tpp, SEPA, &order).await;
    let own = challenged(bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    assert_eq!(code(bank, &tpp, &own).await.text("/scaStatus"), "finalised");
    bank.advance("PT5S").await;
    path
}

/// The list of the app, as Jonas sees it in a new browser.
async fn app_list(bank: &TestBank, language: &str) -> Page {
    let mut browser = bank.browser();
    browser.headers = vec![("accept-language", language.to_owned())];
    enrol(bank, &mut browser, JONAS).await;
    browser.get("/app/accounts").await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn rejection_by_clearing_is_reported_and_listed_in_the_app(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let path = rejected_by_clearing(&bank, "AC04").await;
    let (status, fetched) = reported(&tpp(&bank, JONAS), &path).await;
    let expected = "AC04: the payee's bank or the clearing house rejected the payment";
    assert_eq!((status.as_str(), fetched.as_str()), (expected, expected));
    let list = app_list(&bank, "en").await;
    assert!(list.says("Payments that were not made"), "{list:?}");
    assert!(
        list.says("REJECT AC04") && list.says("€20.00") && list.says("account is closed. (AC04)"),
        "{list:?}"
    );
    assert!(app_list(&bank, "el").await.says("έχει κλείσει. (AC04)"));
    // It is the payer's only, and not for ever.
    let mut other = bank.browser();
    enrol(&bank, &mut other, 0).await;
    assert!(!other.get("/app/accounts").await.says("REJECT AC04"));
    bank.advance("P31D").await;
    assert!(!app_list(&bank, "en").await.says("REJECT AC04"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn confidential_reason_of_clearing_is_not_disclosed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let path = rejected_by_clearing(&bank, "MD07").await;
    let (status, fetched) = reported(&tpp(&bank, JONAS), &path).await;
    assert!(status.starts_with("MS03: ") && fetched == status, "{status} {fetched}");
    let list = app_list(&bank, "en").await;
    assert!(list.says("did not accept the payment. (MS03)") && !list.says("(MD07)"), "{list:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn insufficient_funds_are_named_on_the_redirect_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(("en", "Your account has not enough money. (AM04)"), ("el", "δεν έχει αρκετά χρήματα. (AM04)"))]
    shown: (&str, &str),
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, jonas) = (tpp(&bank, JONAS), psu(&bank, JONAS).clone());
    let path = initiate(&tpp, INTERNAL, &order(&bank, TOO_MUCH)).await;
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let mut browser = bank.browser();
    browser.headers = vec![("accept-language", shown.0.to_owned())];
    let start = browser.get(started.text("/_links/scaRedirect/href")).await;
    let opened = browser.send(&start, &[("step", "open")]).await;
    // Jonas has one method, so the password leads to its code.
    let confirm =
        browser.send(&opened, &[("step", "password"), ("password", text(&jonas["password"]))]).await;
    let end = browser.send(&confirm, &[("step", "code"), ("code", "123456")]).await;
    assert!(end.status == 200 && end.says(shown.1), "{end:?}");
    let (status, fetched) = reported(&tpp, &path).await;
    assert!(status.starts_with("AM04: ") && fetched == status, "{status} {fetched}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reason_is_on_the_receipt_and_in_the_list_of_the_app(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let receipt = pay(&bank, &mut browser, "9999999", 1).await;
    assert_eq!(receipt.title(), "Not paid");
    assert!(receipt.says("Your account has not enough money. (AM04) Nothing was paid."), "{receipt:?}");
    assert!(browser.get("/app/accounts").await.says("has not enough money. (AM04)"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn expired_payment_is_reported_to_its_third_party_and_listed_only_where_the_customer_made_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let path = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let form = browser.get("/app/pay").await;
    let from = form.attribute("<option value=\"");
    let payee = psu(&bank, JONAS);
    let fields = [
        ("step", "pay"),
        ("idempotency_key", "00000000-0000-4000-8000-000000000001"),
        ("from", &*from),
        ("iban", text(&payee["accounts"][0]["iban"])),
        ("name", text(&payee["name"])),
        ("amount", "7"),
        ("remittance", "Rent"),
    ];
    browser.send(&form, &fields).await;
    bank.advance("PT24H").await;
    let (status, fetched) = reported(&tpp, &path).await;
    assert!(status.starts_with("DS24: ") && fetched == status, "{status} {fetched}");
    // Any third party can name a customer in a payment: what the customer never saw is no news.
    assert!(!app_list(&bank, "en").await.says("Payments that were not made"));
    enrol(&bank, &mut browser, 0).await;
    let list = browser.get("/app/accounts").await;
    assert!(list.says("You did not approve the payment in time. (DS24)"), "{list:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn approval_in_the_app_says_that_the_payment_was_not_made(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, mut browser) = (tpp(&bank, JONAS), bank.browser());
    enrol(&bank, &mut browser, JONAS).await;
    let path = initiate(&tpp, INTERNAL, &order(&bank, TOO_MUCH)).await;
    let decoupled = tpp.clone().with("TPP-Decoupled-Preferred", "true");
    let started = decoupled.post(&format!("{path}/authorisations"), &json!({})).await;
    let shown = started.text("/challengeData/data/0").to_owned();
    let questions = browser.get("/app").await;
    let question = questions.attribute("name=\"question\" value=\"");
    let decided =
        browser.send(&questions, &[("step", "approve"), ("question", &question), ("number", &shown)]).await;
    assert!(decided.says("the payment was not made") && !decided.says("notice good"), "{decided:?}");
    assert!(browser.get("/app/accounts").await.says("has not enough money. (AM04)"));
}

/// The reason would otherwise say that the customer has a closed account which the third party did not name.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn account_of_another_customer_is_not_reported_as_closed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, own, foreign) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0), iban(&bank, 2, 0));
    bank.database.tamper(&format!("UPDATE account SET status = 'deleted' WHERE iban = '{own}'"));
    for (payer, expected) in [(own, "AC04: "), (foreign, "AC01: ")] {
        let path =
            initiate(&tpp, INTERNAL, &changed(order(&bank, "1.00"), "/debtorAccount/iban", json!(payer)))
                .await;
        let own =
            challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
        assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
        let (status, fetched) = reported(&tpp, &path).await;
        assert!(status.starts_with(expected) && fetched == status, "{payer}: {status} {fetched}");
    }
}
