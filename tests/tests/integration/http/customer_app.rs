//! The pages of a signed-in customer in the bank's app: what they show, and that another customer finds none of it.

use super::app_confirmation::{borrowed, pay};
use super::page_forms::enrol;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::payment::Fees;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{Browser, Page, TestBank};

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
async fn each_account_has_its_balances_under_their_labels(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let list = browser.get("/app/accounts").await;
    let mut cards = list.html.split("<li class=\"card\">");
    let account = cards.find(|part| part.contains("GR97 9990 0010 0000 0000 0100 101")).unwrap();
    for (label, amount) in [("Balance", "€5,954.33"), ("Available", "€6,370.33"), ("Credit limit", "€500.00")]
    {
        let row = format!("<dt>{label}</dt><dd class=\"sum\">{amount}</dd>");
        assert!(account.contains(&row), "{row} in {account}");
    }
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

/// The first customer's app with a payment of theirs to the second customer.
async fn paid(bank: &TestBank) -> (Browser, Page) {
    let iban = text(&bank.sandbox_file["psus"][0]["accounts"][0]["iban"]).to_owned();
    bank.book_opening(&iban, 500_000).await;
    let mut browser = bank.browser();
    enrol(bank, &mut browser, 0).await;
    pay(bank, &mut browser, "1234.50", 1).await;
    let accounts = browser.get("/app/accounts").await;
    let account = format!("/app/accounts/{}", accounts.attribute("href=\"/app/accounts/"));
    let statement = browser.get(&account).await;
    (browser, statement)
}

/// The page without its header and footer, which link to the same page in another language.
fn main_of(page: &Page) -> Page {
    let html = page.html.split("<main").nth(1).and_then(|rest| rest.split("</main>").next());
    Page { html: html.unwrap_or_default().to_owned(), ..page.clone() }
}

/// The number of booked transactions on the page.
fn booked(page: &Page) -> usize {
    let list = page.html.split("class=\"lines book entries\"").nth(1).unwrap_or_default();
    list.split("</ul>").next().unwrap().matches("<li>").count()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn statement_is_searched_by_name_reference_and_amount(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (mut browser, statement) = paid(&bank).await;
    assert!(booked(&statement) > 1);
    let path = statement.attribute("<form method=\"get\" action=\"");
    let payee = text(&bank.sandbox_file["psus"][1]["name"]).to_lowercase().replace(' ', "+");
    for found in [payee.as_str(), "RENT", "1234.50", "1234%2C50"] {
        let page = browser.get(&format!("{path}?search={found}")).await;
        assert_eq!((page.status, page.says("€1,234.50")), (200, true), "{found}: {page:?}");
    }
    let one = browser.get(&format!("{path}?search=1234.50")).await;
    assert_eq!(booked(&one), 1, "{one:?}");
    let none = browser.get(&format!("{path}?search=Unknown+payee")).await;
    assert!(none.says("No transaction matches.") && none.says("value=\"Unknown payee\""), "{none:?}");
    let long = browser.get(&format!("{path}?search={}", "a".repeat(141))).await;
    assert!(long.status == 400 && long.says("id=\"search-error\""), "{long:?}");
    for month in ["2035-13", "March", "2035-3", "%27"] {
        let page = browser.get(&format!("{path}?month={month}")).await;
        assert!(page.status == 400 && page.says("id=\"month-error\""), "{month}: {page:?}");
    }
    for cursor in ["before=1", "after=x", "before=00000000-0000-4000-8000-000000000001"] {
        let page = browser.get(&format!("{path}?{cursor}")).await;
        assert!(page.status == 400 && page.says("not of this statement"), "{cursor}: {page:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn statement_is_paged_both_ways_without_gaps(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (mut browser, first) = paid(&bank).await;
    let path = first.attribute("<form method=\"get\" action=\"");
    let ids = |page: &Page| page.attributes("href=\"/app/transactions/");
    let (mut forward, mut page) = (vec![ids(&first)], first);
    while let Some(older) = main_of(&page).attributes("?before=").first() {
        page = browser.get(&format!("{path}?before={older}")).await;
        forward.push(ids(&page));
        assert!(forward.len() < 50);
    }
    assert!(forward.len() > 1, "the demo account has more than one page");
    let mut all = forward.concat();
    all.sort_unstable();
    all.dedup();
    // Pending transactions are on the first page only.
    assert_eq!(all.len(), forward.concat().len(), "no transaction is on two pages");
    let mut backward = vec![ids(&page)];
    while let Some(newer) = main_of(&page).attributes("?after=").first() {
        page = browser.get(&format!("{path}?after={newer}")).await;
        backward.insert(0, ids(&page));
        assert!(backward.len() < 50);
    }
    assert_eq!(forward.concat(), backward.concat(), "the way back shows the same in the same order");
    let month = browser.get(&format!("{path}?month=2035-03")).await;
    assert!(month.says("<option value=\"2035-03\" selected>March 2035</option>"), "{month:?}");
    let export = browser.get(&month.attribute("<p class=\"after\"><a href=\"")).await;
    assert_eq!(export.headers["content-type"], "text/csv; charset=utf-8");
    assert!(export.html.contains("2035-03-15,2035-03-15,-1234.50,EUR,"), "{export:?}");
    assert!(!export.html.contains("2035-02-"), "{export:?}");
    let days: Vec<&str> = export.html.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert!(days.is_sorted() && days.first() < days.last(), "oldest first: {days:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn month_of_at_most_5000_transactions_is_exported(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (mut browser, statement) = paid(&bank).await;
    let path = statement.attribute("<form method=\"get\" action=\"");
    let account = path.rsplit('/').next().unwrap();
    let export = format!("/app/statements/{account}/2035-03.csv");
    let literal = bank.database.uuid_literal(account.parse().unwrap());
    let ledger = bank.database.number(&format!("SELECT ledger_account FROM account WHERE id = {literal}"));
    let exported = browser.get(&export).await.html.lines().skip(1).count();
    entries_repeat(&bank.database, ledger, 5_000 - exported);
    assert_eq!(browser.get(&export).await.html.lines().skip(1).count(), 5_000);
    entries_repeat(&bank.database, ledger, 1);
    let refused = browser.get(&export).await;
    assert!(refused.status == 400 && !refused.says(",EUR,"), "{refused:?}");
}

/// Adds copies of the last entry to an account's statement, past the bank.
pub fn entries_repeat(database: &Database, ledger: i64, times: usize) {
    database.tamper(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {times})
         INSERT INTO entry (account, seq, transfer, amount_minor, balance_minor, booking_date, details)
         SELECT e.account, e.seq + n.i, e.transfer, e.amount_minor, e.balance_minor, e.booking_date, e.details
         FROM entry e CROSS JOIN n
         WHERE e.account = {ledger} AND e.seq = (SELECT MAX(seq) FROM entry WHERE account = {ledger})"
    ));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transaction_page_has_all_facts_and_only_its_owner_finds_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (mut browser, statement) = paid(&bank).await;
    let path = statement.attribute("<form method=\"get\" action=\"");
    let found = browser.get(&format!("{path}?search=1234.50")).await;
    let address = format!("/app/transactions/{}", found.attribute("href=\"/app/transactions/"));
    let page = browser.get(&address).await;
    let payee = bank.sandbox_file["psus"][1].clone();
    let iban = text(&payee["accounts"][0]["iban"]);
    for part in [
        text(&payee["name"]),
        &iban[..4],
        ">Rent<",
        "Booked on",
        "Value date",
        "Balance after it",
        "−€1,234.50",
    ] {
        assert!(page.says(part), "{part} in {page:?}");
    }
    let receipt = browser.get(&format!("/app/payments/{}", page.attribute("href=\"/app/payments/"))).await;
    assert_eq!(receipt.title(), "Paid");
    let mut other = bank.browser();
    enrol(&bank, &mut other, 1).await;
    let export = format!("/app/statements/{}/2035-03.csv", path.rsplit('/').next().unwrap());
    for foreign in [&address, &path, &export] {
        assert_eq!(other.get(foreign).await.headers["location"], "/app/accounts", "{foreign}");
    }
    let (account, _) = address.rsplit_once('/').unwrap();
    assert_eq!(browser.get(&format!("{account}/unknown")).await.headers["location"], "/app/accounts");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn card_statement_has_pending_and_booked_and_only_its_holder_finds_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let home = enrol(&bank, &mut browser, 0).await;
    let path = format!("/app/cards/{}", home.attribute("href=\"/app/cards/"));
    let card = browser.get(&path).await;
    assert!(card.says("<h2>Pending</h2>") && booked(&card) > 0, "{card:?}");
    let line = main_of(&card).attribute("<b><a href=\"/app/cards/");
    let transaction = browser.get(&format!("/app/cards/{line}")).await;
    assert!(transaction.says("Booked on") && transaction.says("Used on"), "{transaction:?}");
    let mut other = bank.browser();
    enrol(&bank, &mut other, 1).await;
    for foreign in [&path, &format!("/app/cards/{line}")] {
        assert_eq!(other.get(foreign).await.headers["location"], "/app/accounts", "{foreign}");
    }
}

#[rstest]
#[case(Fees { internal_minor: 10, sepa_minor: 35 }, "within this bank €0.10, to other banks €0.35.")]
#[case(Fees { internal_minor: 0, sepa_minor: 35 }, "within this bank none, to other banks €0.35.")]
#[tokio::test(flavor = "multi_thread")]
async fn form_of_a_payment_shows_the_fees_before_it_is_ordered(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[case] fees: Fees,
    #[case] expected: &str,
) {
    let options = TestBankOptions { fees, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let form = browser.get("/app/pay").await;
    assert!(form.says(expected), "{form:?}");
}
