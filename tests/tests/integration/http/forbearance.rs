//! Borrowers who cannot pay as agreed: the offer, a pause, a longer plan that a person decides, and nothing collected meanwhile.
//! And the reminder of the right of withdrawal.

use crate::http::checkout::{JONAS, check_ledger};
use crate::http::loan_servicing::{balance, bought, bought_at_checkout, iban, set_status, stands};
use crate::http::loan_transfer::{bought_by_guest, pay};
use crate::http::page_forms::enrol;
use crate::http::payment::text;
use crate::staff::{events, reason, verify_audit};
use rstest::rstest;
use trapeza_app::work_list::WorkListKind;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::id::LoanId;
use trapeza_domain::loan::InstallmentState;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Browser, Page, StaffUser, TestBank};

/// The texts of the messages that contain a word, newest first.
pub(super) async fn messages(bank: &TestBank, word: &str) -> Vec<String> {
    let sent = bank.anonymous().get("/sandbox/messages").await.body["messages"].clone();
    let texts = sent.as_array().unwrap().iter().map(|message| text(&message["text"]).to_owned());
    texts.filter(|text| text.contains(word)).collect()
}

async fn open_minor(bank: &TestBank, id: LoanId) -> Vec<i64> {
    let installments = bank.app.loan_detail(id).await.unwrap().installments;
    installments.iter().filter(|one| one.settled.is_none()).map(InstallmentState::open_minor).collect()
}

/// Asks for a longer plan on the page of the loan, and returns the id of the review.
async fn ask(bank: &TestBank, browser: &mut Browser, form: &Page, risk: &StaffUser) -> String {
    let fields =
        [("step", "extension"), ("statement", "I lost my job."), ("income", "800"), ("expenses", "700")];
    let page = browser.send(form, &fields).await;
    assert!(page.says("Nothing is collected until we have answered"), "{page:?}");
    let list = bank.app.work_list(risk.id, WorkListKind::LoanReviews, 10).await.unwrap();
    assert_eq!(list.rows[0].cells[3], "longer plan");
    list.rows[0].actions[0].parameters[0].1.clone()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn borrower_is_reminded_of_the_right_of_withdrawal_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bought_by_guest(&bank, "120", 3).await;
    let other = bought_by_guest_again(&bank).await;
    assert_eq!(messages(&bank, "without giving a reason").await, [""; 0]);
    // One of the two has withdrawn before.
    bank.app.loan_withdraw(other).await.unwrap();
    bank.advance("P1D").await;
    let reminders = messages(&bank, "without giving a reason").await;
    assert_eq!(reminders.len(), 1, "{reminders:?}");
    assert!(reminders[0].contains("€120.00 for Papyrus Books until 29 March 2035"), "{reminders:?}");
    bank.advance("P5D").await;
    assert_eq!(messages(&bank, "without giving a reason").await.len(), 1);
    assert_eq!(events(&bank, "loan.withdrawal_reminded"), 1);
}

