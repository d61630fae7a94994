//! What ends something in the bank's app is asked first, and what moves money is signed by the enrolled device. A payment that was
//! created in the app ends with a receipt.

use super::checkout::{JONAS, agree, basket, check_ledger, proven, sign_in};
use super::loan_servicing::{balance, bought_at_checkout};
use super::page_forms::enrol;
use rstest::rstest;
use serde_json::Value;
use trapeza_app::sca::approval_message;
use trapeza_domain::authorisation::{LoanLinkingData, loan_digest};
use trapeza_domain::id::LoanId;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Browser, Page, TestBank};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The fields of a signed confirmation. The browser adds the signature as the app's script does.
async fn confirm_signed(browser: &mut Browser, page: &Page) -> Page {
    let (id, shown_at) = (page.attribute("data-question=\""), page.attribute("name=\"shown-at\" value=\""));
    let choice = page.attribute("name=\"number\" value=\"");
    let fields = [("step", "confirm"), ("question", &*id), ("number", &*choice), ("shown-at", &*shown_at)];
    browser.send(page, &fields).await
}

/// Repays a customer's loan in their app.
pub async fn repay(bank: &TestBank, psu: usize, loan: &str) {
    let mut browser = bank.browser();
    enrol(bank, &mut browser, psu).await;
    let page = browser.get(&format!("/app/loans/{loan}/repayment")).await;
    let repaid = confirm_signed(&mut browser, &page).await;
    assert!(repaid.says("Paid in full."), "{repaid:?}");
}

