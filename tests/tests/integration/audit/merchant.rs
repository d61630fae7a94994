//! What shoppers and merchants do, with its events.

use super::Scenario;
use crate::http::checkout::{JONAS, agree, basket, proven, sign_in};
use crate::http::loan_transfer::{GUEST, bought_by_guest, pay};
use crate::http::payment::{psu, text};
use crate::http::refund::void;
use serde_json::json;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

#[tokio::test(flavor = "multi_thread")]
async fn purchase_and_loan_have_their_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut scenario = Scenario::begin(&bank);
    let (bought, mut browser) = (basket(&bank, 11, "120.3").await, bank.browser());
    scenario.step("basket");
    let start = browser.get(&bought.checkout).await;
    let phone_page = browser.send(&start, &[("step", "open")]).await;
    scenario.step("opened");
    let sent = browser.send(&phone_page, &[("step", "phone"), ("phone", "+306900000043")]).await;
    scenario.step("telephone");
    browser.send(&sent, &[("step", "code"), ("code", "000000")]).await;
    scenario.step("wrong code");
    browser.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
    scenario.step("code");
    agree(&mut browser, &bought, 3).await;
    scenario.step("agreed");
    let refund =
        json!({ "basketId": bought.public, "requestId": Uuid::from_u128(12).to_string(), "amount": 20 });
    assert_eq!(bank.merchant(0).post("/loans/bnpl/refund", &refund).await.status, 200);
    scenario.step("refund");
    let (own, mut customer) = (basket(&bank, 18, "120.3").await, bank.browser());
    proven(&bank, &mut customer, &own, text(&psu(&bank, JONAS)["phone"])).await;
    scenario.step("telephone of a customer");
    sign_in(&bank, &mut customer, &own, "wrong").await;
    scenario.step("wrong password");
    bank.pass(TimeDelta::seconds(5)).await;
    sign_in(&bank, &mut customer, &own, text(&psu(&bank, JONAS)["password"])).await;
    scenario.step("signed in");
    agree(&mut customer, &own, 3).await;
    scenario.step("agreed by a customer");
    let left = basket(&bank, 13, "50").await;
    let mut leaving_browser = bank.browser();
    let plans = proven(&bank, &mut leaving_browser, &left, "+306900000044").await;
    leaving_browser.send(&plans, &[("step", "leave")]).await;
    scenario.step("left");
    let voided = basket(&bank, 14, "50").await;
    void(&bank.merchant(0), &voided.public, 15).await;
    scenario.step("void");
    basket(&bank, 16, "50").await;
    bank.advance("PT31M").await;
    scenario.step("expired");
    bank.advance("P32D").await;
    scenario.step("installment collected");
    insta::assert_snapshot!("purchase", scenario.end().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn loan_of_a_guest_has_its_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let mut scenario = Scenario::begin(&bank);
    let link = format!("/loan/{}", loan.reference.replace(' ', ""));
    let mut browser = bank.browser();
    let locked = browser.get(&link).await;
    let sent = browser.send(&locked, &[("step", "send-code")]).await;
    scenario.step("code sent");
    browser.send(&sent, &[("step", "code"), ("code", "000000")]).await;
    scenario.step("wrong code");
    browser.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
    scenario.step("code");
    pay(&bank, 4000, &loan.reference).await;
    scenario.step("transfer received");
    pay(&bank, 100, "nothing").await;
    scenario.step("transfer without a reference");
    bank.advance("P40D").await;
    scenario.step("overdue");
    let refund = json!({ "basketId": loan.bought.public, "requestId": Uuid::from_u128(12).to_string(), "amount": 120 });
    assert_eq!(bank.merchant(0).post("/loans/bnpl/refund", &refund).await.status, 200);
    scenario.step("refund of everything");
    let declined = basket(&bank, 17, "1500").await;
    proven(&bank, &mut bank.browser(), &declined, GUEST).await;
    scenario.step("declined");
    insta::assert_snapshot!("guest", scenario.end().await);
}
