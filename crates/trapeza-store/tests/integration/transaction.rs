//! The store's promises, one test each, the same on both engines. Each fails when its rule is taken out.

use rstest::rstest;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_store::{
    AuditRow, IdempotencyKey, IdempotencyRecord, Param, Store, StoreError, Tx, UseCaseError, params,
};
use trapeza_testkit::database::{AUDIT_KEY, Database, Engine};
use uuid::Uuid;

fn note(tx: &mut Tx<'_>, object: &str) -> Result<(), StoreError> {
    tx.audit_append(&AuditRow { at: Timestamp(1), actor: "test", action: "noted", object, detail: "" })
}

async fn notes(store: &Store) -> Vec<String> {
    let read = store.read(|tx| {
        Ok(tx.query("SELECT object FROM audit_event ORDER BY object", &[], |row| row.read::<String>())?)
    });
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
async fn deferred_statement_is_visible_to_the_next_and_rolls_back_when_it_fails(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let key = || IdempotencyKey::new(ApplicationId::BANK, "POST /x", Uuid::from_u128(1));
    let seen = store
        .write(move |tx| {
            note(tx, "committed")?;
            tx.idempotency_insert(&key(), &[1; 32], ("first", b""), Timestamp(1))?;
            Ok(tx.idempotency_find(&key())?.map(|record| record.outcome))
        })
        .await;
    assert_eq!(seen, Ok(Some("first".to_owned())));
    // The last statement of a transaction is sent with its COMMIT, whose failure must be noticed.
    let duplicate = store
        .write(move |tx| {
            note(tx, "rolled back")?;
            Ok(tx.idempotency_insert(&key(), &[2; 32], ("second", b""), Timestamp(2))?)
        })
        .await;
    assert!(matches!(duplicate, Err(UseCaseError::Failed(StoreError::Internal(_)))), "{duplicate:?}");
    store.write(|tx| Ok(note(tx, "next")?)).await.unwrap();
    assert_eq!(notes(&store).await, ["committed", "next"]);
    let report = store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_read_cannot_write(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let result = store.read(|tx| Ok(tx.execute("DELETE FROM audit_event", &[])?)).await;
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
                |row| Ok((row.read::<String>()?, row.read::<String>()?)),
            )?)
        })
        .await
        .unwrap();
    assert_eq!(row, ("second".to_owned(), "first".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reservation_is_new_only_for_the_first_of_a_key(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let application = ApplicationId::new(Uuid::from_u128(1));
    let key = move |number| IdempotencyKey::new(application, "POST /v1/consents", Uuid::from_u128(number));
    // Twice: the counts of an earlier transaction must not be taken for this one's.
    for number in [1, 3] {
        let result = store.write(move |tx| {
            let first = tx.idempotency_reserve(&key(number), &[4; 32], ("first", b"a"), Timestamp(1))?;
            let second = tx.idempotency_reserve(&key(number), &[5; 32], ("second", b"b"), Timestamp(2))?;
            let found = tx.idempotency_find(&key(number))?.map(|record| record.outcome);
            let third = tx.idempotency_reserve(&key(number + 1), &[6; 32], ("third", b"c"), Timestamp(3))?;
            Ok((first.is_new(tx)?, second.is_new(tx)?, found, third.is_new(tx)?))
        });
        assert_eq!(result.await.unwrap(), (true, false, Some("first".to_owned()), true));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn idempotency_keys_differ_by_application_operation_and_request_id(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let key = |application, operation, request| {
        let application = ApplicationId::new(Uuid::from_u128(application));
        IdempotencyKey::new(application, operation, Uuid::from_u128(request))
    };
    let keys = [key(9, "POST /x", 3), key(9, "POST /y", 3), key(8, "POST /x", 3), key(9, "POST /x", 5)];
    for key in keys {
        let reserved = store.write(move |tx| {
            let reservation = tx.idempotency_reserve(&key, &[7; 32], ("first", b"new"), Timestamp(2))?;
            reservation.is_new(tx).map_err(Into::into)
        });
        assert_eq!(reserved.await, Ok(true));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn idempotency_record_is_read_back_as_inserted(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let key = IdempotencyKey::new(ApplicationId::BANK, "POST /x", Uuid::from_u128(3));
    let record =
        IdempotencyRecord { fingerprint: [4; 32], outcome: "Ü \u{1F600}".into(), result: vec![0, 255] };
    let (inserted, own_key) = (record.clone(), key.clone());
    store
        .write(move |tx| {
            let outcome = (inserted.outcome.as_str(), inserted.result.as_slice());
            Ok(tx.idempotency_insert(&own_key, &inserted.fingerprint, outcome, Timestamp(1))?)
        })
        .await
        .unwrap();
    let found = store.read(move |tx| Ok(tx.idempotency_find(&key)?)).await.unwrap();
    assert_eq!(found, Some(record));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn values_of_every_type_are_read_back_as_written(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let json = r#"{"b": 1,  "a": [2.50]}"#;
    let timestamps =
        [i64::MIN, -1, 0, 1, 946_684_800_000_001, 4_102_444_800_123_456, i64::MAX].map(Timestamp);
    let dates = [i32::MIN, -1, 0, 10_957, 2_000_000, i32::MAX].map(Date);
    let columns: &'static str = match engine {
        Engine::Sqlite => "a INTEGER, b INTEGER, c TEXT, d TEXT, e BLOB, f BLOB, g INTEGER, h INTEGER",
        Engine::Postgres => "a BOOLEAN, b BIGINT, c TEXT, d JSON, e BYTEA, f UUID, g TIMESTAMPTZ, h DATE",
    };
    database.tamper(&format!("CREATE TABLE every_type ({columns})"));
    for (timestamp, date) in timestamps.into_iter().zip(dates.into_iter().cycle()) {
        let uuid = Uuid::from_u128(u128::MAX - 7);
        let row = store.write(move |tx| {
            tx.execute("DELETE FROM every_type", &[])?;
            tx.execute(
                "INSERT INTO every_type VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                params![true, i64::MIN, "é", Param::Json(json), &[0_u8, 255], uuid, timestamp, date],
            )?;
            tx.execute("INSERT INTO every_type VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", &[Param::Null; 8])?;
            Ok(tx.query("SELECT a, b, c, d, e, f, g, h FROM every_type ORDER BY a IS NULL", &[], |row| {
                Ok((
                    (row.read::<Option<bool>>()?, row.read::<Option<i64>>()?),
                    (row.read::<Option<String>>()?, row.read::<Option<String>>()?),
                    (row.read::<Option<Vec<u8>>>()?, row.read::<Option<Uuid>>()?),
                    (row.read::<Option<Timestamp>>()?, row.read::<Option<Date>>()?),
                ))
            })?)
        });
        let expected = (
            (Some(true), Some(i64::MIN)),
            (Some("é".to_owned()), Some(json.to_owned())),
            (Some(vec![0, 255]), Some(uuid)),
            (Some(timestamp), Some(date)),
        );
        let null = ((None, None), (None, None), (None, None), (None, None));
        assert_eq!(row.await.unwrap(), [expected, null]);
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
                    let count =
                        tx.query_one("SELECT COUNT(*) FROM audit_event", &[], |row| row.read::<i64>())?;
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
    options.queue_capacity = 4;
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
    database
        .tamper(&format!("UPDATE audit_event SET actor = 'nobody' WHERE chain = {chain} AND sequence = 1"));
    let changed = verify(heads.clone()).await.findings;
    assert_eq!(changed, [format!("chain {chain}: row 1 or one before it was changed")]);
    database.tamper(&format!(
        "DELETE FROM audit_event WHERE chain = {chain} AND sequence = {}",
        longest.sequence
    ));
    let cut = verify(heads.clone()).await.findings;
    let missing = format!("chain {chain}: row {}, logged as its head, is missing", longest.sequence);
    assert!(cut.contains(&missing), "{cut:?}");
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
                        let seen: i64 = outside
                            .query_row("SELECT COUNT(*) FROM audit_event", [], |row| row.get(0))
                            .unwrap();
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
    let columns = "chain, sequence, occurred_at, actor, action, object, detail, mac";
    database.tamper(&format!(
        "INSERT INTO audit_event ({columns}) SELECT {columns} FROM audit_event WHERE sequence = 2"
    ));
    let report = store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap();
    let chain = store.audit_heads()[0].chain;
    assert!(report.findings.contains(&format!("chain {chain}: row 2 is out of order")), "{report:?}");
}

/// A refusal that changed no row leaves nothing to undo, though its closure tried to write.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_claim_makes_no_other_of_its_batch_run_again() {
    let database = Database::new(trapeza_testkit::database::Engine::Sqlite);
    let batch_time = std::time::Duration::from_secs(10);
    let store = database.open_with(&trapeza_store::StoreOptions { batch_time, ..Database::options() });
    let key = IdempotencyKey::new(ApplicationId::BANK, "POST /x", Uuid::from_u128(1));
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
                    if claim.is_new(tx)? { Ok(()) } else { Err(refusal().into()) }
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