/// Jonas with a loan of 450 euros from a shop, and the page of his loans.
pub async fn borrowed(bank: &TestBank, browser: &mut Browser) -> (String, Page) {
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    bank.book_opening(text(&jonas["accounts"][0]["iban"]), 1_000_000).await;
    let bought = basket(bank, 1, "450").await;
    proven(bank, browser, &bought, text(&jonas["phone"])).await;
    sign_in(bank, browser, &bought, text(&jonas["password"])).await;
    assert_eq!(agree(browser, &bought, 3).await.title(), "Bought");
    enrol(bank, browser, JONAS).await;
    let loans = browser.get("/app/loans").await;
    let id = loans.attribute("href=\"/app/loans/");
    (id.split('/').next().unwrap().to_owned(), loans)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_repayment_requires_a_signature_of_the_device(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let (loan, loans) = borrowed(&bank, &mut browser).await;
    assert!(!loans.html.split("<main>").nth(1).unwrap().contains("value=\"repay\""), "{loans:?}");
    let path = format!("/app/loans/{loan}/repayment");
    let page = browser.get(&path).await;
    assert_eq!(page.title(), "Pay the full amount now?");
    assert!(page.says("€450.00") && page.says("Girokonto"), "{page:?}");
    let shown_at = page.attribute("name=\"shown-at\" value=\"");
    let withdrawal = browser.get(&format!("/app/loans/{loan}/withdrawal")).await;
    let is_active = async |browser: &mut Browser| browser.get("/app/loans").await.says("Paid as agreed");
    // The session alone, the signature of another key, a signature for the other ending, and one for another time.
    let unsigned = [("step", "confirm"), ("shown-at", &*shown_at)];
    assert_eq!(browser.send_only(&page, &unsigned).await.status, 400);
    let own = std::mem::take(&mut browser.key);
    assert_eq!(confirm_signed(&mut browser, &page).await.status, 400);
    browser.key = own;
    let link = withdrawal.attribute("data-link=\"");
    let signature = browser.key.sign(&format!("trapeza approval\n{loan}\n{link}\nwithdrawal"));
    let other = [("step", "confirm"), ("shown-at", &*shown_at), ("signature", &*signature)];
    assert_eq!(browser.send_only(&page, &other).await.status, 400);
    let link = page.attribute("data-link=\"");
    let signature = browser.key.sign(&format!("trapeza approval\n{loan}\n{link}\nrepayment"));
    let later = (shown_at.parse::<i64>().unwrap() + 1).to_string();
    let other = [("step", "confirm"), ("shown-at", &*later), ("signature", &*signature)];
    let refused = browser.send_only(&page, &other).await;
    assert!(refused.status == 400 && refused.says("confirm again"), "{refused:?}");
    // A signature for a time that has not come could be used after the device is lost.
    let (id, ahead) = (LoanId::parse(&loan).unwrap(), bank.app.now().plus(TimeDelta::minutes(10)));
    let account = text(&bank.sandbox_file["psus"][JONAS]["accounts"][0]["iban"]);
    let amount = Money::new(45_000, Currency::EUR);
    let terms = LoanLinkingData { ending: "repayment", amount, account, shown_at: ahead };
    let signature = browser.key.sign(&approval_message(id, &loan_digest(id, &terms), "repayment"));
    let ahead = ahead.0.to_string();
    let other = [("step", "confirm"), ("shown-at", &*ahead), ("signature", &*signature)];
    assert_eq!(browser.send_only(&page, &other).await.status, 400);
    assert!(is_active(&mut browser).await);
    // What was shown long ago is shown again first.
    bank.advance("PT16M").await;
    let user = text(&bank.sandbox_file["psus"][JONAS]["psu_id"]).to_owned();
    let password = text(&bank.sandbox_file["psus"][JONAS]["password"]).to_owned();
    let locked = browser.get("/app").await;
    browser.send(&locked, &[("step", "sign-in"), ("user", &user), ("password", &password)]).await;
    let again = browser.get(&path).await;
    let csrf = again.attribute("name=\"csrf\" value=\"");
    let old = Page { html: page.html.replace(&page.attribute("name=\"csrf\" value=\""), &csrf), ..page };
    assert_eq!(confirm_signed(&mut browser, &old).await.status, 400);
    assert!(is_active(&mut browser).await);
    let repaid = confirm_signed(&mut browser, &again).await;
    assert!(repaid.says("Paid in full.") && !repaid.says("/repayment"), "{repaid:?}");
    let replayed = confirm_signed(&mut browser, &again).await;
    assert!(replayed.status == 200 && !replayed.says("Paid in full."), "{replayed:?}");
    let events = bank.database.events("loan.ending_approved");
    assert!(events.len() == 1 && events[0].starts_with(&format!("loan:{loan} by psu:")), "{events:?}");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_withdrawal_is_asked_and_signed(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let (loan, _) = borrowed(&bank, &mut browser).await;
    let path = format!("/app/loans/{loan}/withdrawal");
    let page = browser.get(&path).await;
    assert_eq!(page.title(), "Withdraw from the loan?");
    let shown_at = page.attribute("name=\"shown-at\" value=\"");
    let unsigned = [("step", "confirm"), ("shown-at", &*shown_at)];
    assert_eq!(browser.send_only(&page, &unsigned).await.status, 400);
    // Another customer's device cannot sign it, and does not see the loan.
    let mut other = bank.browser();
    enrol(&bank, &mut other, 0).await;
    assert_eq!(other.get(&path).await.headers["location"], "/app/loans");
    let withdrawn = confirm_signed(&mut browser, &page).await;
    assert!(withdrawn.says("You have withdrawn from the loan."), "{withdrawn:?}");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn device_is_removed_after_a_confirmation_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let first = enrol(&bank, &mut browser, 0).await;
    browser.send(&first, &[("step", "remove")]).await;
    let page = browser.get("/app/device").await;
    assert_eq!(page.title(), "Remove this device?");
    assert!(browser.get("/app").await.says("Waiting for you"), "a question changes nothing");
    let removed = browser.send(&page, &[("step", "confirm")]).await;
    assert!(removed.says("name=\"password\""), "{removed:?}");
    // The password alone does not sign in on it any more.
    assert_eq!(enrol(&bank, &mut browser, 0).await.title(), "The bank's app");
    assert_eq!(bank.app.messages().await.unwrap().len(), 2, "a new code was sent");
}

/// Orders a payment in the app; returns the page that asks for the approval.
pub async fn order(browser: &mut Browser, payee: &Value, amount: &str, key: u32) -> Page {
    let form = browser.get("/app/pay").await;
    let (from, key) = (form.attribute("<option value=\""), format!("00000000-0000-4000-8000-{key:012}"));
    let fields = [
        ("step", "pay"),
        ("idempotency_key", &*key),
        ("from", &*from),
        ("iban", text(&payee["accounts"][0]["iban"])),
        ("name", text(&payee["name"])),
        ("amount", amount),
        ("remittance", "Rent"),
    ];
    browser.send(&form, &fields).await
}

/// Orders a payment of the first customer to the second in the app, and approves it.
pub async fn pay(bank: &TestBank, browser: &mut Browser, amount: &str, key: u32) -> Page {
    let ordered = order(browser, &bank.sandbox_file["psus"][1], amount, key).await;
    assert!(ordered.says("approve it, and it is paid"), "{ordered:?}");
    assert!(!ordered.says("notice good"), "nothing is paid yet");
    let question = ordered.attribute("name=\"question\" value=\"");
    let number = ordered.attribute("<button name=\"number\" value=\"");
    browser.send(&ordered, &[("step", "approve"), ("question", &question), ("number", &number)]).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_in_the_app_ends_with_a_receipt(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let payee = bank.sandbox_file["psus"][1].clone();
    bank.book_opening(text(&bank.sandbox_file["psus"][0]["accounts"][0]["iban"]), 500_000).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let receipt = pay(&bank, &mut browser, "1234.50", 1).await;
    assert_eq!(receipt.title(), "Paid");
    let iban = text(&payee["accounts"][0]["iban"]);
    for part in ["€1,234.50", text(&payee["name"]), &iban[..4], ">Rent<", "15 March 2035, ", "end good"] {
        assert!(receipt.says(part), "{part} in {receipt:?}");
    }
    assert!(!receipt.says("other screen"));
    let refused = pay(&bank, &mut browser, "9999999", 2).await;
    assert_eq!(refused.title(), "Not paid");
    assert!(!refused.says("end good") && refused.says("Nothing was paid."), "{refused:?}");
    // Another customer has no such payment.
    let mut other = bank.browser();
    enrol(&bank, &mut other, 1).await;
    let own = bank.app.store().read(|tx| {
        let sql = "SELECT id FROM payment ORDER BY created_at LIMIT 1";
        Ok(tx.query_one(sql, &[], |row| row.read::<uuid::Uuid>())?)
    });
    let path = format!("/app/payments/{}", own.await.unwrap());
    assert_eq!(browser.get(&path).await.title(), "Paid");
    assert_eq!(other.get(&path).await.headers["location"], "/app/accounts");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn early_repayment_shows_and_signs_the_interest_of_the_days(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    bank.book_opening(text(&jonas["accounts"][0]["iban"]), 1_000_000).await;
    let id = bought_at_checkout(&bank, 12).await.1;
    bank.advance("P10D").await;
    let installments = bank.app.loan_detail(id).await.unwrap();
    let quote = installments.payoff_quote.unwrap();
    assert!(quote.interest_minor() > 0);
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, JONAS).await;
    let page = browser.get(&format!("/app/loans/{id}/repayment")).await;
    let total = format!("€{}.{:02}", quote.total_minor() / 100, quote.total_minor() % 100);
    assert!(page.says(&total), "{total}: {page:?}");
    let before = balance(&bank).await;
    assert!(confirm_signed(&mut browser, &page).await.says("Paid in full."));
    assert_eq!(before - balance(&bank).await, quote.total_minor());
    check_ledger(&bank).await;
}
