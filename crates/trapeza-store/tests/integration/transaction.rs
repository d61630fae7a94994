//! Transactions: commit and rollback, snapshots, parameters and column types, migrations. Every test runs on both engines.

use crate::fixture::{append, committed, refusal};
use rstest::rstest;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_store::{Param, StoreError, UseCaseError, params};
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ok_commits_and_refusal_rolls_back(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    store.write(|tx| Ok(append(tx, "committed")?)).await.unwrap();
    let refused = store
        .write(|tx| {
            append(tx, "rolled back")?;
            Err::<(), _>(refusal().into())
        })
        .await;
    assert_eq!(refused, Err(UseCaseError::Refused(refusal())));
    assert_eq!(committed(&store).await.unwrap(), ["committed"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refusal_inside_ok_commits(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let counted = store
        .write(|tx| {
            append(tx, "wrong code")?;
            Ok(Err::<(), _>(refusal()))
        })
        .await;
    assert_eq!(counted, Ok(Err(refusal())));
    assert_eq!(committed(&store).await.unwrap(), ["wrong code"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ignored_store_error_rolls_back(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let result = store
        .write(|tx| {
            append(tx, "half")?;
            let _ = tx.execute("INSERT INTO nowhere VALUES ($1)", params![1_i64]);
            Ok(())
        })
        .await;
    assert!(matches!(result, Err(UseCaseError::Failed(StoreError::Internal(_)))), "{result:?}");
    assert!(committed(&store).await.unwrap().is_empty());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn write_in_a_read_fails(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let result = store.read(|tx| Ok(tx.execute("DELETE FROM audit_event", &[])?)).await;
    assert!(matches!(result, Err(UseCaseError::Failed(_))), "{result:?}");
}

/// SQLite ignores foreign keys unless each connection enables them.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn row_of_an_unknown_owner_is_refused(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let unknown = ApplicationId::new(Uuid::from_u128(7));
    let inserted =
        store.write(move |tx| Ok(tx.application_key_insert(unknown, &[1; 32], Timestamp(1))?)).await;
    assert!(matches!(inserted, Err(UseCaseError::Failed(StoreError::Internal(_)))), "{inserted:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn parameters_are_bound_by_number(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
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
async fn read_sees_every_acknowledged_write(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..4 {
        let store = store.clone();
        callers.spawn(async move {
            for number in 0..50 {
                let object = format!("{caller}-{number}");
                store.write(move |tx| Ok(append(tx, &object)?)).await.unwrap();
                // Several reads, so that a reader could reuse a snapshot that is too old.
                for _ in 0..3 {
                    let own = format!("{caller}-");
                    let seen = committed(&store).await.unwrap();
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
async fn committed_data_is_there_after_reopening(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    store.write(|tx| Ok(append(tx, "committed")?)).await.unwrap();
    store.write(|tx| Ok(tx.clock_advance(TimeDelta::days(1))?)).await.unwrap();
    store.close();
    drop(store);
    let store = database.open();
    assert_eq!(committed(&store).await.unwrap(), ["committed"]);
    let (ahead, _) = store.read(|tx| Ok(tx.clock_find()?)).await.unwrap();
    assert_eq!(ahead, TimeDelta::days(1));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transactions_with_the_same_snapshot_do_not_both_commit(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let mut jobs = tokio::task::JoinSet::new();
    for _ in 0..60 {
        let store = store.clone();
        jobs.spawn(async move {
            let step = store.write(|tx| {
                // Two transactions with the same count would append the same object twice.
                let count = tx.query_one("SELECT COUNT(*) FROM audit_event", &[], |row| row.read::<i64>())?;
                Ok(append(tx, &format!("{count:03}"))?)
            });
            step.await
        });
    }
    // However many conflicts there are, none is given up.
    while let Some(result) = jobs.join_next().await {
        result.unwrap().unwrap();
    }
    let expected: Vec<String> = (0..60).map(|count| format!("{count:03}")).collect();
    assert_eq!(committed(&store).await.unwrap(), expected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn database_with_a_newer_migration_is_opened_only_if_that_declares_it_compatible(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    database.open().close();
    database.tamper("INSERT INTO migration (name, number, minimum_number) VALUES ('0002_expand', 2, 1)");
    database.open().close();
    database.tamper("INSERT INTO migration (name, number, minimum_number) VALUES ('0003_contract', 3, 2)");
    let Err(error) = database.try_open(&Database::options()) else { panic!("the database was opened") };
    assert!(error.to_string().contains("0003_contract"), "{error}");
}
