//! Requests about loans: the second person approves what the first one saw, and nothing else.

use super::{events, reason, verify_audit};
use crate::http::checkout::check_ledger;
use crate::http::guest_refund::{refund, sent_back};
use crate::http::loan_servicing::{bought_at_checkout, iban, set_status, stands};
use crate::http::loan_transfer::{Incoming, bought_by_guest, pay};
use crate::http::payment::OTHER_BANK_IBAN;
use rstest::rstest;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::clearing::{IncomingState, UnmatchedPolicy};
use trapeza_domain::id::StaffRequestId;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{StaffUser, TestBank};

/// Asserts that the approval of a request fails because the loan is not as it was.
async fn fails_as_changed(bank: &TestBank, person: &StaffUser, request: StaffRequestId) {
    let refused = bank.app.staff_request_approve(person.id, request).await;
    assert_eq!(reason(refused), Some(RefusalReason::StatusInvalid));
    let found = bank.app.store().read(move |tx| Ok(tx.staff_request_find(request)?)).await;
    let outcome = found.unwrap().unwrap().outcome.unwrap();
    assert!(outcome.contains("has changed"), "{outcome}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn write_off_of_a_loan_that_was_refunded_since_is_not_executed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let (basket, loan) = bought_at_checkout(&bank, 3).await;
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P46D").await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "rika@bank.example").await;
    let other = StaffUser::enrol(&bank, StaffRole::Risk, "otto@bank.example").await;
    let request = risk.request(StaffAction::LoanWriteOff, &[("loan", &loan.to_string())]).await;
    assert_eq!(refund(&bank, &basket, 1, "10").await.status, 200);
    fails_as_changed(&bank, &other, request).await;
    let (status, open, ..) = stands(&bank, loan).await;
    assert_eq!((status, open), ("overdue", 44_000));
    assert_eq!(events(&bank, "loan.written_off"), 0);
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payout_of_another_amount_than_the_requested_one_is_not_executed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let reference = loan.reference.replace(' ', "");
    let incoming = Incoming { structured: Some(&reference), ..Incoming::of(12_000) };
    // The payer's account is unknown, so the refund stays payable.
    Incoming { from: None, ..incoming }.receive(&bank).await;
    assert_eq!(refund(&bank, &loan.bought, 1, "50").await.status, 200);
    let anna = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let jonas = StaffUser::enrol(&bank, StaffRole::Operations, "jonas@bank.example").await;
    let id = loan.id.to_string();
    let to = [("loan", id.as_str()), ("iban", OTHER_BANK_IBAN), ("name", "Maria Ioannou")];
    let request = anna.request(StaffAction::RefundPayout, &to).await;
    assert_eq!(refund(&bank, &loan.bought, 2, "70").await.status, 200);
    fails_as_changed(&bank, &jonas, request).await;
    assert_eq!(sent_back(&bank, &loan).await, (Vec::new(), 12_000));
    assert_eq!(events(&bank, "loan.refund_paid_out"), 0);
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn suspended_transfer_is_not_assigned_to_a_loan_that_was_paid_since(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { unmatched: UnmatchedPolicy::Suspend, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let incoming = Incoming { unstructured: Some("my debt"), ..Incoming::of(5_000) };
    assert_eq!(incoming.receive(&bank).await.suspended, 1);
    let transfer = bank.app.incoming_list(IncomingState::Suspended, 10).await.unwrap()[0].id.to_string();
    let anna = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let jonas = StaffUser::enrol(&bank, StaffRole::Operations, "jonas@bank.example").await;
    let id = loan.id.to_string();
    let order = [("transfer", transfer.as_str()), ("loan", id.as_str())];
    let request = anna.request(StaffAction::ClearingMatch, &order).await;
    // The borrower pays most of it, so that the transfer is more than is open.
    assert_eq!(pay(&bank, 10_000, &loan.reference).await.credited, 1);
    fails_as_changed(&bank, &jonas, request).await;
    assert_eq!(stands(&bank, loan.id).await.1, 2_000);
    assert_eq!(bank.app.incoming_list(IncomingState::Suspended, 10).await.unwrap().len(), 1);
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}
