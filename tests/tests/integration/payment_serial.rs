//! On SQLite payments are kept by running numbers that their ids do not tell; on PostgreSQL under the ids themselves.

use crate::http::payment::{INTERNAL, JONAS, balance, challenged, check_books, code, iban, initiate, order};
use crate::http::payment::{standing, tpp};
use rstest::rstest;
use serde_json::json;
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::time::Timestamp;
use trapeza_store::Store;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{TestBank, Transcript};
use uuid::Uuid;

/// What each payment is kept under, in the order they were made.
async fn kept(store: &Store) -> Vec<Uuid> {
    let read = store.read(|tx| {
        Ok(tx.query("SELECT id FROM payment ORDER BY created_at, id", &[], |row| row.id(0, |id| id))?)
    });
    read.await.unwrap()
}

fn id_of(path: &str) -> Uuid {
    Uuid::parse_str(path.rsplit('/').next().unwrap()).unwrap()
}

/// Who knows how ids are kept must not get further than who knows nothing.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn what_a_payment_is_kept_under_is_no_id(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = tpp(&bank, JONAS);
    let mut told = Vec::new();
    for _ in 0..4 {
        told.push(id_of(&initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await));
    }
    let kept = kept(bank.app.store()).await;
    if bank.app.store().engine_name() == "postgres" {
        assert_eq!(kept, told, "random ids are kept as they are");
        return;
    }
    assert!(kept.is_sorted() && kept.iter().all(|kept| kept.as_bytes().starts_with(&[0xff; 7])), "{kept:?}");
    for (kept, told) in kept.iter().zip(&told) {
        assert_eq!(tpp.get(&format!("{INTERNAL}/{told}")).await.status, 200);
        assert_eq!(tpp.get(&format!("{INTERNAL}/{kept}")).await.status, 404, "a serial finds nothing");
        assert_ne!(&told.as_bytes()[..7], &kept.as_bytes()[..7]);
    }
}

/// A bank from before serials has random ids in the same column.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_payment_from_before_is_found_authorised_and_booked_under_its_random_id(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await.0;
    let new = initiate(&tpp, INTERNAL, &order(&bank, "2.00")).await;
    let old = "6f9619ff-8b86-4011-b42d-00cf4fc964ff";
    let bytes = old.replace('-', "");
    let value = match bank.app.store().engine_name() {
        "sqlite" => format!("X'{bytes}'"),
        _ => format!("'\\x{bytes}'"),
    };
    bank.database.tamper(&format!("UPDATE payment SET id = {value}"));
    assert_eq!(tpp.get(&new).await.status, 404);
    let path = format!("{INTERNAL}/{old}");
    let own = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
    assert_eq!(standing(&tpp, &path).await.0, json!(4));
    assert_eq!(balance(&bank, &payer).await.0, before - 200);
    let next = initiate(&tpp, INTERNAL, &order(&bank, "3.00")).await;
    assert_eq!(tpp.get(&next).await.status, 200, "new ones lie beside it");
    check_books(&bank).await;
}

/// The machine's clock may have gone back while the bank was closed.
#[tokio::test(flavor = "multi_thread")]
async fn a_bank_that_opens_again_goes_on_behind_its_last_payment() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let made = id_of(&initiate(&tpp(&bank, JONAS), INTERNAL, &order(&bank, "1.00")).await);
    let application =
        ApplicationId::parse(bank.sandbox_file["tpps"][0]["client_id"].as_str().unwrap()).unwrap();
    let find = move |tx: &mut trapeza_store::Tx<'_>| Ok(tx.payment_find(application, PaymentId::new(made))?);
    let payment = bank.app.store().read(find).await.unwrap().unwrap();

    let again = bank.database.open();
    let id = again.payment_id(Timestamp(0), || unreachable!("SQLite numbers payments"));
    let mut second = payment.clone();
    second.id = id;
    again.write(move |tx| Ok(tx.payment_insert(&second)?)).await.unwrap();
    let kept = kept(&again).await;
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[1].as_u128(), kept[0].as_u128() + 1, "the number behind the last");
    let found = again.read(move |tx| Ok(tx.payment_find(application, id)?)).await.unwrap();
    assert_eq!(found.map(|found| found.id), Some(id));
}
