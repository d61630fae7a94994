//! A process that stalls in the middle of handing a batch to clearing, past its lease, while another one hands it over: the batch goes out
//! once.

use super::clearing_cluster::{PAYEES, advance, authorised, booked, ended, sent};
use super::clearing_files::Setup;
use crate::concurrency::revocation::two_processes;
use crate::http::payment::JONAS;
use rstest::rstest;
use std::collections::{BTreeMap, HashSet};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::Duration;
use trapeza_courier::clearing::pacs;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::iterations;
use trapeza_testkit::process::{self, ServerProcess};

/// How often one of two processes is stopped.
const STALLS: usize = 4;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn file_that_is_staged_after_the_claim_has_ended_does_not_go_out(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::start(Database::new(engine)).await;
    let (app, place) = (setup.bank.app.clone(), setup.folders.spool_id());
    setup.authorised().await;
    setup.courier.dead.store(true, Ordering::SeqCst);
    setup.bank.advance("PT5S").await;
    let stalled = app.clearing_claim(place).await.unwrap().expect("it waits");
    let (text, id) = (pacs::serialize(&stalled.message), &stalled.message.header().id);
    setup.courier.dead.store(false, Ordering::SeqCst);
    setup.bank.advance("PT2M").await;
    let (published, _) = setup.take();
    assert_eq!(String::from_utf8(published).unwrap(), text, "another process has handed it over");

    // The other one ended before it recorded this, and only then the stalled one goes on.
    setup.bank.database.tamper("UPDATE clearing_batch SET status = 'staged', claimed_until = NULL");
    setup.folders.stage(stalled.claim, &format!("{id}.pacs.008.001.08.xml"), text.as_bytes()).unwrap();
    assert!(!app.clearing_mark_staged(&stalled, place).await.unwrap());
    setup.bank.advance("PT5M").await;
    assert_eq!(setup.files("outgoing"), Vec::<String>::new(), "it goes out once");
}

fn signal(program: &ServerProcess, name: &str) {
    let done = Command::new("kill").args([name, &program.process_id().to_string()]).status();
    assert!(done.expect("kill runs").success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_exchange_each_file_once_when_one_stalls_past_its_lease() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let mut programs = two_processes(&database, directory.path(), &[]).await;
    let (store, iban) =
        (database.open(), programs[0].sandbox_file["psus"][JONAS]["accounts"][0]["iban"].clone());
    let before = booked(&store, &iban).await;
    let mut paths = BTreeMap::new();
    for round in 0..iterations(STALLS) {
        for (number, (name, end)) in PAYEES.into_iter().enumerate() {
            paths.insert(authorised(&programs[(round + number) % 2], name).await, end);
        }
        let moves = programs.each_ref().map(|program| tokio::spawn(advance(program.anonymous(), "PT5S")));
        // A little later each time, so that it is stopped before, while and after it writes and reads.
        tokio::time::sleep(Duration::from_millis(round as u64 * 17 % 120)).await;
        let (stalled, other) = (&programs[round % 2], &programs[(round + 1) % 2]);
        signal(stalled, "-STOP");
        // Longer than a lease, and longer than the server keeps the transaction of a client that does not go on.
        for _ in 0..2 {
            advance(other.anonymous(), "PT2M").await;
        }
        signal(stalled, "-CONT");
        for moved in moves {
            moved.await.unwrap();
        }
    }
    ended(&programs, &paths).await;
    // Of each lot two payments of 1.00 stay away: one is rejected, and one comes back.
    let gone = 200 * i64::try_from(iterations(STALLS)).unwrap();
    assert_eq!(booked(&store, &iban).await, (before.0 - gone, before.1));
    let times = sent(&directory.path().join("one").join("clearing").join("done"));
    assert_eq!(times.len(), paths.len(), "every payment went out");
    assert_eq!(times.values().copied().collect::<HashSet<_>>(), HashSet::from([1]), "{times:?}");

    let data = programs[0].data.clone();
    programs.iter_mut().for_each(|program| assert!(program.terminate().success()));
    for command in [["ledger", "check"], ["audit", "verify"]] {
        let place = ["--data", data.to_str().unwrap(), "--database", &database.url()];
        let check = process::run(&[&command[..], &place].concat());
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
    }
}
