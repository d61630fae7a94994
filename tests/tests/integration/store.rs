//! The store's promises, one test each, the same on both engines. Each fails when its rule is taken out.

use rstest::rstest;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{
    AuditRow, IdempotencyKey, IdempotencyRecord, Store, StoreError, Tx, UseCaseError, params,
};
use trapeza_testkit::database::{AUDIT_KEY, Database, Engine};

fn note(tx: &mut Tx<'_>, object: &str) -> Result<(), StoreError> {
    tx.audit_append(&AuditRow { at: Timestamp(1), actor: "test", action: "noted", object, detail: "" })
}

async fn notes(store: &Store) -> Vec<String> {
    let read =
        store.read(|tx| Ok(tx.query("SELECT object FROM audit ORDER BY object", &[], |row| row.text(0))?));
    read.await.unwrap()
}

fn refusal() -> Refusal {
    Refusal::new(RefusalReason::StatusInvalid, "no")
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ok_commits_and_a_refusal_rolls_back(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    store.write(|tx| Ok(note(tx, "kept")?)).await.unwrap();
    let refused = store
        .write(|tx| {
            note(tx, "dropped")?;
            Err::<(), _>(refusal().into())
        })
        .await;
    assert_eq!(refused, Err(UseCaseError::Refused(refusal())));
    assert_eq!(notes(&store).await, ["kept"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_inside_ok_keeps_its_mark(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let counted = store
        .write(|tx| {
            note(tx, "wrong code")?;
            Ok(Err::<(), _>(refusal()))
        })
        .await;
    assert_eq!(counted, Ok(Err(refusal())));
    assert_eq!(notes(&store).await, ["wrong code"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn one_bad_job_of_a_batch_spoils_no_other(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let mut jobs = tokio::task::JoinSet::new();
    for number in 0..200 {
        let store = store.clone();
        jobs.spawn(async move {
            store
                .write(move |tx| {
                    note(tx, &format!("{number:03}"))?;
                    match number % 7 {
                        3 => Err(refusal().into()),
                        5 => panic!("a bug in a use case"),
                        6 => Err(tx.execute("SELECT nonsense FROM nowhere", &[]).unwrap_err().into()),
                        _ => Ok(number),
                    }
                })
                .await
        });
    }
    let mut kept = Vec::new();
    while let Some(result) = jobs.join_next().await {
        match result.unwrap() {
            Ok(number) => kept.push(format!("{number:03}")),
            Err(UseCaseError::Refused(_) | UseCaseError::Failed(StoreError::Internal(_))) => {}
            Err(other) => panic!("{other}"),
        }
    }
    kept.sort();
    assert_eq!(kept.len(), 200 - 3 * 28 - 1, "every good job answered");
    assert_eq!(notes(&store).await, kept);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_swallowed_store_error_still_rolls_back(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let result = store
        .write(|tx| {
            note(tx, "half")?;
            let _ = tx.execute("INSERT INTO nowhere VALUES ($1)", params![1_i64]);
            Ok(())
        })
        .await;
    assert!(matches!(result, Err(UseCaseError::Failed(StoreError::Internal(_)))), "{result:?}");
    assert!(notes(&store).await.is_empty());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_statement_left_for_later_is_seen_by_the_next_and_undoes_all_when_it_fails(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    const MARK: &str = "INSERT INTO secret_mark (one, mark) VALUES (1, $1)";
    let seen = store
        .write(|tx| {
            note(tx, "kept")?;
            tx.execute_later(MARK, params![&[1_u8]])?;
            Ok(tx.query("SELECT mark FROM secret_mark", &[], |row| row.bytes(0))?)
        })
        .await;
    assert_eq!(seen, Ok(vec![vec![1]]));
    // The last of a transaction goes with its commit, which must not be taken for kept.
    let doubled = store
        .write(|tx| {
            note(tx, "dropped")?;
            Ok(tx.execute_later(MARK, params![&[2_u8]])?)
        })
        .await;
    assert!(matches!(doubled, Err(UseCaseError::Failed(StoreError::Internal(_)))), "{doubled:?}");
    store.write(|tx| Ok(note(tx, "next")?)).await.unwrap();
    assert_eq!(notes(&store).await, ["kept", "next"]);
    let report = store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_read_cannot_write(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let result = store.read(|tx| Ok(tx.execute("DELETE FROM audit", &[])?)).await;
    assert!(matches!(result, Err(UseCaseError::Failed(_))), "{result:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn parameters_go_by_number_not_by_place(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let row = store
        .read(|tx| {
            Ok(tx.query_one(
                "SELECT CAST($2 AS TEXT), CAST($1 AS TEXT)",
                params!["first", "second"],
                |row| Ok((row.text(0)?, row.text(1)?)),
            )?)
        })
        .await
        .unwrap();
    assert_eq!(row, ("second".to_owned(), "first".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_statement_sent_ahead_tells_afterwards_what_it_changed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let application = ApplicationId::new(uuid::Uuid::from_u128(1));
    let key = move |number| IdempotencyKey::new(application, "POST /v1/consents", [number; 16]);
    // Twice: what an earlier transaction was told is not this one's.
    for round in [1, 3] {
        let told = store.write(move |tx| {
            let first = tx.idempotency_reserve(&key(round), &[4; 32], ("first", b"a"), Timestamp(1))?;
            let second = tx.idempotency_reserve(&key(round), &[5; 32], ("second", b"b"), Timestamp(2))?;
            let seen = tx.idempotency_find(&key(round))?.map(|record| record.outcome);
            let third = tx.idempotency_reserve(&key(round + 1), &[6; 32], ("third", b"c"), Timestamp(3))?;
            Ok((tx.changed(first)?, tx.changed(second)?, seen, tx.changed(third)?))
        });
        assert_eq!(told.await.unwrap(), (1, 0, Some("first".to_owned()), 1));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn four_kinds_go_in_and_come_out(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let application = ApplicationId::new(uuid::Uuid::from_u128(9));
    let key = IdempotencyKey::new(application, "POST /x", [3; 16]);
    let record =
        IdempotencyRecord { fingerprint: [4; 32], outcome: "Ü \u{1F600}".into(), object: vec![0, 255] };
    let (saved, kept) = (record.clone(), key.clone());
    store
        .write(move |tx| {
            Ok(tx.idempotency_insert(
                &kept,
                &saved.fingerprint,
                (&saved.outcome, &saved.object),
                Timestamp(i64::MAX),
            )?)
        })
        .await
        .unwrap();
    let found = store.read(move |tx| Ok(tx.idempotency_find(&key)?)).await.unwrap();
    assert_eq!(found, Some(record));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_call_from_before_calls_were_hashed_is_known(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    database.grow_to("0019_serial");
    let application = ApplicationId::new(uuid::Uuid::from_u128(9));
    for (request, object) in [([3; 16], b"third"), ([4; 16], b"forth")] {
        let [application, request, print, object] =
            [application.as_bytes().as_slice(), &request, &[7; 32], object]
                .map(|bytes| database.literal(bytes));
        database.tamper(&format!(
            "INSERT INTO replay (application, operation, request, fingerprint, outcome, object, at)
             VALUES ({application}, 'POST /x', {request}, {print}, 'made', {object}, 1)"
        ));
    }
    let store = database.open();
    let told = store.write(move |tx| {
        let key = IdempotencyKey::new(application, "POST /x", [4; 16]);
        let claim = tx.idempotency_reserve(&key, &[7; 32], ("again", b"new"), Timestamp(2))?;
        Ok((tx.idempotency_find(&key)?.map(|record| record.object), tx.changed(claim)?))
    });
    assert_eq!(told.await.unwrap(), (Some(b"forth".to_vec()), 0));
    // Another operation, another application, another id: calls of their own.
    let others = [
        IdempotencyKey::new(application, "POST /y", [3; 16]),
        IdempotencyKey::new(ApplicationId::new(uuid::Uuid::from_u128(8)), "POST /x", [3; 16]),
        IdempotencyKey::new(application, "POST /x", [5; 16]),
    ];
    for key in others {
        let claimed = store.write(move |tx| {
            let claim = tx.idempotency_reserve(&key, &[7; 32], ("first", b"new"), Timestamp(2))?;
            Ok((tx.idempotency_find(&key)?.map(|record| record.object), tx.changed(claim)?))
        });
        assert_eq!(claimed.await.unwrap(), (Some(b"new".to_vec()), 1));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_read_sees_every_write_that_was_answered(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..4 {
        let store = store.clone();
        callers.spawn(async move {
            for number in 0..50 {
                let object = format!("{caller}-{number}");
                store.write(move |tx| Ok(note(tx, &object)?)).await.unwrap();
                // Reads between, so that one could be told what another saw before.
                for _ in 0..3 {
                    let own = format!("{caller}-");
                    let seen = notes(&store).await;
                    assert_eq!(seen.iter().filter(|object| object.starts_with(&own)).count(), number + 1);
                }
            }
        });
    }
    while let Some(done) = callers.join_next().await {
        done.unwrap();
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_is_there_after_reopening(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    store.write(|tx| Ok(note(tx, "kept")?)).await.unwrap();
    store.write(|tx| Ok(tx.clock_advance(TimeDelta::days(1))?)).await.unwrap();
    store.close();
    drop(store);
    let store = database.open();
    assert_eq!(notes(&store).await, ["kept"]);
    let (ahead, _) = store.read(|tx| Ok(tx.clock_find()?)).await.unwrap();
    assert_eq!(ahead, TimeDelta::days(1));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_that_read_the_same_never_both_write(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let mut jobs = tokio::task::JoinSet::new();
    for _ in 0..60 {
        let store = store.clone();
        jobs.spawn(async move {
            let step = || {
                store.write(|tx| {
                    // Two transactions that saw the same count would leave the same number twice.
                    let count = tx.query_one("SELECT COUNT(*) FROM audit", &[], |row| row.int(0))?;
                    Ok(note(tx, &format!("{count:03}"))?)
                })
            };
            // After many clashes a caller is told "unknown" and comes again; nothing was kept.
            while let Err(stop) = step().await {
                assert!(matches!(stop, UseCaseError::Failed(StoreError::OutcomeUnknown(_))), "{stop}");
            }
        });
    }
    while let Some(result) = jobs.join_next().await {
        result.unwrap();
    }
    let expected: Vec<String> = (0..60).map(|count| format!("{count:03}")).collect();
    assert_eq!(notes(&store).await, expected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_says_busy_at_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let mut options = Database::options();
    options.queue = 4;
    options.postgres_threads = 1;
    let store = database.open_with(&options);
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let begun = Arc::new(AtomicUsize::new(0));
    let holding = {
        let (store, begun) = (store.clone(), begun.clone());
        tokio::spawn(async move {
            store
                .write(move |_| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    let _ = gate.lock().unwrap().recv();
                    Ok(())
                })
                .await
        })
    };
    while begun.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let waiting: Vec<_> = (0..4)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.write(|tx| Ok(note(tx, "waited")?)).await })
        })
        .collect();
    while store.queue_depth() < 4 {
        tokio::task::yield_now().await;
    }
    let turned_away = store.write(|tx| Ok(note(tx, "too many")?)).await;
    assert_eq!(turned_away, Err(UseCaseError::Failed(StoreError::Busy)));
    // One of the four gives up: its job has not begun, so it is skipped.
    waiting[0].abort();
    while !waiting[0].is_finished() {
        tokio::task::yield_now().await;
    }
    drop(open);
    holding.await.unwrap().unwrap();
    for job in waiting.into_iter().skip(1) {
        job.await.unwrap().unwrap();
    }
    assert_eq!(notes(&store).await, ["waited"; 3]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn audit_chains_verify_and_name_what_was_touched(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    for number in 0..20 {
        store.write(move |tx| Ok(note(tx, &format!("{number:02}"))?)).await.unwrap();
    }
    let heads = store.audit_heads();
    let verify = |heads: Vec<trapeza_store::AuditHead>| {
        let store = store.clone();
        async move { store.read(move |tx| Ok(tx.audit_verify(&AUDIT_KEY, &heads)?)).await.unwrap() }
    };
    let clean = verify(heads.clone()).await;
    assert_eq!((clean.rows, clean.findings.len()), (20, 0), "{:?}", clean.findings);
    let wrong_key = store.read(|tx| Ok(tx.audit_verify(&[8; 32], &[])?)).await.unwrap();
    assert_eq!(wrong_key.findings.len(), 20, "without the key nothing verifies");

    let longest = *heads.iter().max_by_key(|head| head.sequence).unwrap();
    let chain = longest.chain;
    database.tamper(&format!("UPDATE audit SET actor = 'nobody' WHERE chain = {chain} AND sequence = 1"));
    let changed = verify(heads.clone()).await.findings;
    assert_eq!(changed, [format!("chain {chain}: row 1 was changed, or one before it")]);
    database.tamper(&format!("DELETE FROM audit WHERE chain = {chain} AND sequence = {}", longest.sequence));
    let cut = verify(heads.clone()).await.findings;
    let missing = format!("chain {chain}: row {}, logged as its head, is not there", longest.sequence);
    assert!(cut.contains(&missing), "{cut:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn the_log_from_before_it_had_places_is_read_in_its_order(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    database.grow_to("0019_serial");
    let mac = database.literal(&[1; 32]);
    for (chain, sequence) in [(9, 1), (7, 1), (7, 2), (7, 4)] {
        database.tamper(&format!(
            "INSERT INTO audit (chain, sequence, at, actor, action, object, detail, mac)
             VALUES ({chain}, {sequence}, 1, 'test', 'noted', '', '', {mac})"
        ));
    }
    let store = database.open();
    store.write(|tx| Ok(note(tx, "new")?)).await.unwrap();
    let mut report = store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap();
    report.findings.sort();
    // Their hashes are none of the program's; the new row's is.
    let changed = |row: &str| format!("chain {row} was changed, or one before it");
    let expected = [
        changed("7: row 1"),
        changed("7: row 2"),
        changed("7: row 4"),
        "chain 7: rows 3 to 3 are missing".to_owned(),
        changed("9: row 1"),
    ];
    assert_eq!((report.chains, report.rows), (3, 5));
    assert_eq!(report.findings, expected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn an_older_program_refuses_a_newer_database(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    database.open().close();
    database.tamper("INSERT INTO migration (name, number) VALUES ('9999_future', 9999)");
    let Err(error) = database.try_open(&Database::options()) else { panic!("it opened") };
    assert!(error.to_string().contains("9999_future"), "{error}");
}

/// How many rows each of nine jobs found committed that waited behind one that held the writer for a while.
async fn committed_before_each(count: usize, batch_jobs: usize, batch_time: std::time::Duration) -> Vec<i64> {
    let database = Database::new(trapeza_testkit::database::Engine::Sqlite);
    let store =
        database.open_with(&trapeza_store::StoreOptions { batch_jobs, batch_time, ..Database::options() });
    let path = database.sqlite_path();
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let begun = Arc::new(AtomicUsize::new(0));
    let held = {
        let (store, begun) = (store.clone(), begun.clone());
        tokio::spawn(async move {
            store
                .write(move |tx| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    let _ = gate.lock().unwrap().recv();
                    Ok(note(tx, "first")?)
                })
                .await
        })
    };
    while begun.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let jobs: Vec<_> = (0..count)
        .map(|number| {
            let (store, path) = (store.clone(), path.clone());
            tokio::spawn(async move {
                store
                    .write(move |tx| {
                        // A look from outside: only what is committed is there.
                        let outside = rusqlite::Connection::open(&path).unwrap();
                        let seen: i64 =
                            outside.query_row("SELECT COUNT(*) FROM audit", [], |row| row.get(0)).unwrap();
                        note(tx, &number.to_string())?;
                        Ok(seen)
                    })
                    .await
                    .unwrap()
            })
        })
        .collect();
    while store.queue_depth() < count {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    drop(open);
    held.await.unwrap().unwrap();
    let mut seen = Vec::new();
    for job in jobs {
        seen.push(job.await.unwrap());
    }
    seen.sort_unstable();
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_ends_by_its_size_and_by_its_time() {
    let long = std::time::Duration::from_secs(10);
    assert_eq!(committed_before_each(9, 256, long).await, [0; 9], "all of them share one commit");
    assert_eq!(committed_before_each(9, 5, long).await, [0, 0, 0, 0, 5, 5, 5, 5, 5], "five to a commit");
    let mut expected = [0; 20];
    expected[15..].fill(16);
    assert_eq!(committed_before_each(20, 256, long).await, expected, "an idle disk gets the first sixteen");
    let short = std::time::Duration::from_millis(5);
    assert!(
        committed_before_each(9, 256, short).await.iter().all(|seen| *seen >= 1),
        "the slow one goes alone"
    );
}

/// SQLite has no index that would keep a row from being there twice: the walk finds it.
#[tokio::test]
async fn an_audit_row_that_stands_twice_is_named() {
    let database = Database::new(trapeza_testkit::database::Engine::Sqlite);
    let store = database.open();
    for number in 1..=3 {
        store.write(move |tx| Ok(note(tx, &number.to_string())?)).await.unwrap();
    }
    let columns = "chain, sequence, at, actor, action, object, detail, mac";
    database.tamper(&format!("INSERT INTO audit ({columns}) SELECT {columns} FROM audit WHERE sequence = 2"));
    let report = store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap();
    let chain = store.audit_heads()[0].chain;
    assert!(report.findings.contains(&format!("chain {chain}: row 2 is not in its place")), "{report:?}");
}

/// A refusal that changed no row leaves nothing to undo, though its closure tried to write.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_claim_makes_no_other_of_its_batch_run_again() {
    let database = Database::new(trapeza_testkit::database::Engine::Sqlite);
    let batch_time = std::time::Duration::from_secs(10);
    let store = database.open_with(&trapeza_store::StoreOptions { batch_time, ..Database::options() });
    let key = IdempotencyKey::new(ApplicationId::BANK, "POST /x", [1; 16]);
    let first = key.clone();
    store
        .write(move |tx| Ok(tx.idempotency_insert(&first, &[1; 32], ("made", &[]), Timestamp(1))?))
        .await
        .unwrap();

    let (open, gate) = std::sync::mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let runs = Arc::new(AtomicUsize::new(0));
    let mut jobs = tokio::task::JoinSet::new();
    let (held, begun) = (store.clone(), runs.clone());
    jobs.spawn(async move {
        held.write(move |tx| {
            begun.fetch_add(1, Ordering::SeqCst);
            let _ = gate.lock().unwrap().recv();
            Ok(note(tx, "0")?)
        })
        .await
    });
    while runs.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    for number in 1..9 {
        let (store, runs, key) = (store.clone(), runs.clone(), key.clone());
        jobs.spawn(async move {
            store
                .write(move |tx| {
                    runs.fetch_add(1, Ordering::SeqCst);
                    if number % 2 == 1 {
                        return Ok(note(tx, &number.to_string())?);
                    }
                    // The same id, another body: the record that is there has another fingerprint.
                    let claim = tx.idempotency_reserve(&key, &[2; 32], ("made", &[]), Timestamp(1))?;
                    match tx.changed(claim)? {
                        0 => Err(refusal().into()),
                        _ => Ok(()),
                    }
                })
                .await
        });
    }
    while store.queue_depth() < 8 {
        tokio::task::yield_now().await;
    }
    drop(open);
    let answers = jobs.join_all().await;
    assert_eq!(answers.iter().filter(|answer| **answer == Err(UseCaseError::Refused(refusal()))).count(), 4);
    assert_eq!(notes(&store).await, ["0", "1", "3", "5", "7"]);
    assert_eq!(runs.load(Ordering::SeqCst), 9, "each closure of the batch ran once");
}
