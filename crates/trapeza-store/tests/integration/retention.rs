//! What is deleted when its retention period has ended, and what stays: on both engines, to the microsecond.

use rstest::rstest;
use trapeza_domain::callback::{Callback, CallbackKind, CallbackState, CallbackTopic};
use trapeza_domain::contact::Phone;
use trapeza_domain::health::{HealthFigure, HealthSample};
use trapeza_domain::id::{ApplicationId, CallbackId, PsuId};
use trapeza_domain::psu::Psu;
use trapeza_domain::time::Timestamp;
use trapeza_store::{CallbackRecord, NotificationRecord, SandboxCallback, Store, StoreError, Tx};
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

/// What is before this time is deleted.
const BEFORE: Timestamp = Timestamp(1_800_000_000_000_000);
const LAST: Timestamp = Timestamp(BEFORE.0 - 1);

fn callback(
    tx: &mut Tx<'_>,
    number: u128,
    created_at: Timestamp,
    state: CallbackState,
) -> Result<(), StoreError> {
    tx.callback_insert(&CallbackRecord {
        callback: Callback {
            id: CallbackId::new(Uuid::from_u128(number)),
            application: ApplicationId::BANK,
            topic: CallbackTopic::Basket(CallbackKind::Approved),
            state,
            created_at,
            attempts: 0,
        },
        object_id: "basket".to_owned(),
        notification: None,
        address: None,
        body: "{}".to_owned(),
        claim_token: None,
        traceparent: None,
    })
}

async fn insert(
    store: &Store,
    work: impl FnOnce(&mut Tx<'_>) -> Result<(), StoreError> + Clone + Send + Sync + 'static,
) {
    store.write(move |tx| Ok(work.clone()(tx)?)).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callbacks_are_deleted_that_were_delivered_before_the_end(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    insert(&store, |tx| {
        callback(tx, 1, LAST, CallbackState::Delivered { at: BEFORE })?;
        callback(tx, 2, BEFORE, CallbackState::Delivered { at: LAST })?;
        callback(tx, 3, LAST, CallbackState::Dead { at: LAST })?;
        callback(tx, 4, LAST, CallbackState::Waiting { failed: 0, due: LAST })
    })
    .await;
    let is_purgeable = async || store.read(|tx| Ok(tx.callback_is_purgeable(BEFORE)?)).await.unwrap();
    let purge = async || store.write(|tx| Ok(tx.callback_purge(BEFORE)?)).await.unwrap();
    assert!(!is_purgeable().await);
    assert_eq!(purge().await, Vec::new(), "delivered at the end, created at the end, dead, waiting");
    insert(&store, |tx| callback(tx, 5, LAST, CallbackState::Delivered { at: LAST })).await;
    assert!(is_purgeable().await);
    assert_eq!(purge().await, [CallbackId::new(Uuid::from_u128(5))]);
    assert_eq!(database.number("SELECT COUNT(*) FROM callback"), 4);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn messages_samples_and_listed_callbacks_are_deleted_that_are_older(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let insert_at = async |number: u128, at: Timestamp| {
        insert(&store, move |tx| {
            tx.notification_insert(&NotificationRecord {
                id: Uuid::from_u128(number),
                recipient: "+306912345678".to_owned(),
                channel: "SMS".to_owned(),
                ciphertext: None,
                created_at: at,
                expires_at: Timestamp(i64::MAX),
                sent_at: Some(at),
                traceparent: None,
            })?;
            tx.sandbox_callback_insert(&SandboxCallback {
                id: CallbackId::new(Uuid::from_u128(number)),
                application: ApplicationId::BANK,
                kind: CallbackKind::Approved,
                body: "{}".to_owned(),
                created_at: Timestamp(1),
                recorded_at: at,
                traceparent: None,
            })?;
            tx.health_sample_insert(&HealthSample {
                process: Uuid::from_u128(number),
                at,
                figure: HealthFigure::ALL[0],
                value: 1,
            })
        })
        .await;
    };
    let is_purgeable = async || {
        let read = store.read(|tx| {
            Ok((tx.notification_is_purgeable(BEFORE)?, tx.sandbox_callback_is_purgeable(BEFORE)?))
        });
        read.await.unwrap()
    };
    let purge = async || {
        let purged = store.write(|tx| {
            tx.health_sample_purge(BEFORE)?;
            Ok((tx.notification_purge(BEFORE)?, tx.sandbox_callback_purge(BEFORE)?))
        });
        purged.await.unwrap()
    };
    let samples =
        async |since: Timestamp| store.read(move |tx| Ok(tx.health_sample_list(since)?.len())).await.unwrap();
    insert_at(1, BEFORE).await;
    assert_eq!(is_purgeable().await, (false, false));
    assert_eq!((purge().await, samples(LAST).await), ((0, 0), 1));
    insert_at(2, LAST).await;
    assert_eq!(is_purgeable().await, (true, true));
    assert_eq!((samples(LAST).await, samples(BEFORE).await), (2, 1));
    assert_eq!((purge().await, samples(LAST).await), ((1, 1), 1));
    assert_eq!(is_purgeable().await, (false, false));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customers_are_retained_until_their_end(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    insert(&store, |tx| {
        for (number, login) in [(1, "open"), (2, "at-the-end"), (3, "before"), (4, "earlier"), (5, "erased")]
        {
            let customer = Psu {
                id: PsuId::new(Uuid::from_u128(number)),
                login: login.to_owned(),
                name: "Eleni".to_owned(),
                phone: Phone::parse("+306912345678").unwrap(),
            };
            assert!(tx.psu_insert(&customer, None, Timestamp(1))?);
        }
        Ok(())
    })
    .await;
    let update = |column: &str, login: &str, at: Timestamp| {
        let at = database.timestamp_literal(at);
        database.tamper(&format!("UPDATE psu SET {column} = {at} WHERE login = '{login}'"));
    };
    for (login, at) in
        [("at-the-end", BEFORE), ("before", LAST), ("earlier", Timestamp(LAST.0 - 1)), ("erased", LAST)]
    {
        update("closed_at", login, at);
    }
    update("erased_at", "erased", LAST);
    let retained = store.read(|tx| {
        Ok((
            tx.psu_retained_count(BEFORE)?,
            tx.psu_retained_list(BEFORE, 9)?,
            tx.psu_retained_list(BEFORE, 1)?,
        ))
    });
    let (count, all, first) = retained.await.unwrap();
    assert_eq!(
        (count, all, first),
        ((2, 0), vec!["earlier".to_owned(), "before".to_owned()], vec!["earlier".to_owned()])
    );
}
