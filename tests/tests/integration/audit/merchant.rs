//! What shoppers and merchants do, with its events.

use super::Story;
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
    let mut story = Story::begin(&bank);
    let (bought, mut browser) = (basket(&bank, 11, "120.3").await, bank.browser());
    story.step("basket");
    let start = browser.get(&bought.checkout).await;
    let phone_page = browser.send(&start, &[("step", "open")]).await;
    story.step("opened");
    let sent = browser.send(&phone_page, &[("step", "phone"), ("phone", "+306900000043")]).await;
    story.step("telephone");
    browser.send(&sent, &[("step", "code"), ("code", "000000")]).await;
    story.step("wrong code");
    browser.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
    story.step("code");
    agree(&mut browser, &bought, 3).await;
    story.step("agreed");
    let refund =
        json!({ "basketId": bought.public, "requestId": Uuid::from_u128(12).to_string(), "amount": 20 });
    assert_eq!(bank.merchant(0).post("/loans/bnpl/refund", &refund).await.status, 200);
    story.step("refund");
    let (own, mut customer) = (basket(&bank, 18, "120.3").await, bank.browser());
    proven(&bank, &mut customer, &own, text(&psu(&bank, JONAS)["phone"])).await;
    story.step("telephone of a customer");
    sign_in(&bank, &mut customer, &own, "wrong").await;
    story.step("wrong password");
    bank.pass(TimeDelta::seconds(5)).await;
    sign_in(&bank, &mut customer, &own, text(&psu(&bank, JONAS)["password"])).await;
    story.step("signed in");
    agree(&mut customer, &own, 3).await;
    story.step("agreed by a customer");
    let left = basket(&bank, 13, "50").await;
    let mut leaving_browser = bank.browser();
    let plans = proven(&bank, &mut leaving_browser, &left, "+306900000044").await;
    leaving_browser.send(&plans, &[("step", "leave")]).await;
    story.step("left");
    let voided = basket(&bank, 14, "50").await;
    void(&bank.merchant(0), &voided.public, 15).await;
    story.step("void");
    basket(&bank, 16, "50").await;
    bank.advance("PT31M").await;
    story.step("expired");
    bank.advance("P32D").await;
    story.step("installment collected");
    insta::assert_snapshot!("purchase", story.end().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn loan_of_a_guest_has_its_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let mut story = Story::begin(&bank);
    let link = format!("/loan/{}", loan.reference.replace(' ', ""));
    let mut browser = bank.browser();
    let locked = browser.get(&link).await;
    let sent = browser.send(&locked, &[("step", "send-code")]).await;
    story.step("code sent");
    browser.send(&sent, &[("step", "code"), ("code", "000000")]).await;
    story.step("wrong code");
    browser.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
    story.step("code");
    pay(&bank, 4000, &loan.reference).await;
    story.step("transfer received");
    pay(&bank, 100, "nothing").await;
    story.step("transfer without a reference");
    bank.advance("P40D").await;
    story.step("overdue");
    let refund = json!({ "basketId": loan.bought.public, "requestId": Uuid::from_u128(12).to_string(), "amount": 120 });
    assert_eq!(bank.merchant(0).post("/loans/bnpl/refund", &refund).await.status, 200);
    story.step("refund of everything");
    let declined = basket(&bank, 17, "1500").await;
    proven(&bank, &mut bank.browser(), &declined, GUEST).await;
    story.step("declined");
    insta::assert_snapshot!("guest", story.end().await);
}
