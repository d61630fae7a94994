//! The pages of a signed-in customer in the bank's app: what they show, and that another customer finds none of it.

use super::app_confirmation::borrowed;
use super::page_forms::enrol;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn app_opens_on_balances_with_waiting_requests_above(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    bank.book_opening(text(&psu["accounts"][0]["iban"]), 123_456).await;
    let mut browser = bank.browser();
    let home = enrol(&bank, &mut browser, 0).await;
    assert!(home.says("<h1>Accounts</h1>") && !home.says("name=\"number\""), "{home:?}");
    for account in psu["accounts"].as_array().unwrap() {
        assert!(home.says(text(&account["name"])), "{account} in {home:?}");
    }
    assert_eq!(home.attributes("href=\"/app/accounts/").len(), psu["accounts"].as_array().unwrap().len());
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"])).with("TPP-Decoupled-Preferred", "true");
    let order = json!({
        "access": { "balances": [{ "iban": psu["accounts"][0]["iban"] }] },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    });
    let created = tpp.post("/v1/consents", &order).await;
    tpp.post(&format!("/v1/consents/{}/authorisations", created.text("/consentId")), &json!({})).await;
    let home = browser.get("/app").await;
    assert_eq!(home.attributes("name=\"number\" value=\"").len(), 3);
    let (request, balance) =
        (home.html.find("data-link=").unwrap(), home.html.find("class=\"balances\"").unwrap());
    assert!(request < balance, "the request is above the balances");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_page_is_shown_to_its_borrower_only(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let (loan, loans) = borrowed(&bank, &mut browser).await;
    assert!(loans.says("You are paying") && !loans.says("Ended"), "{loans:?}");
    assert!(loans.says("<dt>Next payment</dt><dd>€150.00 on "), "{loans:?}");
    let path = format!("/app/loans/{loan}");
    let page = browser.get(&path).await;
    assert!(page.says("Installments") && page.says(&format!("{path}/repayment")), "{page:?}");
    let mut other = bank.browser();
    enrol(&bank, &mut other, 0).await;
    assert_eq!(other.get(&path).await.headers["location"], "/app/loans");
    assert_eq!(browser.get("/app/loans/unknown").await.headers["location"], "/app/loans");
}
