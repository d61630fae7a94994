//! Baskets and loans of two shoppers without an account, at two merchants.

use super::{Scenario, Side, Turns, take_turns};
use crate::http::checkout::{Bought, agree, basket_at, proven};
use crate::http::loan_transfer::{Incoming, pay};
use crate::http::payment::text;
use crate::http::refund::void;
use serde_json::json;
use trapeza_domain::id::LoanId;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Browser, TestBank};
use uuid::Uuid;

fn phone(side: Side) -> &'static str {
    side.of("+306900000042", "+306900000043")
}

/// Orders of one side have numbers of their own.
async fn basket(bank: &TestBank, side: Side, number: u128, euros: &str) -> Bought {
    basket_at(bank, side.of(0, 1), side.of(100, 200) + number, euros).await
}

async fn refund(bank: &TestBank, scenario: &Scenario<'_>, bought: &Bought, euros: u32) {
    let number = scenario.side.of(300, 400) + u128::from(euros);
    let order = json!({ "basketId": bought.public, "requestId": Uuid::from_u128(number).to_string(), "amount": euros });
    let refunded = bank.merchant(scenario.side.of(0, 1)).post("/loans/bnpl/refund", &order).await;
    assert_eq!(refunded.status, 200, "{refunded:?}");
    scenario.step(&format!("refund of {euros}")).await;
}

/// The printed reference of the loan of a basket.
async fn reference(bank: &TestBank, side: Side, bought: &Bought) -> String {
    let loan = bank.merchant(side.of(0, 1)).get(&format!("/loans/bnpl?basketId={}", bought.public)).await;
    let id = LoanId::parse(loan.text("/data/payLaterInformation/bnplRequestId")).unwrap();
    bank.app.loan_detail(id).await.unwrap().loan.creditor_reference().printed()
}

/// Buys on a telephone number alone, step by step.
async fn buy(bank: &TestBank, scenario: &Scenario<'_>, bought: &Bought, browser: &mut Browser) {
    let start = browser.get(&bought.checkout).await;
    let phone_page = browser.send(&start, &[("step", "open")]).await;
    scenario.step("opened").await;
    let sent = browser.send(&phone_page, &[("step", "phone"), ("phone", phone(scenario.side))]).await;
    scenario.step("telephone").await;
    browser.send(&sent, &[("step", "code"), ("code", "000000")]).await;
    scenario.step("wrong code").await;
    browser.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
    scenario.step("code").await;
    assert_eq!(agree(browser, bought, 3).await.title(), "Bought");
    scenario.step("agreed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn purchases_of_two_shoppers_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let (side, merchant) = (scenario.side, bank.merchant(scenario.side.of(0, 1)));
        let bought = basket(bank, side, 1, "120.3").await;
        scenario.step("basket").await;
        let mut browser = bank.browser();
        buy(bank, &scenario, &bought, &mut browser).await;
        let left = basket(bank, side, 2, "50").await;
        let mut leaving_browser = bank.browser();
        let plans = proven(bank, &mut leaving_browser, &left, phone(side)).await;
        scenario.step("second basket, proven").await;
        leaving_browser.send(&plans, &[("step", "leave")]).await;
        scenario.step("left").await;
        let voided = basket(bank, side, 3, "50").await;
        scenario.step("third basket").await;
        void(&merchant, &voided.public, side.of(303, 403)).await;
        scenario.step("void").await;
        refund(bank, &scenario, &bought, 20).await;
        let expired = basket(bank, side, 4, "50").await;
        scenario.step("basket that expires").await;
        bank.advance("PT20M").await;
        let open = basket(bank, side, 5, "50").await;
        scenario.step("basket that stays open").await;
        bank.advance("PT6M").await;
        scenario.step("half an hour later").await;
        for (basket, status) in [(&bought, 200), (&expired, 404), (&open, 404)] {
            let loan = merchant.get(&format!("/loans/bnpl?basketId={}", basket.public)).await;
            assert_eq!(loan.status, status, "{loan:?}");
        }
        let other =
            bank.merchant(side.of(1, 0)).get(&format!("/loans/bnpl?basketId={}", bought.public)).await;
        assert_eq!(other.status, 404, "{other:?}");
    })
    .await;
    insta::assert_snapshot!("purchase", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn loans_of_two_shoppers_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let side = scenario.side;
        let mut references = Vec::new();
        let mut loans = Vec::new();
        for number in [1, 2] {
            let bought = basket(bank, side, number, "90").await;
            let mut browser = bank.browser();
            proven(bank, &mut browser, &bought, phone(side)).await;
            assert_eq!(agree(&mut browser, &bought, 3).await.title(), "Bought");
            references.push(reference(bank, side, &bought).await);
            loans.push(bought);
            scenario.step("bought").await;
        }
        let link = format!("/loan/{}", references[0].replace(' ', ""));
        let mut browsers = [bank.browser(), bank.browser()];
        let mut pages = Vec::new();
        for browser in &mut browsers {
            let locked = browser.get(&link).await;
            pages.push(browser.send(&locked, &[("step", "send-code")]).await);
            bank.pass(trapeza_domain::time::TimeDelta::seconds(31)).await;
            scenario.step("code sent").await;
        }
        browsers[0].send(&pages[0], &[("step", "code"), ("code", "000000")]).await;
        scenario.step("wrong code").await;
        let code = text(&bank.sandbox_file["otp"]);
        browsers[0].send(&pages[0], &[("step", "code"), ("code", code)]).await;
        scenario.step("code").await;
        assert!(!browsers[1].get(&link).await.says("Still to pay"), "the other browser has no code yet");
        pay(bank, 4000, &references[0]).await;
        scenario.step("transfer received").await;
        Incoming {
            from: Some(crate::http::payment::OTHER_BANK_IBAN),
            unstructured: Some(&references[1]),
            ..Incoming::of(1000)
        }
        .receive(bank)
        .await;
        scenario.step("transfer for the second loan").await;
        pay(bank, 100, "nothing").await;
        scenario.step("transfer without a reference").await;
        refund(bank, &scenario, &loans[0], 90).await;
        bank.advance("P20D").await;
        scenario.step("due").await;
        bank.advance("P9D").await;
        scenario.step("overdue").await;
        refund(bank, &scenario, &loans[1], 10).await;
    })
    .await;
    insta::assert_snapshot!("guest_loan", changes);
}
