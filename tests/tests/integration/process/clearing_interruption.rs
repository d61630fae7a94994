//! Incoming clearing files that are interrupted between booking and recording, or that six couriers read at once: each transfer is
//! booked once. Of two messages with one id that are read at once, one is booked.

use super::clearing_files::{Setup, incoming, origin, report, returned, transfers};
use crate::http::payment::{ELENI, balance, check_ledger, iban, unissued_iban};
use rstest::rstest;
use std::sync::atomic::Ordering;
use std::time::Duration;
use trapeza_app::clearing::{MessageOutcome, MessageSummary};
use trapeza_courier::Clearing;
use trapeza_courier::clearing::pacs;
use trapeza_domain::clearing::{ClearingMessage, CreditTransfers, ReportedStatus};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::iterations;

/// Transfers of one message: their amounts differ, so that a wrong sum shows which were booked twice.
const TRANSFERS: usize = 12;

/// A message with transfers to one account, one of an unknown account.
fn message(id: &str, setup: &Setup) -> (ClearingMessage, i64) {
    let to = iban(&setup.bank, ELENI, 0);
    let mut all = Vec::new();
    for number in 0..TRANSFERS {
        let ClearingMessage::CreditTransfers(mut one) = incoming(id, &format!("{id}-{number}"), &to) else {
            panic!("credit transfers")
        };
        one.transfers[0].amount = Money::new(1 << number, Currency::EUR);
        all.append(&mut one.transfers);
    }
    all[0].creditor = unissued_iban(&setup.bank);
    let credited = all[1..].iter().map(|transfer| transfer.amount.minor).sum();
    let message = CreditTransfers { header: origin(id), settlement_day: Date(23_800), transfers: all };
    (ClearingMessage::CreditTransfers(message), credited)
}

async fn booked(setup: &Setup) -> i64 {
    balance(&setup.bank, &iban(&setup.bank, ELENI, 0)).await.0
}

fn suspended(setup: &Setup) -> i64 {
    setup.bank.database.number("SELECT COUNT(*) FROM transfer WHERE event = 'sepa_in_unknown'")
}

/// Receives a message until it was recorded; each call before is abandoned a little later than the one before.
async fn receive_interrupted(setup: &Setup, message: &ClearingMessage, step: Duration) -> usize {
    let raw = pacs::serialize(message).into_bytes();
    for attempt in 1.. {
        let received = setup.bank.app.clearing_receive(message.clone(), &raw, "in.xml");
        if let Ok(outcome) = tokio::time::timeout(step * attempt, received).await {
            // The job of an abandoned call may have recorded it.
            assert!(
                matches!(outcome, Ok(MessageOutcome::Applied(_) | MessageOutcome::Duplicate)),
                "{outcome:?}"
            );
            return attempt as usize - 1;
        }
    }
    unreachable!()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn interrupted_message_is_credited_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let setup = Setup::start(Database::new(engine)).await;
    let mut interruptions = 0;
    for round in 0..iterations(4) {
        let (message, credited) = message(&format!("interrupted-{round}"), &setup);
        let (before, unknown) = (booked(&setup).await, suspended(&setup));
        let step = Duration::from_micros(150 + 370 * round as u64);
        interruptions += receive_interrupted(&setup, &message, step).await;
        assert_eq!((booked(&setup).await, suspended(&setup)), (before + credited, unknown + 1));
        let raw = pacs::serialize(&message).into_bytes();
        let again = setup.bank.app.clearing_receive(message, &raw, "in.xml").await;
        assert_eq!(again, Ok(MessageOutcome::Duplicate));
    }
    assert!(interruptions > 0, "no message was interrupted");
    check_ledger(&setup.bank).await;
}

