//! Shoppers without an account here declare what they earn and spend, where the bank asks for it.

use crate::http::checkout::{JONAS, agree, basket, check_ledger, proven, sign_in};
use crate::http::payment::text;
use crate::staff::{events, verify_audit};
use rstest::rstest;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;

const GUEST: &str = "+306900000042";

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_declares_an_income_before_plans_are_shown(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { declared_income: true, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let (bought, mut browser) = (basket(&bank, 1, "120").await, bank.browser());
    let income_page = proven(&bank, &mut browser, &bought, GUEST).await;
    assert_eq!(income_page.title(), "What you earn and spend");
    // No plan is shown or agreed to before.
    let plan = browser.get(&format!("{}?plan=3", bought.checkout)).await;
    assert_eq!(plan.title(), "What you earn and spend");
    let wrong = browser.send(&income_page, &[("step", "income"), ("income", "1x"), ("expenses", "")]).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.says("id=\"income-error\"") && wrong.says("id=\"expenses-error\""), "{wrong:?}");
    assert!(wrong.says("value=\"1x\""), "what was typed stays: {wrong:?}");
    assert_eq!(events(&bank, "checkout.income_declared"), 0);
    // 40.00 a month is 30 % of 133.34; of four installments only the larger ones are too much.
    let fields = [("step", "income"), ("income", "110"), ("expenses", "60.00"), ("source", "benefits")];
    let plans = browser.send(&income_page, &fields).await;
    assert!(!plans.says("?plan=3") && plans.says("?plan=4"), "{plans:?}");
    assert!(plans.says("too large a part of what you earn"), "{plans:?}");
    assert_eq!(agree(&mut browser, &bought, 4).await.title(), "Bought");
    let inputs = bank.database.column("SELECT decision_inputs FROM loan WHERE status = 'active'");
    let evidence = "monthly=3000 declared_income=11000 declared_expenses=6000 source=benefits percent=30";
    assert!(inputs[0].ends_with(evidence), "{inputs:?}");
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn declared_income_that_pays_no_plan_is_declined_and_a_customer_signs_in_instead(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { declared_income: true, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let (bought, mut browser) = (basket(&bank, 1, "120").await, bank.browser());
    let income_page = proven(&bank, &mut browser, &bought, GUEST).await;
    let end = browser.send(&income_page, &[("step", "income"), ("income", "500"), ("expenses", "495")]).await;
    assert_eq!(end.title(), "Not bought");
    assert!(end.says("?review=1"), "a person can decide otherwise: {end:?}");
    // An account here says what comes in, so nothing is declared.
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(&bank, 2, "120").await, bank.browser());
    let income_page = proven(&bank, &mut browser, &bought, text(&jonas["phone"])).await;
    assert_eq!(income_page.title(), "What you earn and spend");
    let plans = sign_in(&bank, &mut browser, &bought, text(&jonas["password"])).await;
    assert!(plans.says("?plan=3"), "{plans:?}");
    assert_eq!(events(&bank, "checkout.income_declared"), 1, "of the guest");
    browser.send(&income_page, &[("step", "income"), ("income", "9000"), ("expenses", "0")]).await;
    assert_eq!(events(&bank, "checkout.income_declared"), 1);
    assert_eq!(agree(&mut browser, &bought, 3).await.title(), "Bought");
}
