//! Messages of clearing about an instant payment after its deadline, when the customer has the money back.

use super::iban;
use super::instant_payment::{AMOUNT, OTHER_BANK_IBAN, advance, authorised, number, payer, rounds, status};
use crate::http::payment::{balance, check_ledger};
use rstest::rstest;
use trapeza_app::clearing::{MessageOutcome, MessageSummary};
use trapeza_domain::clearing::{
    ClearingMessage, GroupHeader, InterbankReturn, PaymentReturns, ReasonCode, ReportedStatus, StatusReport,
    TransferStatus,
};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

/// The message and the transaction in it with which the only payment was sent.
async fn sent(bank: &TestBank) -> (String, String) {
    let read = bank.app.store().read(|tx| {
        Ok(tx.query_one("SELECT batch, id FROM clearing_transaction", &[], |row| {
            Ok((row.read::<Uuid>()?.simple().to_string(), row.read::<Uuid>()?.simple().to_string()))
        })?)
    });
    read.await.unwrap()
}

fn header(bank: &TestBank) -> GroupHeader {
    GroupHeader { id: bank.app.entropy().uuid().simple().to_string(), sent_at: bank.app.now() }
}

async fn receive(bank: &TestBank, message: ClearingMessage) -> MessageSummary {
    let id = message.header().id.clone();
    match bank.app.clearing_receive(message, id.as_bytes(), "in.xml").await.unwrap() {
        MessageOutcome::Applied(summary) => summary,
        other => panic!("{other:?}"),
    }
}

/// Receives a new report on the only payment.
async fn report(bank: &TestBank, status: ReportedStatus) -> MessageSummary {
    let (original_message_id, id) = sent(bank).await;
    let transfers =
        vec![TransferStatus { id, end_to_end_id: None, status, originator: None, original: None }];
    let report = StatusReport { header: header(bank), original_message_id, group: None, transfers };
    receive(bank, ClearingMessage::StatusReport(report)).await
}

/// A payment that clearing did not answer and that was rejected at its deadline.
async fn unanswered(bank: &TestBank) {
    let tpp = payer(bank);
    let payment = authorised(bank, &tpp, "SILENT").await;
    rounds(bank).await;
    advance(bank, 11).await;
    rounds(bank).await;
    assert_eq!(status(bank, &tpp, &payment).await["transactionStatus"], "RJCT");
}

const LATE: &str =
    "SELECT CAST(COALESCE(SUM(amount_minor), 0) AS BIGINT) FROM transfer WHERE event = 'instant_out_late'";
