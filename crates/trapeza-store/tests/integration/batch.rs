//! The queue and the batches of the writer.

use crate::fixture::{append, committed, refusal};
use rstest::rstest;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use trapeza_store::{IdempotencyKey, StoreError, StoreOptions, UseCaseError};
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn failing_job_does_not_affect_others_of_its_batch(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let mut jobs = tokio::task::JoinSet::new();
    for number in 0..200 {
        let store = store.clone();
        jobs.spawn(async move {
            store
                .write(move |tx| {
                    append(tx, &format!("{number:03}"))?;
                    match number % 7 {
                        3 => Err(refusal().into()),
                        5 => panic!("a defect in a use case"),
                        6 => Err(tx.execute("SELECT nonsense FROM nowhere", &[]).unwrap_err().into()),
                        _ => Ok(number),
                    }
                })
                .await
        });
    }
    let mut completed = Vec::new();
    while let Some(result) = jobs.join_next().await {
        match result.unwrap() {
            Ok(number) => completed.push(format!("{number:03}")),
            Err(UseCaseError::Refused(_) | UseCaseError::Failed(StoreError::Internal(_))) => {}
            Err(other) => panic!("{other}"),
        }
    }
    completed.sort();
    assert_eq!(completed.len(), 200 - 3 * 28 - 1, "every other job has its result");
    assert_eq!(committed(&store).await.unwrap(), completed);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn full_queue_fails_with_busy(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let mut options = Database::options();
    options.queue_capacity = 4;
    options.postgres_threads = 1;
    let store = database.open_with(&options);
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
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
            tokio::spawn(async move { store.write(|tx| Ok(append(tx, "waited")?)).await })
        })
        .collect();
    while store.queue_depth() < 4 {
        tokio::task::yield_now().await;
    }
    let rejected = store.write(|tx| Ok(append(tx, "too many")?)).await;
    assert_eq!(rejected, Err(UseCaseError::Failed(StoreError::Busy)));
    // The caller of one of the four is gone: its job has not started, so it is skipped.
    waiting[0].abort();
    while !waiting[0].is_finished() {
        tokio::task::yield_now().await;
    }
    drop(open);
    holding.await.unwrap().unwrap();
    for job in waiting.into_iter().skip(1) {
        job.await.unwrap().unwrap();
    }
    assert_eq!(committed(&store).await.unwrap(), ["waited"; 3]);
}

/// How many rows each of `count` jobs finds committed that waited behind a job which held the writer.
async fn committed_before_each(count: usize, batch_jobs: usize, batch_time: Duration) -> Vec<i64> {
    let database = Database::new(Engine::Sqlite);
    let store = database.open_with(&StoreOptions { batch_jobs, batch_time, ..Database::options() });
    let path = database.sqlite_path();
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let begun = Arc::new(AtomicUsize::new(0));
    let held = {
        let (store, begun) = (store.clone(), begun.clone());
        tokio::spawn(async move {
            store
                .write(move |tx| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    let _ = gate.lock().unwrap().recv();
                    Ok(append(tx, "first")?)
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
                        // Another connection sees only what is committed.
                        let outside = rusqlite::Connection::open(&path).unwrap();
                        let seen: i64 = outside
                            .query_row("SELECT COUNT(*) FROM audit_event", [], |row| row.get(0))
                            .unwrap();
                        append(tx, &number.to_string())?;
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
    tokio::time::sleep(Duration::from_millis(10)).await;
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
async fn batch_is_limited_by_size_and_time() {
    let long = Duration::from_secs(10);
    assert_eq!(committed_before_each(9, 256, long).await, [0; 9], "all jobs in one commit");
    assert_eq!(committed_before_each(9, 5, long).await, [0, 0, 0, 0, 5, 5, 5, 5, 5], "five jobs per commit");
    let mut expected = [0; 20];
    expected[15..].fill(16);
    assert_eq!(committed_before_each(20, 256, long).await, expected, "sixteen jobs when the disk is idle");
    let short = Duration::from_millis(5);
    assert!(
        committed_before_each(9, 256, short).await.iter().all(|seen| *seen >= 1),
        "the slow job is committed alone"
    );
}

/// A refusal that changed no row needs no rollback, although its closure tried to insert one.
#[tokio::test(flavor = "multi_thread")]
async fn refused_reservation_does_not_rerun_the_batch() {
    let database = Database::new(Engine::Sqlite);
    let batch_time = Duration::from_secs(10);
    let store = database.open_with(&StoreOptions { batch_time, ..Database::options() });
    let key = IdempotencyKey::new(ApplicationId::BANK, "POST /x", Uuid::from_u128(1));
    let first = key.clone();
    store
        .write(move |tx| Ok(tx.idempotency_insert(&first, &[1; 32], ("made", &[]), Timestamp(1))?))
        .await
        .unwrap();

    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let runs = Arc::new(AtomicUsize::new(0));
    let mut jobs = tokio::task::JoinSet::new();
    let (held, begun) = (store.clone(), runs.clone());
    jobs.spawn(async move {
        held.write(move |tx| {
            begun.fetch_add(1, Ordering::SeqCst);
            let _ = gate.lock().unwrap().recv();
            Ok(append(tx, "0")?)
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
                        return Ok(append(tx, &number.to_string())?);
                    }
                    // The same request id with another body: the existing record has another fingerprint.
                    let reservation = tx.idempotency_reserve(&key, &[2; 32], ("made", &[]), Timestamp(1))?;
                    if reservation.is_new(tx)? { Ok(()) } else { Err(refusal().into()) }
                })
                .await
        });
    }
    while store.queue_depth() < 8 {
        tokio::task::yield_now().await;
    }
    drop(open);
    let results = jobs.join_all().await;
    assert_eq!(results.iter().filter(|result| **result == Err(UseCaseError::Refused(refusal()))).count(), 4);
    assert_eq!(committed(&store).await.unwrap(), ["0", "1", "3", "5", "7"]);
    assert_eq!(runs.load(Ordering::SeqCst), 9, "each closure of the batch ran once");
}
