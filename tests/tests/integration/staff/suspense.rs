//! Incoming transfers that cannot be booked and wait for staff: returned by one person, assigned by two, once.

use super::{events, reason, verify_audit};
use crate::http::checkout::check_ledger;
use crate::http::guest_refund::{refund, sent_back};
use crate::http::loan_transfer::{Incoming, bought_by_guest};
use crate::http::payment::{ELENI, JONAS, OTHER_BANK_IBAN, balance, iban, lines};
use crate::http::refund::booked;
use clap::Parser;
use rstest::rstest;
use serde_json::json;
use trapeza::cli::{Cli, Command};
use trapeza::command::AdminRequest;
use trapeza_app::UseCaseError;
use trapeza_app::staff::ActionResult;
use trapeza_domain::clearing::{IncomingState, ReasonCode, UnmatchedPolicy};
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::payment::TransactionStatus;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_store::IncomingRecord;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{StaffUser, TestBank};
use uuid::Uuid;

/// A bank that suspends what it cannot book.
async fn bank(engine: Engine) -> TestBank {
    let options = TestBankOptions { unmatched: UnmatchedPolicy::Suspend, ..TestBankOptions::default() };
    TestBank::with_options(Database::new(engine), options).await
}

async fn people(bank: &TestBank) -> [StaffUser; 2] {
    [
        StaffUser::enrol(bank, StaffRole::Operations, "anna@bank.example").await,
        StaffUser::enrol(bank, StaffRole::Operations, "jonas@bank.example").await,
    ]
}

/// Receives money whose remittance information names no loan.
async fn received(bank: &TestBank, minor: i64) -> IncomingRecord {
    let incoming = Incoming { unstructured: Some("my debt"), ..Incoming::of(minor) };
    assert_eq!(incoming.receive(bank).await.suspended, 1);
    list(bank, IncomingState::Suspended).await.remove(0)
}

async fn list(bank: &TestBank, state: IncomingState) -> Vec<IncomingRecord> {
    bank.app.incoming_list(state, 10).await.unwrap()
}

fn to<'a>(transfer: &'a str, iban: &'a str) -> [(&'a str, &'a str); 2] {
    [("transfer", transfer), ("iban", iban)]
}