const ASKED: &str = "SELECT COUNT(*) FROM instant_submission WHERE next_at IS NOT NULL";

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn outcome_of_an_unanswered_payment_is_asked_for_a_minute_after_its_rejection(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let before = bank.app.now();
    unanswered(&bank).await;
    let after = bank.app.now();
    let read = bank.app.store().read(|tx| {
        let sql = "SELECT next_at, deadline_at FROM instant_submission";
        Ok(tx.query_one(sql, &[], |row| Ok((row.read::<Timestamp>()?, row.read::<Timestamp>()?)))?)
    });
    let ((next, deadline), minute) = (read.await.unwrap(), TimeDelta::minutes(1));
    assert!(next >= deadline.plus(minute) && next > before.plus(minute), "{next:?} {deadline:?}");
    assert!(next <= after.plus(minute), "{next:?} {after:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn outcome_that_clearing_does_not_say_within_a_day_is_a_problem_for_the_operator(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    unanswered(&bank).await;
    let problems = "SELECT COUNT(*) FROM clearing_problem WHERE acknowledged_at IS NULL";
    let events = "SELECT COUNT(*) FROM audit_event WHERE action = 'clearing.problem'";
    advance(&bank, 86_000).await;
    rounds(&bank).await;
    assert_eq!((number(&bank, ASKED).await, number(&bank, problems).await), (1, 0), "not a day yet");
    for _ in 0..2 {
        advance(&bank, 86_400).await;
        rounds(&bank).await;
        assert_eq!((number(&bank, ASKED).await, number(&bank, problems).await), (0, 1));
        assert_eq!(number(&bank, events).await, 1);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn late_rejection_ends_the_investigation_and_moves_no_money(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let before = balance(&bank, iban(&bank, 0)).await;
    unanswered(&bank).await;
    assert_eq!(number(&bank, ASKED).await, 1, "the outcome is asked for");
    let summary = report(&bank, ReportedStatus::Rejected(ReasonCode::ACCOUNT_CLOSED)).await;
    assert_eq!(summary, MessageSummary { idle: 1, ..MessageSummary::default() });
    assert_eq!((number(&bank, ASKED).await, balance(&bank, iban(&bank, 0)).await), (0, before));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn return_after_the_deadline_goes_through_suspense_and_not_to_the_payer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let before = balance(&bank, iban(&bank, 0)).await;
    unanswered(&bank).await;
    let (message, transfer) = sent(&bank).await;
    let amount = Money::new(AMOUNT, Currency::EUR);
    let returned = InterbankReturn {
        id: format!("RETURN-{OTHER_BANK_IBAN}"),
        message: Some(message),
        transfer,
        end_to_end_id: None,
        original_amount: Some(amount),
        amount,
        reason: ReasonCode::ACCOUNT_CLOSED,
        originator: None,
        original: None,
    };
    let again = returned.clone();
    for (returned, expected) in [
        (returned, MessageSummary { returned: 1, ..MessageSummary::default() }),
        (again, MessageSummary { idle: 1, ..MessageSummary::default() }),
    ] {
        let (header, settlement_day) = (header(&bank), bank.app.clock().today());
        let returns = PaymentReturns { header, settlement_day, returns: vec![returned] };
        assert_eq!(receive(&bank, ClearingMessage::PaymentReturns(returns)).await, expected);
    }
    let back = "SELECT CAST(COALESCE(SUM(amount_minor), 0) AS BIGINT) FROM transfer WHERE event = 'instant_out_late_returned'";
    assert_eq!((number(&bank, LATE).await, number(&bank, back).await), (AMOUNT, AMOUNT));
    assert_eq!((number(&bank, ASKED).await, balance(&bank, iban(&bank, 0)).await), (0, before));
    let events = "SELECT COUNT(*) FROM audit_event WHERE action = 'payment.returned'";
    assert_eq!(number(&bank, events).await, 1);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn late_settlement_that_is_reported_twice_is_booked_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let before = balance(&bank, iban(&bank, 0)).await;
    unanswered(&bank).await;
    assert_eq!(bank.database.events("payment.rejected").len(), 1);
    for expected in [
        MessageSummary { mismatched: 1, ..MessageSummary::default() },
        MessageSummary { idle: 1, ..MessageSummary::default() },
    ] {
        assert_eq!(report(&bank, ReportedStatus::Settled).await, expected);
        assert_eq!((number(&bank, LATE).await, number(&bank, ASKED).await), (AMOUNT, 0));
    }
    assert_eq!(bank.database.events("payment.settled_late").len(), 1);
    let open = "SELECT COUNT(*) FROM clearing_transaction WHERE answered_at IS NULL";
    assert_eq!((number(&bank, open).await, balance(&bank, iban(&bank, 0)).await), (0, before));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn rejection_of_a_settled_payment_is_a_mismatch_for_the_operator(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, before) = (payer(&bank), balance(&bank, iban(&bank, 0)).await);
    let payment = authorised(&bank, &tpp, "Anna Muster").await;
    rounds(&bank).await;
    let summary = report(&bank, ReportedStatus::Rejected(ReasonCode::ACCOUNT_CLOSED)).await;
    assert_eq!(summary, MessageSummary { mismatched: 1, ..MessageSummary::default() });
    assert_eq!(bank.database.events("clearing.mismatch").len(), 1);
    assert_eq!(status(&bank, &tpp, &payment).await["transactionStatus"], "ACSC");
    assert_eq!(balance(&bank, iban(&bank, 0)).await, (before.0 - AMOUNT, before.1));
    check_ledger(&bank).await;
}
