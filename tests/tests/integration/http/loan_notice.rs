//! What borrowers read about the right of withdrawal and about arrears, on its first and its last day.

use super::checkout::{JONAS, basket, proven, send_agreement};
use super::forbearance::{bought_by_guest_again, messages};
use super::loan_servicing::{bought, iban, stands};
use super::loan_transfer::{GUEST, bought_by_guest};
use super::page_forms::enrol;
use rstest::rstest;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reminder_of_a_late_sweep_is_sent_until_the_last_day_of_the_withdrawal(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let reminders = async || messages(&bank, "without giving a reason").await.len();
    bought_by_guest(&bank, "120", 3).await;
    bank.advance("P14D").await;
    assert_eq!(reminders().await, 1, "the borrower can still withdraw today");
    bought_by_guest_again(&bank).await;
    bank.advance("P15D").await;
    assert_eq!(reminders().await, 1, "the right has ended, so there is nothing to remind of");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn withdrawal_is_offered_on_its_last_day_and_not_on_the_next(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 3).await;
    for (span, is_offered) in [("P14D", true), ("P1D", false)] {
        bank.advance(span).await;
        let mut browser = bank.browser();
        enrol(&bank, &mut browser, JONAS).await;
        let page = browser.get(&format!("/app/loans/{id}")).await;
        assert_eq!(page.says(&format!("/app/loans/{id}/withdrawal")), is_offered, "{span}: {page:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn borrower_who_does_not_pay_back_after_a_withdrawal_owes_everything_and_cannot_pause(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    bank.app.loan_withdraw(loan.id).await.unwrap();
    bank.advance("P30D").await;
    assert_eq!((stands(&bank, loan.id).await.0, messages(&bank, "is overdue").await.len()), ("active", 0));
    bank.advance("P1D").await;
    assert_eq!(stands(&bank, loan.id).await.0, "overdue");
    let offers = messages(&bank, "is overdue").await;
    assert_eq!(offers.len(), 1, "{offers:?}");
    assert!(offers[0].contains("€120.00") && !offers[0].contains("pause it for a month"), "{offers:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn message_about_a_loan_is_in_the_language_of_the_agreement(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (bought, mut browser) = (basket(&bank, 1, "120").await, bank.browser());
    browser.headers = vec![("accept-language", "el".to_owned())];
    proven(&bank, &mut browser, &bought, GUEST).await;
    let terms = browser.get(&format!("{}?plan=3", bought.checkout)).await;
    send_agreement(&mut browser, &terms, 3).await;
    bank.advance("P1D").await;
    assert_eq!(messages(&bank, "υπαναχωρήσετε").await.len(), 1);
    assert_eq!(messages(&bank, "without giving a reason").await.len(), 0);
}