/// Removes the time at which messages were processed, as a crash between the last booking and the record would.
fn unset_processed(setup: &Setup) {
    setup.bank.database.tamper("UPDATE clearing_message SET processed_at = NULL");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn message_of_every_kind_is_applied_once_when_its_record_is_lost(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::start(Database::new(engine)).await;
    let app = setup.bank.app.clone();
    setup.authorised().await;
    setup.bank.advance("PT5S").await;
    let (_, sent) = setup.take();
    let sent = transfers(&sent);
    let (credits, _) = message("credits", &setup);
    let messages =
        [report("settled", sent, ReportedStatus::Settled), returned("returned", sent, 700), credits];
    for message in messages {
        let raw = pacs::serialize(&message).into_bytes();
        let first = app.clearing_receive(message.clone(), &raw, "in.xml").await.unwrap();
        let MessageOutcome::Applied(first) = first else { panic!("{first:?}") };
        let MessageSummary { settled, returned, credited, suspended, .. } = first;
        let parts = settled + returned + credited + suspended;
        assert!(parts > 0 && first.idle == 0 && first.mismatched == 0, "{first:?}");
        let accounts = [setup.payer.clone(), iban(&setup.bank, ELENI, 0)];
        let before = [balance(&setup.bank, &accounts[0]).await, balance(&setup.bank, &accounts[1]).await];
        unset_processed(&setup);
        let again = app.clearing_receive(message, &raw, "in.xml").await.unwrap();
        let idle = MessageSummary { idle: parts, ..MessageSummary::default() };
        assert_eq!(again, MessageOutcome::Applied(idle), "applied parts are skipped");
        let after = [balance(&setup.bank, &accounts[0]).await, balance(&setup.bank, &accounts[1]).await];
        assert_eq!(after, before);
    }
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn file_read_by_several_couriers_is_credited_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::start(Database::new(engine)).await;
    setup.courier.dead.store(true, Ordering::SeqCst);
    for round in 0..iterations(3) {
        let (message, credited) = message(&format!("shared-{round}"), &setup);
        let (before, unknown) = (booked(&setup).await, suspended(&setup));
        let file = setup.folder("incoming").join(format!("{round}.xml"));
        std::fs::write(file, pacs::serialize(&message)).unwrap();
        let mut couriers = tokio::task::JoinSet::new();
        for _ in 0..6 {
            let (app, clearing) = (setup.bank.app.clone(), Clearing::new(setup.folders.clone()));
            couriers.spawn(async move { trapeza_app::ClearingPort::exchange(&clearing, &app).await });
        }
        couriers.join_all().await;
        assert_eq!((booked(&setup).await, suspended(&setup)), (before + credited, unknown + 1));
        assert!(setup.files("incoming").is_empty());
        assert_eq!(setup.files("done").len(), round + 1, "archived once");
    }
    check_ledger(&setup.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn of_two_messages_with_one_id_at_once_one_is_applied(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::start(Database::new(engine)).await;
    for round in 0..iterations(4) {
        let (first, _) = message(&format!("reused-{round}"), &setup);
        let ClearingMessage::CreditTransfers(mut second) = first.clone() else { panic!("credit transfers") };
        for transfer in &mut second.transfers {
            transfer.id = format!("other-{}", transfer.id);
            transfer.amount = Money::new(transfer.amount.minor << TRANSFERS, Currency::EUR);
        }
        let messages = [first, ClearingMessage::CreditTransfers(second)];
        let (before, unknown) = (booked(&setup).await, suspended(&setup));
        let mut couriers = tokio::task::JoinSet::new();
        for number in 0..4 {
            let (app, message) = (setup.bank.app.clone(), messages[number % 2].clone());
            let raw = pacs::serialize(&message).into_bytes();
            couriers.spawn(async move {
                (number % 2, app.clearing_receive(message, &raw, "in.xml").await.unwrap())
            });
        }
        let outcomes = couriers.join_all().await;
        let reused: Vec<_> =
            outcomes.iter().filter(|(_, outcome)| *outcome == MessageOutcome::IdReused).collect();
        assert_eq!(reused.len(), 2, "{outcomes:?}");
        assert_eq!(reused[0].0, reused[1].0, "{outcomes:?}");
        let ClearingMessage::CreditTransfers(applied) = &messages[1 - reused[0].0] else { panic!() };
        let credited: i64 = applied.transfers[1..].iter().map(|transfer| transfer.amount.minor).sum();
        assert_eq!((booked(&setup).await, suspended(&setup)), (before + credited, unknown + 1));
    }
    check_ledger(&setup.bank).await;
}
