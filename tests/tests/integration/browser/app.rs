//! The bank's app in a real browser: payments to other banks, statements and the session.

use super::browser_test::{BrowserTest, text};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn app_pays_another_bank_after_a_payee_check_and_shows_a_receipt() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    test.enrol().await;
    browser.check_page("app-20-home").await;
    browser.click(".tabs a[href='/app/pay']").await;
    browser.expect_heading("Make a payment").await;
    browser.fill("#iban", "FR14 2004 1010 0505 0001 3M02 606").await;
    browser.fill("#name", "CLOSE MATCH").await;
    browser.fill("#amount", "20.00").await;
    browser.fill("#remittance", "Ενοίκιο").await;
    browser.click("main form button").await;
    browser.find("form[data-link]").await;
    browser.check_page("app-21-close-match").await;
    browser.expect_text(".check.close", "close match").await;
    browser.click("form[data-link] button").await;
    browser.expect_heading("Accepted").await;
    browser.check_page("app-22-accepted").await;
    browser.expect_text(".receipt", "The amount is reserved.").await;
    test.bank.advance("PT5S").await;
    browser.follow("a.button[href='/app/payments']").await;
    browser.expect_heading("Your payments").await;
    browser.check_page("app-23-payments").await;
    browser.follow(".lines li a").await;
    browser.expect_heading("Paid").await;
    // The transaction leads to the receipt, and the search to the transaction.
    browser.open(&format!("{}/app/accounts", test.bank.base_url)).await;
    browser.follow("h2 a").await;
    browser.fill("#search", "close match").await;
    browser.follow(".filter button").await;
    browser.check_page("app-24-search").await;
    browser.follow(".lines li a").await;
    browser.expect_heading("CLOSE MATCH").await;
    browser.check_page("app-25-transaction").await;
    browser.follow("a[href^='/app/payments/']").await;
    browser.expect_heading("Paid").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn session_announces_its_end_and_asks_for_the_password_after_it() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    test.enrol().await;
    browser.open(&format!("{}/app/loans", test.bank.base_url)).await;
    assert!(browser.has("#session-ends[hidden]").await, "nothing is announced yet");
    // The page's script once more, as if 61 seconds were left: a page that is opened has more.
    let script = "document.getElementById('stay').dataset.seconds = '61';
                  return [...document.scripts].map((one) => one.textContent).find((text) => text.includes('session-ends'));";
    let script = browser.run(script, json!([])).await;
    browser.run(script.as_str().expect("the script of the session"), json!([])).await;
    browser.expect_text("#session-ends", "locks itself in one minute").await;
    browser.check_page("app-26-session-ends").await;
    browser.click("#session-ends button").await;
    browser.find("#session-ends[hidden]").await;
    test.bank.advance("PT4M").await;
    browser.open(&format!("{}/app/pay", test.bank.base_url)).await;
    browser.expect_heading("Make a payment").await;
    test.bank.advance("PT5M").await;
    browser.open(&format!("{}/app/pay", test.bank.base_url)).await;
    browser.expect_text("h1", "Welcome back").await;
    browser.check_page("app-27-timed-out").await;
    browser.expect_text("main", "Your session ended on").await;
    browser.fill("#password", text(&test.psu["password"])).await;
    browser.click("main form button").await;
    browser.expect_heading("Accounts").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}
