//! Loans of two customers whose installments are collected from their accounts, and reviews by a person.

use super::{Scenario, Side, Turns, take_turns};
use crate::http::checkout::{agree, basket_at, proven, sign_in_as};
use crate::http::page_forms::enrol;
use crate::http::payment::{ELENI, JONAS, iban, psu, text};
use trapeza_app::work_list::WorkListKind;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::id::LoanId;
use trapeza_domain::reference::Iban;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{StaffUser, TestBank};

/// Buys, signed in; returns the loan.
async fn buy(bank: &TestBank, scenario: &Scenario<'_>, number: u128, plan: u32) -> LoanId {
    let side = scenario.side;
    let customer = psu(bank, side.of(JONAS, ELENI));
    let (bought, mut browser) =
        (basket_at(bank, side.of(0, 1), side.of(100, 200) + number, "300").await, bank.browser());
    proven(bank, &mut browser, &bought, text(&customer["phone"])).await;
    sign_in_as(&mut browser, &bought, text(&customer["psu_id"]), text(&customer["password"])).await;
    scenario.step("signed in").await;
    let end = agree(&mut browser, &bought, plan).await;
    assert_eq!(end.title(), "Bought", "{end:?}");
    scenario.step("agreed").await;
    let loan = bank.merchant(side.of(0, 1)).get(&format!("/loans/bnpl?basketId={}", bought.public)).await;
    LoanId::parse(loan.text("/data/payLaterInformation/bnplRequestId")).unwrap()
}

/// Sets the status of all accounts of a customer.
async fn set_status(bank: &TestBank, side: Side, status: AccountStatus) {
    let customer = side.of(JONAS, ELENI);
    let count = psu(bank, customer)["accounts"].as_array().unwrap().len();
    for number in 0..count {
        let iban = Iban::parse(&iban(bank, customer, number)).unwrap();
        let change = bank.app.store().write(move |tx| {
            let account = tx.account_by_iban(&iban)?.remove(0);
            Ok(tx.account_status_update(account.id, status)?)
        });
        change.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn loans_of_two_customers_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    for customer in [JONAS, ELENI] {
        bank.book_opening(&iban(&bank, customer, 0), 1_000_000).await;
    }
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let (first, second) = (buy(bank, &scenario, 1, 3).await, buy(bank, &scenario, 2, 6).await);
        bank.app.loan_withdraw(second).await.unwrap();
        scenario.step("second loan withdrawn").await;
        bank.advance("P16D").await;
        scenario.step("half a month").await;
        set_status(bank, scenario.side, AccountStatus::Blocked).await;
        scenario.step("accounts blocked").await;
        bank.advance("P16D").await;
        scenario.step("collection that fails").await;
        bank.advance("P10D").await;
        scenario.step("overdue").await;
        set_status(bank, scenario.side, AccountStatus::Enabled).await;
        scenario.step("accounts enabled").await;
        bank.app.loan_repay(first).await.unwrap();
        scenario.step("repaid early").await;
    })
    .await;
    insta::assert_snapshot!("servicing", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_of_two_customers_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    for customer in [JONAS, ELENI] {
        bank.book_opening(&iban(&bank, customer, 0), 1_000_000).await;
    }
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "risk@bank.example").await;
    let (bank, risk, turns) = (&bank, &risk, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let loan = buy(bank, &scenario, 1, 12).await;
        let mut browser = bank.browser();
        enrol(bank, &mut browser, scenario.side.of(JONAS, ELENI)).await;
        scenario.step("device").await;
        let form = browser.get(&format!("/app/loans/{loan}/extension")).await;
        let fields =
            [("step", "extension"), ("statement", "I lost my job."), ("income", "800"), ("expenses", "700")];
        browser.send(&form, &fields).await;
        scenario.step("longer plan requested").await;
        let list = bank.app.work_list(risk.id, WorkListKind::LoanReviews, 10).await.unwrap();
        // The second side's request is the second on the list, and the only one once the first is decided.
        assert_eq!(list.rows.len(), scenario.side.of(2, 1));
        let review = list.rows[0].actions[0].parameters[0].1.clone();
        let decided = [("review", review.as_str()), ("explanation", "We have decided.")];
        let action = scenario.side.of(StaffAction::LoanReviewGrant, StaffAction::LoanReviewReject);
        risk.run(action, &decided).await.unwrap();
        scenario.step("decided").await;
        bank.advance("P32D").await;
        scenario.step("a month later").await;
    })
    .await;
    insta::assert_snapshot!("review", changes);
}
