//! Statement entries of the bank's own bookings: words instead of codes, in the language of the page, and the bank's
//! configured name as the counterparty.

use crate::http::checkout::{JONAS, agree, basket, proven, sign_in};
use crate::http::loan_servicing::{bought_at_checkout, iban};
use crate::http::page_forms::enrol;
use crate::http::payment::lines;
use crate::http::refund::void;
use rstest::rstest;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{Browser, Page, TestBank};

const BANK: &str = "Aegean Bank";

async fn start(engine: Engine) -> TestBank {
    let options = TestBankOptions { bank_name: Some(BANK), ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    bank
}

/// A browser that is Jonas's app.
pub async fn app(bank: &TestBank) -> Browser {
    let mut browser = bank.browser();
    enrol(bank, &mut browser, JONAS).await;
    browser
}

/// The statement of the current account in a language.
async fn statement(browser: &mut Browser, language: &str) -> Page {
    browser.headers = vec![("accept-language", language.to_owned())];
    let accounts = browser.get("/app/accounts").await;
    let id = accounts.attribute("href=\"/app/accounts/");
    browser.get(&format!("/app/accounts/{id}")).await
}

/// Counterparty and text of the newest booked entries: `<b>…</b>` and what follows the date. Pending ones are listed before.
fn entries(page: &Page, count: usize) -> Vec<String> {
    let (_, booked) = page.html.rsplit_once("<ul class=\"lines").unwrap();
    let rows = booked.split("<li><span><b>").skip(1).take(count);
    rows.map(|row| {
        let (who, rest) = row.split_once("</b>").unwrap();
        // The counterparty is a link to the transaction.
        let who = who.split_once('>').map_or(who, |(_, name)| name).trim_end_matches("</a>");
        let text = rest.split("</small>").next().unwrap().split_once(" · ").map_or("", |(_, text)| text);
        format!("{who}: {text}")
    })
    .collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn collected_and_repaid_loan_is_described_in_the_language_of_the_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = start(engine).await;
    let (_, loan) = bought_at_checkout(&bank, 3).await;
    bank.advance("P32D").await;
    bank.app.loan_repay(loan).await.unwrap();
    let mut browser = app(&bank).await;
    let english = entries(&statement(&mut browser, "en").await, 2);
    assert_eq!(english, ["Aegean Bank: Pay Later early repayment", "Aegean Bank: Pay Later installment 1"],);
    let greek = entries(&statement(&mut browser, "el").await, 2);
    assert_eq!(greek, ["Aegean Bank: Πρόωρη εξόφληση Pay Later", "Aegean Bank: Δόση Pay Later 1"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn withdrawn_and_refunded_loan_is_described_in_the_language_of_the_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = start(engine).await;
    let (bought, loan) = bought_at_checkout(&bank, 3).await;
    bank.app.loan_withdraw(loan).await.unwrap();
    let voided = void(&bank.merchant(0), &bought.public, 1).await;
    assert_eq!(voided.status, 200, "{voided:?}");
    let merchant = bank.sandbox_file["merchants"][0]["name"].as_str().unwrap();
    let mut browser = app(&bank).await;
    let english = entries(&statement(&mut browser, "en").await, 2);
    let refund = format!("Aegean Bank: Pay Later refund, {merchant}");
    assert_eq!(english, [refund, "Aegean Bank: Pay Later withdrawal".to_owned()]);
    let greek = entries(&statement(&mut browser, "el").await, 2);
    let refund = format!("Aegean Bank: Επιστροφή χρημάτων Pay Later, {merchant}");
    assert_eq!(greek, [refund, "Aegean Bank: Υπαναχώρηση Pay Later".to_owned()]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn entry_without_a_counterparty_is_called_by_its_event(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = start(engine).await;
    let mut browser = app(&bank).await;
    assert_eq!(entries(&statement(&mut browser, "en").await, 1), ["Opening balance: "]);
    assert_eq!(entries(&statement(&mut browser, "el").await, 1), ["Αρχικό υπόλοιπο: "]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bank_name_is_the_configured_one_in_messages_pages_and_the_api(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = start(engine).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(&bank, 1, "450").await, bank.browser());
    proven(&bank, &mut browser, &bought, jonas["phone"].as_str().unwrap()).await;
    let message = &bank.app.messages().await.unwrap()[0].text;
    assert!(message.starts_with("Aegean Bank: "), "{message}");
    sign_in(&bank, &mut browser, &bought, jonas["password"].as_str().unwrap()).await;
    let terms = browser.get(&format!("{}?plan=3", bought.checkout)).await;
    assert!(terms.says("<dd>Aegean Bank</dd>"), "{terms:?}");
    assert!(terms.says(" – Aegean Bank</title>") && !terms.says("Trapeza"));
    agree(&mut browser, &bought, 3).await;
    bank.advance("P32D").await;
    let api = lines(&bank, JONAS).await;
    let entry = &api.body["transactions"]["booked"][0];
    assert_eq!(entry["creditorName"], BANK, "{api:?}");
    assert_eq!(entry["remittanceInformationUnstructured"], "Pay Later installment 1");
    let manifest = browser.get("/app/manifest.webmanifest").await;
    assert!(manifest.says("\"name\":\"Aegean Bank\""), "{manifest:?}");
    assert!(browser.get("/app/worker.js").await.says("const bank = \"Aegean Bank\";"));
}
