//! Idempotency records and deferred statements, on both engines.

use crate::fixture::{append, committed};
use rstest::rstest;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use trapeza_store::{IdempotencyKey, IdempotencyRecord, StoreError, UseCaseError};
use trapeza_testkit::database::{AUDIT_KEY, Database, Engine};
use uuid::Uuid;

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
            append(tx, "committed")?;
            tx.idempotency_insert(&key(), &[1; 32], ("first", b""), Timestamp(1))?;
            Ok(tx.idempotency_find(&key())?.map(|record| record.outcome))
        })
        .await;
    assert_eq!(seen, Ok(Some("first".to_owned())));
    // The last statement of a transaction is sent with its COMMIT, whose failure must be noticed.
    let duplicate = store
        .write(move |tx| {
            append(tx, "rolled back")?;
            Ok(tx.idempotency_insert(&key(), &[2; 32], ("second", b""), Timestamp(2))?)
        })
        .await;
    assert!(matches!(duplicate, Err(UseCaseError::Failed(StoreError::Internal(_)))), "{duplicate:?}");
    store.write(|tx| Ok(append(tx, "next")?)).await.unwrap();
    assert_eq!(committed(&store).await.unwrap(), ["committed", "next"]);
    let report = store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
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