async fn suspense(bank: &TestBank) -> i64 {
    booked(bank, LedgerAccountKind::Suspense, Uuid::nil()).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn suspended_transfer_waits_and_is_returned_once_by_one_person(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank(engine).await;
    let [anna, _] = people(&bank).await;
    let support = StaffUser::enrol(&bank, StaffRole::Support, "sven@bank.example").await;
    let incoming = received(&bank, 5_000).await;
    assert_eq!((incoming.reason, &incoming.decision), (Some(ReasonCode::UNSPECIFIED), &None));
    bank.advance("P1D").await;
    assert_eq!((list(&bank, IncomingState::Suspended).await.len(), suspense(&bank).await), (1, 5_000));
    let id = incoming.id.to_string();
    let order = [("transfer", id.as_str()), ("reason_code", "AC04")];
    let refused = support.run(StaffAction::ClearingReturn, &order).await;
    assert_eq!(reason(refused), Some(RefusalReason::RoleMissing));
    for wrong in
        [[("transfer", id.as_str()), ("reason_code", "closed")], [("transfer", "1"), ("reason_code", "AC04")]]
    {
        let refused = anna.run(StaffAction::ClearingReturn, &wrong).await;
        assert_eq!(reason(refused), Some(RefusalReason::Malformed), "{wrong:?}");
    }
    let unknown = bank.app.entropy().uuid().to_string();
    let refused = anna.run(StaffAction::ClearingReturn, &[("transfer", &unknown)]).await;
    assert_eq!(reason(refused), Some(RefusalReason::ResourceUnknown));
    let done = anna.run(StaffAction::ClearingReturn, &order).await.unwrap();
    assert!(matches!(&done, ActionResult::Done(outcome) if outcome.text.contains("50.00 EUR")), "{done:?}");
    let again = anna.run(StaffAction::ClearingReturn, &order).await;
    assert_eq!(reason(again), Some(RefusalReason::StatusInvalid));
    bank.advance("PT5S").await;
    let returned = list(&bank, IncomingState::Returned).await;
    assert_eq!(returned[0].reason, Some(ReasonCode::ACCOUNT_CLOSED));
    assert_eq!(returned[0].decision.as_ref().unwrap().by, format!("staff:{}", anna.id));
    assert_eq!((suspense(&bank).await, events(&bank, "suspense.returned")), (0, 1));
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn suspended_transfer_is_assigned_to_an_account_once_by_two_people(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank(engine).await;
    let [anna, jonas] = people(&bank).await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "rika@bank.example").await;
    let (id, payee) = (received(&bank, 5_000).await.id.to_string(), iban(&bank, ELENI, 0));
    let other = iban(&bank, JONAS, 0);
    let before = [balance(&bank, &payee).await.0, balance(&bank, &other).await.0];
    // Eleni's third account is blocked.
    for wrong in [iban(&bank, ELENI, 2), OTHER_BANK_IBAN.to_owned(), "GR00".to_owned()] {
        let refused = anna.run(StaffAction::ClearingMatch, &to(&id, &wrong)).await;
        assert_eq!(reason(refused), Some(RefusalReason::Malformed), "{wrong}");
    }
    let both = [("transfer", id.as_str()), ("iban", &payee), ("loan", &id)];
    match anna.run(StaffAction::ClearingMatch, &both).await {
        Err(UseCaseError::Refused(refusal)) => {
            assert_eq!(refusal.reason, RefusalReason::Malformed);
            let fields: Vec<_> = refusal.errors.iter().map(|error| error.path.clone()).collect();
            assert_eq!(fields, [FieldPath::from(Field::LoanId)]);
        }
        other => panic!("not refused: {other:?}"),
    }
    let first = anna.request(StaffAction::ClearingMatch, &to(&id, &payee)).await;
    let second = jonas.request(StaffAction::ClearingMatch, &to(&id, &other)).await;
    let own = bank.app.staff_request_approve(anna.id, first).await;
    assert_eq!(reason(own), Some(RefusalReason::RoleMissing), "never the same person");
    let approvals = [first, second].map(|request| {
        let (app, risk) = (bank.app.clone(), risk.id);
        tokio::spawn(async move { app.staff_request_approve(risk, request).await })
    });
    let mut approved = 0;
    for approval in approvals {
        approved += i32::from(approval.await.unwrap().is_ok());
    }
    assert_eq!(approved, 1, "one effect");
    let assigned = list(&bank, IncomingState::Assigned).await.remove(0);
    let decision = assigned.decision.unwrap();
    assert_eq!(decision.by, format!("staff:{}", risk.id));
    assert_eq!((suspense(&bank).await, events(&bank, "suspense.assigned")), (0, 1));
    let (number, gains) =
        if decision.assigned_to == Some(payee.clone()) { (ELENI, [5_000, 0]) } else { (JONAS, [0, 5_000]) };
    let after = [balance(&bank, &payee).await.0, balance(&bank, &other).await.0];
    assert_eq!(after, [before[0] + gains[0], before[1] + gains[1]]);
    let line = lines(&bank, number).await.body["transactions"]["booked"][0].clone();
    assert_eq!(
        (&line["transactionAmount"]["Amount"], &line["debtorName"]),
        (&json!("50.00"), &json!("A Guest"))
    );
    assert_eq!(line["remittanceInformationUnstructured"], "my debt");
    let again = anna.run(StaffAction::ClearingMatch, &to(&id, &payee)).await;
    assert_eq!(reason(again), Some(RefusalReason::StatusInvalid));
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn suspended_transfer_pays_a_loan_and_the_excess_stays_suspended(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank(engine).await;
    let [anna, jonas] = people(&bank).await;
    let loan = bought_by_guest(&bank, "60", 3).await.id;
    let debt = bank.app.loan_detail(loan).await.unwrap().payoff_quote.unwrap();
    let owed = debt.principal_minor + debt.accrued_minor + debt.days_minor;
    let (id, loan_id) = (received(&bank, owed + 700).await.id.to_string(), loan.to_string());
    let order = [("transfer", id.as_str()), ("loan", loan_id.as_str())];
    let request = anna.request(StaffAction::ClearingMatch, &order).await;
    bank.app.staff_request_approve(jonas.id, request).await.unwrap();
    assert_eq!(bank.app.loan_detail(loan).await.unwrap().loan.state.name(), "repaid");
    let left = list(&bank, IncomingState::Suspended).await.remove(0);
    assert_eq!((left.suspended_amount().minor, suspense(&bank).await), (700, 700));
    let paid = anna.run(StaffAction::ClearingMatch, &order).await;
    assert_eq!(reason(paid), Some(RefusalReason::Malformed), "nothing is owed any more");
    anna.run(StaffAction::ClearingReturn, &[("transfer", &id)]).await.unwrap();
    bank.advance("PT5S").await;
    assert_eq!((list(&bank, IncomingState::Returned).await.len(), suspense(&bank).await), (1, 0));
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn suspended_transfer_that_pays_a_loan_exactly_is_over_and_refunded_to_its_payer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank(engine).await;
    let [anna, jonas] = people(&bank).await;
    let loan = bought_by_guest(&bank, "60", 3).await;
    let (id, loan_id) = (received(&bank, 6_000).await.id.to_string(), loan.id.to_string());
    let order = [("transfer", id.as_str()), ("loan", loan_id.as_str())];
    let request = anna.request(StaffAction::ClearingMatch, &order).await;
    bank.app.staff_request_approve(jonas.id, request).await.unwrap();
    assert_eq!(bank.app.loan_detail(loan.id).await.unwrap().loan.state.name(), "repaid");
    let states = [IncomingState::Suspended, IncomingState::Assigned];
    let [suspended, assigned] = [list(&bank, states[0]).await, list(&bank, states[1]).await];
    assert_eq!((suspended.len(), assigned.len(), suspense(&bank).await), (0, 1, 0));
    assert_eq!(refund(&bank, &loan.bought, 1, "60").await.status, 200);
    bank.advance("PT5S").await;
    let settled = (TransactionStatus::Acsc, 6_000, OTHER_BANK_IBAN.to_owned());
    assert_eq!(sent_back(&bank, &loan).await, (vec![settled], 0), "to the account that paid");
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

/// Output and exit code of `trapeza clearing suspense` on this bank.
fn command(bank: &TestBank, arguments: &[&str]) -> (String, i32) {
    let cli = Cli::parse_from(["trapeza", "clearing", "suspense"].iter().chain(arguments));
    let Command::Clearing(command) = cli.command else { panic!("not a clearing command") };
    let app = bank.app.clone();
    let response = std::thread::spawn(move || AdminRequest::Clearing(command).execute(&app, 7)).join();
    let response = response.unwrap();
    (response.text, response.exit)
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_list_return_and_assign_suspended_transfers() {
    let bank = bank(Engine::Sqlite).await;
    assert_eq!(command(&bank, &["list"]), ("0 transfers suspended\n".to_owned(), 0));
    let first = received(&bank, 5_000).await.id.to_string();
    let (text, _) = command(&bank, &["list"]);
    assert!(text.starts_with(&first) && text.contains("50.00 EUR  MS03  from A Guest"), "{text}");
    assert!(text.contains("\"my debt\"") && text.ends_with("1 transfers suspended\n"), "{text}");
    let (text, exit) = command(&bank, &["return", &first, "--code", "x"]);
    assert!(text.starts_with("code: must be") && exit == 1, "{text}");
    assert_eq!(command(&bank, &["return", &first]).1, 0);
    let (text, exit) = command(&bank, &["return", &first]);
    assert_eq!((text.as_str(), exit), ("transfer: must be suspended, is returning\n", 1));
    bank.advance("PT5S").await;
    let second = received(&bank, 300).await.id.to_string();
    let (payee, before) = (iban(&bank, ELENI, 0), balance(&bank, &iban(&bank, ELENI, 0)).await.0);
    assert_eq!(command(&bank, &["assign", &second, "--iban", &payee]).1, 0);
    assert_eq!(balance(&bank, &payee).await.0, before + 300);
    let (text, _) = command(&bank, &["list", "--state", "assigned"]);
    assert!(text.contains("by operator:7 at ") && text.contains(&format!("  to {payee}")), "{text}");
    assert!(command(&bank, &["list", "--state", "returned"]).0.starts_with(&first));
    check_ledger(&bank).await;
}
