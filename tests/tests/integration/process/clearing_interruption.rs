//! Incoming clearing files that are interrupted between booking and recording, or that two couriers read at once: each transfer is
//! booked once.

use super::clearing_files::{World, incoming, origin, report, returned, transfers};
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
fn message(id: &str, world: &World) -> (ClearingMessage, i64) {
    let to = iban(&world.bank, ELENI, 0);
    let mut all = Vec::new();
    for number in 0..TRANSFERS {
        let ClearingMessage::CreditTransfers(mut one) = incoming(id, &format!("{id}-{number}"), &to) else {
            panic!("credit transfers")
        };
        one.transfers[0].amount = Money::new(1 << number, Currency::EUR);
        all.append(&mut one.transfers);
    }
    all[0].creditor = unissued_iban(&world.bank);
    let credited = all[1..].iter().map(|transfer| transfer.amount.minor).sum();
    let message = CreditTransfers { header: origin(id), settlement_day: Date(23_800), transfers: all };
    (ClearingMessage::CreditTransfers(message), credited)
}

async fn booked(world: &World) -> i64 {
    balance(&world.bank, &iban(&world.bank, ELENI, 0)).await.0
}

fn suspended(world: &World) -> i64 {
    world.bank.database.number("SELECT COUNT(*) FROM transfer WHERE event = 'sepa_in_unknown'")
}

/// Receives a message until it was recorded; each call before is abandoned a little later than the one before.
async fn receive_interrupted(world: &World, message: &ClearingMessage, step: Duration) -> usize {
    let raw = pacs::serialize(message).into_bytes();
    for attempt in 1.. {
        let received = world.bank.app.clearing_receive(message.clone(), &raw);
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
    let world = World::start(Database::new(engine)).await;
    let mut interruptions = 0;
    for round in 0..iterations(4) {
        let (message, credited) = message(&format!("interrupted-{round}"), &world);
        let (before, unknown) = (booked(&world).await, suspended(&world));
        let step = Duration::from_micros(150 + 370 * round as u64);
        interruptions += receive_interrupted(&world, &message, step).await;
        assert_eq!((booked(&world).await, suspended(&world)), (before + credited, unknown + 1));
        let raw = pacs::serialize(&message).into_bytes();
        let again = world.bank.app.clearing_receive(message, &raw).await;
        assert_eq!(again, Ok(MessageOutcome::Duplicate));
    }
    assert!(interruptions > 0, "no message was interrupted");
    check_ledger(&world.bank).await;
}

/// Forgets that messages were processed, as a crash between the last booking and the record would.
fn forget_records(world: &World) {
    world.bank.database.tamper("DELETE FROM clearing_message");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn message_of_every_kind_is_applied_once_when_its_record_is_lost(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let world = World::start(Database::new(engine)).await;
    let app = world.bank.app.clone();
    world.authorised().await;
    world.bank.advance("PT5S").await;
    let (_, sent) = world.take();
    let sent = transfers(&sent);
    let (credits, _) = message("credits", &world);
    let messages =
        [report("settled", sent, ReportedStatus::Settled), returned("returned", sent, 700), credits];
    for message in messages {
        let raw = pacs::serialize(&message).into_bytes();
        let first = app.clearing_receive(message.clone(), &raw).await.unwrap();
        let MessageOutcome::Applied(first) = first else { panic!("{first:?}") };
        let MessageSummary { settled, returned, credited, suspended, .. } = first;
        let parts = settled + returned + credited + suspended;
        assert!(parts > 0 && first.idle == 0 && first.mismatched == 0, "{first:?}");
        let accounts = [world.payer.clone(), iban(&world.bank, ELENI, 0)];
        let before = [balance(&world.bank, &accounts[0]).await, balance(&world.bank, &accounts[1]).await];
        forget_records(&world);
        let again = app.clearing_receive(message, &raw).await.unwrap();
        let idle = MessageSummary { idle: parts, ..MessageSummary::default() };
        assert_eq!(again, MessageOutcome::Applied(idle), "applied parts are skipped");
        let after = [balance(&world.bank, &accounts[0]).await, balance(&world.bank, &accounts[1]).await];
        assert_eq!(after, before);
    }
    check_ledger(&world.bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn file_read_by_several_couriers_is_credited_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let world = World::start(Database::new(engine)).await;
    world.courier.dead.store(true, Ordering::SeqCst);
    for round in 0..iterations(3) {
        let (message, credited) = message(&format!("shared-{round}"), &world);
        let (before, unknown) = (booked(&world).await, suspended(&world));
        let file = world.folder("incoming").join(format!("{round}.xml"));
        std::fs::write(file, pacs::serialize(&message)).unwrap();
        let mut couriers = tokio::task::JoinSet::new();
        for _ in 0..6 {
            let (app, clearing) = (world.bank.app.clone(), Clearing::new(world.folders.clone()));
            couriers.spawn(async move { trapeza_app::ClearingPort::exchange(&clearing, &app).await });
        }
        couriers.join_all().await;
        assert_eq!((booked(&world).await, suspended(&world)), (before + credited, unknown + 1));
        assert!(world.files("incoming").is_empty());
        assert_eq!(world.files("done").len(), round + 1, "archived once");
    }
    check_ledger(&world.bank).await;
}
