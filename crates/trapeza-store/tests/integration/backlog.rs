//! Work that waits, as monitoring counts it, on both engines.

use rstest::rstest;
use trapeza_domain::application::CertificateStatus;
use trapeza_domain::callback::{Callback, CallbackKind, CallbackState, CallbackTopic};
use trapeza_domain::id::{ApplicationId, BatchId, CallbackId, ClearingId, PaymentId};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Timestamp;
use trapeza_store::{
    Backlog, CallbackRecord, CertificateRecord, ClearingTransaction, NotificationRecord, StoreError, Tx,
};
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(1_000_000);

fn notification(tx: &mut Tx<'_>, number: u128, channel: &str, at: i64, sent: bool) -> Result<(), StoreError> {
    tx.notification_insert(&NotificationRecord {
        id: Uuid::from_u128(number),
        recipient: "+306912345678".to_owned(),
        channel: channel.to_owned(),
        ciphertext: None,
        created_at: Timestamp(at),
        expires_at: Timestamp(i64::MAX),
        sent_at: sent.then_some(NOW),
        traceparent: None,
    })
}

fn callback(tx: &mut Tx<'_>, number: u128, at: i64, state: CallbackState) -> Result<(), StoreError> {
    let callback = Callback {
        id: CallbackId::new(Uuid::from_u128(number)),
        application: ApplicationId::BANK,
        topic: CallbackTopic::Basket(CallbackKind::Approved),
        state,
        created_at: Timestamp(at),
        attempts: 0,
    };
    let (object_id, body) = ("basket".to_owned(), "{}".to_owned());
    tx.callback_insert(&CallbackRecord {
        callback,
        object_id,
        notification: None,
        address: None,
        body,
        claim_token: None,
        traceparent: None,
    })
}

fn submitted(
    tx: &mut Tx<'_>,
    number: u128,
    at: i64,
    alert: Option<i64>,
    answer: Option<i64>,
) -> Result<(), StoreError> {
    tx.clearing_transaction_insert(&ClearingTransaction {
        id: ClearingId::new(Uuid::from_u128(number)),
        batch: BatchId::new(Uuid::from_u128(1)),
        position: 1,
        application: ApplicationId::BANK,
        payment: PaymentId::new(Uuid::from_u128(number)),
        debtor_name: "Eleni".to_owned(),
        debtor_iban: Iban::parse("GR1601101250000000012300695").unwrap(),
        debtor_agent: Bic::parse("TRPZGRAA").unwrap(),
        submitted_at: Timestamp(at),
        alert_at: alert.map(Timestamp),
        alerted: alert.is_none(),
        answered_at: answer.map(Timestamp),
        returned_at: None,
    })
}

#[rstest]
#[tokio::test]
async fn backlog_counts_what_waits_and_finds_the_oldest(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let found = store.read(|tx| Ok(tx.backlog_find(NOW)?)).await.unwrap();
    assert_eq!(found, Backlog::default(), "nothing waits in an empty bank");
    let inserted = store.write(|tx| {
        notification(tx, 1, "SMS", 30, false)?;
        notification(tx, 2, "SMS", 20, false)?;
        notification(tx, 3, "SMS", 10, true)?;
        notification(tx, 4, "PUSH", 5, false)?;
        callback(tx, 1, 7, CallbackState::Waiting { failed: 0, due: NOW })?;
        callback(tx, 2, 6, CallbackState::Dead { at: NOW })?;
        callback(tx, 3, 5, CallbackState::Delivered { at: NOW })?;
        // An answered one, one before its alert and one after it.
        submitted(tx, 1, 1, None, Some(2))?;
        submitted(tx, 2, 40, Some(90), None)?;
        submitted(tx, 3, 50, None, None)?;
        Ok(())
    });
    inserted.await.unwrap();
    let expected = Backlog {
        sms_waiting: 2,
        sms_oldest: Some(Timestamp(20)),
        callbacks_waiting: 1,
        callbacks_oldest: Some(Timestamp(7)),
        callbacks_dead: 1,
        clearing_oldest: Some(Timestamp(40)),
        sweep_oldest: None,
    };
    assert_eq!(store.read(|tx| Ok(tx.backlog_find(NOW)?)).await.unwrap(), expected);
}

#[rstest]
#[tokio::test]
async fn expiry_of_an_application_is_that_of_its_last_active_certificate(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let registered = store.write(|tx| {
        let certificates = [
            (1, CertificateStatus::Active, 500),
            (2, CertificateStatus::Active, 900),
            (3, CertificateStatus::Revoked, 2000),
        ];
        for (number, status, end) in certificates {
            let organisation = "PSDGR-BOG-000001".to_owned();
            let record = CertificateRecord {
                fingerprint: [number; 32],
                organisation,
                status,
                expires_at: Timestamp(end),
            };
            tx.certificate_upsert(ApplicationId::BANK, &record, NOW)?;
        }
        Ok(())
    });
    registered.await.unwrap();
    let found = store.read(|tx| Ok(tx.certificate_expiry_list()?)).await.unwrap();
    assert_eq!(found, [(ApplicationId::BANK, Timestamp(900))]);
    let disabled = store.write(|tx| Ok(tx.application_disabled_set(ApplicationId::BANK, Some(NOW))?));
    disabled.await.unwrap();
    assert_eq!(store.read(|tx| Ok(tx.certificate_expiry_list()?)).await.unwrap(), []);
}
