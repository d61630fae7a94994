//! Loans of shoppers in a real browser: a guest pays by transfer and withdraws, a declined shopper has a person decide otherwise, and
//! a borrower in arrears is helped.

use super::browser_test::{BrowserTest, text};
use crate::http::loan_transfer::pay;
use serde_json::{Value, json};
use trapeza_app::work_list::WorkListKind;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::StaffUser;

/// A telephone number without an account here.
const GUEST: &str = "+306900000042";
/// A telephone number that the sandbox declines for its income.
const DECLINED: &str = "+306900000106";

/// The address of the app's form with a payment filled in.
const PAY_LINK: &str = "return document.querySelector(\"a[href^='/app/pay']\").getAttribute('href')";

fn lamp() -> Value {
    json!([{ "name": "Reading lamp", "quantity": 1, "Unit Price": 120, "Total Amount": 120 }])
}

impl BrowserTest {
    /// Agrees to three installments and returns the address of the loan's page.
    async fn buy_in_three(&self, name: &str) -> String {
        let browser = &self.browser;
        browser.follow("a.plan[href$='plan=3']").await;
        browser.check_page(&format!("{name}-5-agreement")).await;
        browser.click("input[name=agreed]").await;
        browser.follow("main form button").await;
        let link = "return document.querySelector(\"a[href^='/loan/']\").getAttribute('href')";
        text(&browser.run(link, json!([])).await).to_owned()
    }

    /// Opens the page of a guest's loan with a new code.
    async fn open_loan(&self, path: &str) {
        let browser = &self.browser;
        browser.open(&format!("{}{path}", self.bank.base_url)).await;
        if browser.has("input[value=send-code]").await {
            browser.follow("main form button").await;
            browser.fill("#code", "123456").await;
            browser.follow("main form button").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn guest_pays_an_installment_by_transfer_and_withdraws() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    let checkout = test.create_basket(120.0, &lamp()).await;
    test.verify_phone(&checkout, GUEST, "guest").await;
    let path = test.buy_in_three("guest").await;
    test.open_loan(&path).await;
    browser.check_page("guest-6-loan").await;
    let page = browser.text("main").await;
    assert!(page.contains("Next: transfer €40.00 by 16 April 2035."), "{page}");
    // The first installment, recognised by the reference.
    pay(&test.bank, 4_000, path.trim_start_matches("/loan/")).await;
    test.open_loan(&path).await;
    let page = browser.text("main").await;
    assert!(page.contains("Next: transfer €40.00 by 15 May 2035."), "{page}");
    // An account at this bank pays the rest, filled in by a link.
    let link = text(&browser.run(PAY_LINK, json!([])).await).to_owned();
    assert!(link.contains("amount=40.00") && link.contains("remittance=RF"), "{link}");
    browser.click("input[name=sure]").await;
    browser.follow("input[value=withdraw] ~ button").await;
    browser.check_page("guest-7-withdrawn").await;
    let page = browser.text("main").await;
    assert!(page.contains("You have withdrawn. Transfer €80.00 by 14 April 2035."), "{page}");
    let link = text(&browser.run(PAY_LINK, json!([])).await).to_owned();
    assert!(link.contains("amount=80.00"), "{link}");
    test.enrol().await;
    browser.open(&format!("{}{link}", test.bank.base_url)).await;
    assert_eq!(browser.run("return document.querySelector('#amount').value", json!([])).await, "80.00");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn declined_shopper_asks_for_a_review_and_buys_after_it() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    let checkout = test.create_basket(120.0, &lamp()).await;
    test.verify_phone(&checkout, DECLINED, "declined").await;
    browser.follow("a.plan[href$='plan=3']").await;
    browser.click("input[name=agreed]").await;
    browser.follow("main form button").await;
    browser.expect_heading("Not bought").await;
    browser.check_page("declined-5-end").await;
    assert!(browser.text("main").await.contains("A computer program made this decision"));
    browser.follow("a[href$='review=1']").await;
    browser.expect_heading("Ask a person to review the decision").await;
    browser.check_page("declined-6-review").await;
    browser.fill("#statement", "I have a new job.").await;
    browser.fill("#income", "about 1500").await;
    browser.follow("main form button").await;
    browser.expect_text("#income-error", "1250.00").await;
    browser.check_page("declined-7-review-error").await;
    browser.fill("#income", "1500").await;
    browser.fill("#expenses", "600,50").await;
    browser.follow("main form button").await;
    browser.expect_text("main", "You asked for a review on").await;
    let risk = StaffUser::enrol(&test.bank, StaffRole::Risk, "rita@bank.example").await;
    let list = test.bank.app.work_list(risk.id, WorkListKind::LoanReviews, 10).await.unwrap();
    let review = list.rows[0].actions[0].parameters[0].1.clone();
    let explained = [("review", review.as_str()), ("explanation", "Your new income is enough.")];
    risk.run(StaffAction::LoanReviewGrant, &explained).await.unwrap();
    browser.open(&checkout).await;
    browser.expect_text("main", "Your new income is enough.").await;
    browser.check_page("declined-8-granted").await;
    let next = test.create_basket_named("again", 120.0, &lamp()).await;
    test.verify_phone(&next, DECLINED, "reviewed").await;
    test.buy_in_three("reviewed").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn guest_in_arrears_pauses_and_asks_for_a_longer_plan() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    let checkout = test.create_basket(120.0, &lamp()).await;
    test.verify_phone(&checkout, GUEST, "arrears").await;
    let path = test.buy_in_three("arrears").await;
    test.bank.advance("P40D").await;
    test.open_loan(&path).await;
    browser.check_page("arrears-6-loan").await;
    browser.expect_text("#help", "213 212 5730").await;
    browser.follow("#help a[href$='pause=1']").await;
    browser.expect_heading("Pause your installments?").await;
    browser.check_page("arrears-7-pause").await;
    browser.follow("main form button").await;
    browser.expect_text("#help", "You paused the installments").await;
    browser.follow("#help a[href$='extension=1']").await;
    browser.check_page("arrears-8-extension").await;
    browser.fill("#statement", "I earn less since May.").await;
    browser.follow("main form button").await;
    browser.expect_text("#help", "Nothing is collected until we have answered").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}