/// Another purchase with the same telephone number.
pub(super) async fn bought_by_guest_again(bank: &TestBank) -> LoanId {
    use crate::http::checkout::{agree, basket, proven};
    let (bought, mut browser) = (basket(bank, 2, "60").await, bank.browser());
    proven(bank, &mut browser, &bought, crate::http::loan_transfer::GUEST).await;
    assert_eq!(agree(&mut browser, &bought, 3).await.title(), "Bought");
    let loan = bank.merchant(0).get(&format!("/loans/bnpl?basketId={}", bought.public)).await;
    LoanId::parse(loan.text("/data/payLaterInformation/bnplRequestId")).unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_in_arrears_pauses_the_loan_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let (basket, id) = bought_at_checkout(&bank, 3).await;
    let agreed = bank.merchant(0).get(&format!("/basket/id?basketId={}", basket.public)).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, JONAS).await;
    let page = browser.get(&format!("/app/loans/{id}")).await;
    assert!(!page.says("/pause"), "nothing is late: {page:?}");
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P40D").await;
    assert_eq!(stands(&bank, id).await.0, "overdue");
    let offers = messages(&bank, "is overdue").await;
    assert_eq!(offers.len(), 1, "{offers:?}");
    assert_eq!(bank.database.events("loan.forbearance_offered"), [format!("loan:{id} by bank")]);
    assert!(offers[0].contains("€150.00") && offers[0].contains("pause it for a month"), "{offers:?}");
    assert!(offers[0].contains("213 212 5730"), "where to get advice: {offers:?}");
    set_status(&bank, AccountStatus::Enabled).await;

    let mut browser = bank.browser();
    enrol(&bank, &mut browser, JONAS).await;
    let page = browser.get(&format!("/app/loans/{id}")).await;
    assert!(page.says(&format!("/app/loans/{id}/pause")) && page.says("213 212 5730"), "{page:?}");
    let question = browser.get(&format!("/app/loans/{id}/pause")).await;
    assert_eq!(question.title(), "Pause your installments?");
    let paused = browser.send(&question, &[("step", "pause")]).await;
    assert!(paused.says("The installments are paused.") && paused.says("You paused"), "{paused:?}");
    assert_eq!(stands(&bank, id).await, ("active", 45_000, 0, vec![0; 3]));
    // A second click has no effect.
    browser.send(&question, &[("step", "pause")]).await;
    assert_eq!(events(&bank, "loan.paused"), 1);
    let due: Vec<String> = bank
        .app
        .loan_detail(id)
        .await
        .unwrap()
        .installments
        .iter()
        .map(|one| one.installment.due.to_civil().to_string())
        .collect();
    assert_eq!(due, ["2035-05-24", "2035-06-24", "2035-07-24"]);
    let now = bank.merchant(0).get(&format!("/basket/id?basketId={}", basket.public)).await;
    assert_eq!(
        now.body["monthlyInstallments"], agreed.body["monthlyInstallments"],
        "the merchant sees the contract"
    );
    let before = balance(&bank).await;
    bank.advance("P29D").await;
    assert_eq!(before, balance(&bank).await, "nothing is collected during the pause");
    bank.advance("P62D").await;
    assert_eq!(stands(&bank, id).await.0, "repaid");
    assert_eq!(before - balance(&bank).await, 45_000);
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn forbearance_is_offered_once_for_each_time_of_arrears(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let offers = async || messages(&bank, "is overdue").await;
    bank.advance("P40D").await;
    bank.advance("P2D").await;
    assert_eq!(offers().await.len(), 1, "the next day is the same time of arrears");
    pay(&bank, 1_000, &loan.reference).await;
    bank.advance("PT1H").await;
    assert_eq!(stands(&bank, loan.id).await.0, "overdue");
    assert_eq!(offers().await.len(), 1, "a part of what is late does not end the arrears");
    pay(&bank, 3_000, &loan.reference).await;
    assert_eq!(stands(&bank, loan.id).await.0, "active");
    bank.advance("P1D").await;
    assert_eq!(offers().await.len(), 1);
    bank.advance("P30D").await;
    assert_eq!(stands(&bank, loan.id).await.0, "overdue");
    let again = offers().await;
    assert_eq!(again.len(), 2, "{again:?}");
    assert!(again[0].contains("€40.00"), "{again:?}");
    assert_eq!(events(&bank, "loan.forbearance_offered"), 2);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_collected_while_a_person_decides_about_a_longer_plan(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 12).await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "rita@bank.example").await;
    let (before, owed) = (balance(&bank).await, open_minor(&bank, id).await.iter().sum::<i64>());
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, JONAS).await;
    let form = browser.get(&format!("/app/loans/{id}/extension")).await;
    let review = ask(&bank, &mut browser, &form, &risk).await;
    for span in ["P1D", "P1D", "P60D"] {
        bank.advance(span).await;
    }
    assert_eq!(messages(&bank, "without giving a reason").await.len(), 1, "one reminder");
    assert_eq!(balance(&bank).await, before, "nothing is collected");
    assert_eq!(stands(&bank, id).await, ("active", 45_000, 0, vec![0; 12]), "nor does it become overdue");
    let explained = [("review", review.as_str()), ("explanation", "We agree.")];
    risk.run(StaffAction::LoanReviewGrant, &explained).await.unwrap();
    let open = open_minor(&bank, id).await;
    assert_eq!((open.len(), open.iter().sum::<i64>()), (24, owed), "as much as before, twice as long");
    assert_eq!(bank.database.events("loan.extended"), [format!("loan:{id} by staff:{}", risk.id)]);
    assert!(messages(&bank, "has a longer plan").await[0].ends_with("We agree."));
    check_ledger(&bank).await;
    bank.advance("P2Y").await;
    bank.advance("P62D").await;
    assert_eq!(stands(&bank, id).await.0, "repaid");
    assert_eq!(before - balance(&bank).await, owed);
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_asks_for_a_longer_plan_and_collection_goes_on_after_a_rejection(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "rita@bank.example").await;
    let mut browser = bank.browser();
    let page = browser.get(&format!("/loan/{}", loan.reference.replace(' ', ""))).await;
    // Without the code the form has no effect.
    let refused = browser.send(&page, &[("step", "extension"), ("statement", "Please.")]).await;
    assert!(!refused.says("longer plan"), "{refused:?}");
    let sent = browser.send(&page, &[("step", "send-code")]).await;
    let shown = browser.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
    assert!(shown.says("?extension=1") && !shown.says("?pause=1"), "{shown:?}");
    let form = browser.get(&format!("/loan/{}?extension=1", loan.reference.replace(' ', ""))).await;
    assert_eq!(form.title(), "Ask for a longer plan");
    let wrong = browser.send(&form, &[("step", "extension"), ("statement", "")]).await;
    assert_eq!((wrong.status, wrong.says("id=\"statement-error\"")), (400, true), "{wrong:?}");
    let review = ask(&bank, &mut browser, &form, &risk).await;
    bank.advance("P40D").await;
    pay(&bank, 1_000, &loan.reference).await;
    assert_eq!(stands(&bank, loan.id).await.0, "active", "a person decides, and a payment changes nothing");
    assert_eq!(messages(&bank, "is overdue").await.len(), 0, "nor is anything else offered meanwhile");
    assert!(reason(bank.app.loan_write_off(loan.id).await).is_some());
    let explained = [("review", review.as_str()), ("explanation", "Your income is enough.")];
    risk.run(StaffAction::LoanReviewReject, &explained).await.unwrap();
    assert_eq!(
        reason(risk.run(StaffAction::LoanReviewGrant, &explained).await),
        Some(RefusalReason::StatusInvalid)
    );
    bank.advance("PT1H").await;
    assert_eq!(stands(&bank, loan.id).await.0, "overdue");
    assert_eq!(messages(&bank, "is overdue").await.len(), 1);
    // The guest pauses, and pays by transfer.
    let mut browser = bank.browser();
    let path = format!("/loan/{}", loan.reference.replace(' ', ""));
    let page = browser.get(&path).await;
    let sent = browser.send(&page, &[("step", "send-code")]).await;
    let shown = browser.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
    assert!(shown.says("Your income is enough.") && shown.says("?pause=1"), "{shown:?}");
    let question = browser.get(&format!("{path}?pause=1")).await;
    let paused = browser.send(&question, &[("step", "pause")]).await;
    assert!(paused.says("You paused the installments"), "{paused:?}");
    assert_eq!(stands(&bank, loan.id).await.0, "active");
    pay(&bank, 11_000, &loan.reference).await;
    assert_eq!(stands(&bank, loan.id).await.0, "repaid");
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_is_not_written_off_while_a_person_decides_about_a_longer_plan(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 3).await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "rita@bank.example").await;
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P40D").await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, JONAS).await;
    let form = browser.get(&format!("/app/loans/{id}/extension")).await;
    let review = ask(&bank, &mut browser, &form, &risk).await;
    assert_eq!(stands(&bank, id).await.0, "overdue");
    let (loan, refused) = (id.to_string(), Some(RefusalReason::StatusInvalid));
    let requested = risk.run(StaffAction::LoanWriteOff, &[("loan", &loan)]).await;
    let written_off = bank.app.loan_write_off(id).await;
    assert_eq!((reason(requested), reason(written_off)), (refused, refused));
    // The decision adds its event, and the loan can be given up again.
    let explained = [("review", review.as_str()), ("explanation", "Your income is enough.")];
    risk.run(StaffAction::LoanReviewReject, &explained).await.unwrap();
    assert_eq!(
        bank.database.events("loan_review.rejected"),
        [format!("loan_review:{review} by staff:{}", risk.id)]
    );
    risk.request(StaffAction::LoanWriteOff, &[("loan", &loan)]).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn pause_is_not_offered_again_after_a_pause(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    bank.advance("P40D").await;
    let mut browser = bank.browser();
    let page = browser.get(&format!("/loan/{}", loan.reference.replace(' ', ""))).await;
    let sent = browser.send(&page, &[("step", "send-code")]).await;
    let shown = browser.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await;
    assert!(shown.says("?pause=1"), "{shown:?}");
    let question = browser.get(&format!("/loan/{}?pause=1", loan.reference.replace(' ', ""))).await;
    browser.send(&question, &[("step", "pause")]).await;
    assert_eq!((events(&bank, "loan.paused"), stands(&bank, loan.id).await.0), (1, "active"));
    bank.advance("P70D").await;
    assert_eq!(stands(&bank, loan.id).await.0, "overdue");
    let offers = messages(&bank, "is overdue").await;
    let has_pause: Vec<bool> = offers.iter().map(|text| text.contains("pause it for a month")).collect();
    assert_eq!(has_pause, [false, true], "newest first: {offers:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn longer_plan_is_asked_for_once_and_not_for_a_loan_that_is_repaid(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "rita@bank.example").await;
    let id = bought(&bank, 12).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, JONAS).await;
    let (loan, form) = (format!("/app/loans/{id}"), format!("/app/loans/{id}/extension"));
    let page = browser.get(&loan).await;
    assert!(page.says(&form) && page.says("/withdrawal"), "{page:?}");
    let question = browser.get(&form).await;
    ask(&bank, &mut browser, &question, &risk).await;
    assert!(!browser.get(&loan).await.says(&form));
    bank.app.loan_repay(id).await.unwrap();
    let page = browser.get(&loan).await;
    assert!(!page.says("/withdrawal"), "within the fourteen days, but it has ended: {page:?}");

    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 12).await;
    bank.app.loan_repay(id).await.unwrap();
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, JONAS).await;
    let page = browser.get(&format!("/app/loans/{id}")).await;
    assert!(!page.says("/extension"), "nothing is left to extend: {page:?}");
    let form = browser.get(&format!("/app/loans/{id}/extension")).await;
    assert_eq!(form.status, 303, "nor is there a form: {form:?}");
}
