//! Who may end or change a loan: its own customer, with what the enrolled device has signed, and its borrower behind a code. The loan
//! of another customer is unknown, and wrong codes are counted.

use super::app_confirmation::borrowed;
use super::checkout::{JONAS, basket, check_ledger, proven, sign_in_as};
use super::forbearance::bought_by_guest_again;
use super::loan_servicing::{balance, bought, iban, set_status, stands};
use super::loan_transfer::bought_by_guest;
use super::page_forms::enrol;
use super::payment::{psu, text};
use crate::staff::{events, reason};
use rstest::rstest;
use trapeza_app::Language;
use trapeza_app::device::approval_message;
use trapeza_app::loan::{GuestLoanView, LoanEnding, LoanEndingApproval, ReviewRequest};
use trapeza_app::psu::PsuChange;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::authorisation::{LoanLinkingData, loan_digest};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{LoanId, PsuId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

/// A customer of the demo other than Jonas.
const ELENI: usize = 0;

pub(super) async fn psu_id(bank: &TestBank, number: usize) -> PsuId {
    let login = text(&psu(bank, number)["psu_id"]).to_owned();
    let found = bank.app.store().read(move |tx| Ok(tx.psu_by_login(&login)?));
    found.await.unwrap().unwrap().0.id
}

fn stated() -> ReviewRequest {
    ReviewRequest { statement: "I lost my job.".to_owned(), income: None }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_of_another_customer_cannot_be_seen_or_ended(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(LoanEnding::Repayment, LoanEnding::Withdrawal)] ending: LoanEnding,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (mut jonas, mut eleni) = (bank.browser(), bank.browser());
    let (loan, _) = borrowed(&bank, &mut jonas).await;
    let page = jonas.get(&format!("/app/loans/{loan}/{}", ending.name())).await;
    enrol(&bank, &mut eleni, ELENI).await;
    let (own, other) = (psu_id(&bank, JONAS).await, psu_id(&bank, ELENI).await);
    assert!(bank.app.customer_loan_ending(own, &loan, ending).await.is_ok());
    let shown = bank.app.customer_loan_ending(other, &loan, ending).await;
    // Her own device signs what was shown to him.
    let link = page.attribute("data-link=\"");
    let approval = LoanEndingApproval {
        shown_at: Timestamp(page.attribute("name=\"shown-at\" value=\"").parse().unwrap()),
        signature: eleni.key.sign(&format!("trapeza approval\n{loan}\n{link}\n{}", ending.name())),
    };
    let before = balance(&bank).await;
    let session = eleni.cookies["trapeza-app"].clone();
    let ended = bank.app.customer_loan_end(other, &session, &loan, ending, approval.clone()).await;
    let unknown = Some(RefusalReason::ResourceUnknown);
    assert_eq!((reason(shown), reason(ended)), (unknown, unknown));
    assert_eq!(balance(&bank).await, before, "his account is not debited");
    assert_eq!(stands(&bank, LoanId::parse(&loan).unwrap()).await.0, "active");
    // The same text, signed by his device.
    let signature = jonas.key.sign(&format!("trapeza approval\n{loan}\n{link}\n{}", ending.name()));
    let (session, approval) =
        (jonas.cookies["trapeza-app"].clone(), LoanEndingApproval { signature, ..approval });
    bank.app.customer_loan_end(own, &session, &loan, ending, approval).await.unwrap();
    assert_eq!(balance(&bank).await, before - 45_000);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_of_another_customer_cannot_be_paused_or_extended(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let id = bought(&bank, 3).await;
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P40D").await;
    let (own, other, loan) = (psu_id(&bank, JONAS).await, psu_id(&bank, ELENI).await, id.to_string());
    let extended = bank.app.customer_loan_extension(other, &loan, Language::English, stated()).await;
    let paused = bank.app.customer_loan_pause(other, &loan).await;
    let unknown = Some(RefusalReason::ResourceUnknown);
    assert_eq!((reason(extended), reason(paused)), (unknown, unknown));
    assert_eq!((events(&bank, "loan_review.requested"), events(&bank, "loan.paused")), (0, 0));
    assert_eq!(stands(&bank, id).await.0, "overdue");
    bank.app.customer_loan_pause(own, &loan).await.unwrap();
    bank.app.customer_loan_extension(own, &loan, Language::English, stated()).await.unwrap();
    assert_eq!((events(&bank, "loan_review.requested"), events(&bank, "loan.paused")), (1, 1));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn approval_of_what_was_shown_is_accepted_for_fifteen_minutes(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let (loan, _) = borrowed(&bank, &mut browser).await;
    let (id, own) = (LoanId::parse(&loan).unwrap(), psu_id(&bank, JONAS).await);
    let (session, account) = (browser.cookies["trapeza-app"].clone(), iban(&bank));
    // What was shown so long ago. The minute between is more than the test takes.
    for (minutes, expected) in [(-1, false), (15, false), (14, true)] {
        let shown_at = bank.app.now().minus(TimeDelta::minutes(minutes));
        let amount = Money::new(45_000, Currency::EUR);
        let data = LoanLinkingData { ending: "repayment", amount, account: &account, shown_at };
        let signature = browser.key.sign(&approval_message(id, &loan_digest(id, &data), "repayment"));
        let approval = LoanEndingApproval { shown_at, signature };
        let ended = bank.app.customer_loan_end(own, &session, &loan, LoanEnding::Repayment, approval).await;
        let refused = (!expected).then_some(RefusalReason::Malformed);
        assert_eq!(reason(ended), refused, "{minutes} minutes ago");
    }
    assert_eq!(stands(&bank, id).await.0, "repaid");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ending_that_is_not_possible_is_not_shown(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let (loan, own) = (bought(&bank, 3).await.to_string(), psu_id(&bank, JONAS).await);
    bank.advance("P14D").await;
    assert!(bank.app.customer_loan_ending(own, &loan, LoanEnding::Withdrawal).await.is_ok());
    bank.advance("P1D").await;
    let late = bank.app.customer_loan_ending(own, &loan, LoanEnding::Withdrawal).await;
    assert_eq!(reason(late), Some(RefusalReason::StatusInvalid));
    assert!(bank.app.customer_loan_ending(own, &loan, LoanEnding::Repayment).await.is_ok());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_codes_of_a_borrower_end_the_code_and_then_block(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let mut browser = bank.browser();
    let locked = browser.get(&format!("/loan/{}", loan.reference.replace(' ', ""))).await;
    let (wrong, right) = (
        [("step", "code"), ("code", "000000")],
        [("step", "code"), ("code", text(&bank.sandbox_file["otp"]))],
    );
    let sent = browser.send(&locked, &[("step", "send-code")]).await;
    for _ in 0..3 {
        assert_eq!(browser.send(&sent, &wrong).await.status, 401);
    }
    let fourth = browser.send(&sent, &right).await.status;
    let attempts = bank.database.column("SELECT challenge_attempts FROM guest_session");
    // Two more, with another code, are five.
    bank.advance("PT31S").await;
    assert_eq!(browser.send(&sent, &[("step", "send-code")]).await.status, 200);
    for _ in 0..2 {
        assert_eq!(browser.send(&sent, &wrong).await.status, 401);
    }
    let blocked = browser.send(&sent, &right).await.status;
    let failures = bank.database.column("SELECT failures FROM sca_counter WHERE channel LIKE 'loan:%'");
    assert_eq!(
        ((fourth, attempts), (blocked, failures)),
        ((401, vec!["3".to_owned()]), (401, vec!["5".to_owned()])),
        "three wrong answers to one code, and five to all"
    );
    bank.advance("PT16M").await;
    let sent = browser.send(&locked, &[("step", "send-code")]).await;
    assert_eq!(browser.send(&sent, &right).await.status, 200, "the block is over");
}

/// The reference of a loan, as the borrower has it.
async fn reference(bank: &TestBank, loan: LoanId) -> String {
    bank.app.loan_detail(loan).await.unwrap().loan.creditor_reference().printed()
}

fn otp(bank: &TestBank) -> Secret<String> {
    Secret::new(text(&bank.sandbox_file["otp"]).to_owned())
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_with_a_linked_account_is_not_on_the_page_of_guests(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let loan = bought(&bank, 3).await;
    let (reference, session) = (reference(&bank, loan).await, bank.app.session_token_new());
    let viewed = bank.app.guest_loan_view(&reference, &session).await;
    let sent = bank.app.guest_loan_send_code(&reference, &session, Language::English).await;
    let unknown = Some(RefusalReason::ResourceUnknown);
    assert_eq!((reason(viewed), reason(sent)), (unknown, unknown));
    assert_eq!(events(&bank, "loan.otp_sent"), 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_changes_a_loan_only_after_the_code_was_entered(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    bank.advance("P40D").await;
    assert_eq!(stands(&bank, loan.id).await.0, "overdue");
    let (reference, session) = (&loan.reference, bank.app.session_token_new());
    bank.app.guest_loan_send_code(reference, &session, Language::English).await.unwrap();
    let withdrawn = bank.app.guest_loan_withdraw(reference, &session).await;
    let paused = bank.app.guest_loan_pause(reference, &session).await;
    let extended = bank.app.guest_loan_extension(reference, &session, Language::English, stated()).await;
    let refused = Some(RefusalReason::CredentialsInvalid);
    assert_eq!((reason(withdrawn), reason(paused), reason(extended)), (refused, refused, refused));
    assert_eq!((events(&bank, "loan_review.requested"), events(&bank, "loan.paused")), (0, 0));
    bank.app.guest_loan_verify_code(reference, &session, otp(&bank)).await.unwrap();
    bank.app.guest_loan_pause(reference, &session).await.unwrap();
    assert_eq!(events(&bank, "loan.paused"), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn code_of_one_loan_opens_no_other_loan_of_the_borrower(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (first, second) = (bought_by_guest(&bank, "120", 3).await, bought_by_guest_again(&bank).await);
    let (other, session) = (reference(&bank, second).await, bank.app.session_token_new());
    bank.app.guest_loan_send_code(&first.reference, &session, Language::English).await.unwrap();
    bank.app.guest_loan_verify_code(&first.reference, &session, otp(&bank)).await.unwrap();
    let opened = bank.app.guest_loan_view(&first.reference, &session).await.unwrap();
    assert!(matches!(opened, GuestLoanView::Verified(_)), "{opened:?}");
    let locked = bank.app.guest_loan_view(&other, &session).await.unwrap();
    assert!(matches!(locked, GuestLoanView::Locked { .. }), "{locked:?}");
    let withdrawn = bank.app.guest_loan_withdraw(&other, &session).await;
    assert_eq!(reason(withdrawn), Some(RefusalReason::CredentialsInvalid));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_of_another_customer_with_the_same_telephone_number_is_unknown(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let loan = bought(&bank, 3).await.to_string();
    let (eleni, number) = (psu(&bank, ELENI), text(&psu(&bank, JONAS)["phone"]));
    let (login, password) = (text(&eleni["psu_id"]), text(&eleni["password"]));
    let change = PsuChange { phone: Some(Phone::parse(number).unwrap()), ..PsuChange::default() };
    bank.app.psu_update(login, change).await.unwrap();
    let (other, mut browser) = (basket(&bank, 2, "60").await, bank.browser());
    proven(&bank, &mut browser, &other, number).await;
    assert_eq!(sign_in_as(&mut browser, &other, login, password).await.status, 200);
    let (own, other) = (psu_id(&bank, JONAS).await, psu_id(&bank, ELENI).await);
    assert_eq!(bank.app.customer_loan_list(own).await.unwrap().len(), 1);
    assert!(bank.app.customer_loan_list(other).await.unwrap().is_empty());
    let shown = bank.app.customer_loan_ending(other, &loan, LoanEnding::Repayment).await;
    assert_eq!(reason(shown), Some(RefusalReason::ResourceUnknown), "his account would be debited");
}
