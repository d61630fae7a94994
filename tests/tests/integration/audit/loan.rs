//! What happens to loans after the purchase, with its events.

use super::Scenario;
use crate::http::checkout::{agree, basket, proven, read_terms, send_agreement};
use crate::http::loan_servicing::{bought, iban, set_status};
use crate::http::loan_transfer::GUEST;
use trapeza_domain::account::AccountStatus;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;

#[tokio::test(flavor = "multi_thread")]
async fn servicing_of_a_loan_has_its_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 3).await;
    let mut scenario = Scenario::begin(&bank);
    bank.advance("P32D").await;
    scenario.step("installment collected");
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P31D").await;
    scenario.step("collection failed");
    bank.advance("P9D").await;
    scenario.step("overdue");
    set_status(&bank, AccountStatus::Enabled).await;
    bank.app.loan_repay(id).await.unwrap();
    scenario.step("repaid early");
    insta::assert_snapshot!("servicing", scenario.end().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn withdrawal_from_a_loan_has_its_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 3).await;
    let mut scenario = Scenario::begin(&bank);
    bank.app.loan_withdraw(id).await.unwrap();
    scenario.step("withdrawn");
    insta::assert_snapshot!("withdrawal", scenario.end().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn declared_income_has_its_events() {
    let options = TestBankOptions { declared_income: true, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(Engine::Sqlite), options).await;
    let (bought, mut browser) = (basket(&bank, 1, "120").await, bank.browser());
    let income_page = proven(&bank, &mut browser, &bought, GUEST).await;
    let mut scenario = Scenario::begin(&bank);
    let declare = |income, expenses| [("step", "income"), ("income", income), ("expenses", expenses)];
    browser.send(&income_page, &declare("1000", "0")).await;
    scenario.step("income");
    let terms = read_terms(&mut browser, &bought, 3).await;
    browser.send(&income_page, &declare("110", "60")).await;
    scenario.step("lower income");
    send_agreement(&mut browser, &terms, 3).await;
    scenario.step("agreed to a plan that is too large now");
    agree(&mut browser, &bought, 4).await;
    scenario.step("agreed to a smaller one");
    insta::assert_snapshot!("income", scenario.end().await);
}
