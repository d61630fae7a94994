//! The audit log: chains verify, and changed, missing and duplicate rows are reported.

use crate::fixture::append;
use rstest::rstest;
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuditHead, AuditRow, BANK_CREATED, SealedRootKey, StoreOptions};
use trapeza_testkit::database::{AUDIT_KEY, Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn audit_verify_reports_changed_and_missing_rows(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    for number in 0..20 {
        store.write(move |tx| Ok(append(tx, &format!("{number:02}"))?)).await.unwrap();
    }
    let heads = store.audit_heads();
    let verify = |heads: Vec<AuditHead>| {
        let store = store.clone();
        async move { store.read(move |tx| Ok(tx.audit_verify(&AUDIT_KEY, &heads)?)).await.unwrap() }
    };
    let clean = verify(heads.clone()).await;
    assert_eq!((clean.rows, clean.findings.len()), (20, 0), "{:?}", clean.findings);
    let wrong_key = store.read(|tx| Ok(tx.audit_verify(&[8; 32], &[])?)).await.unwrap();
    assert_eq!(wrong_key.findings.len(), 20, "every MAC is wrong with another key");

    let longest = *heads.iter().max_by_key(|head| head.sequence).unwrap();
    let chain = longest.chain;
    database
        .tamper(&format!("UPDATE audit_event SET actor = 'operator' WHERE chain = {chain} AND sequence = 1"));
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
async fn audit_verify_of_an_emptied_log_fails(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    let created = store.write(|tx| {
        tx.root_key_insert(&SealedRootKey { ciphertext: vec![1], secret_check: [1; 32] }, Timestamp(0))?;
        let row =
            AuditRow { at: Timestamp(1), actor: "bank", action: BANK_CREATED, object: "bank", detail: "" };
        Ok(tx.audit_append(&row)?)
    });
    created.await.unwrap();
    let verify = async || store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap().findings;
    assert_eq!(verify().await, Vec::<String>::new());
    database.tamper("DELETE FROM audit_event");
    assert_eq!(verify().await, ["the event of the bank's creation is missing"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn audit_verify_reports_a_chain_that_was_cut_after_its_head_was_stored(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    for number in 1..=3 {
        store.write(move |tx| Ok(append(tx, &number.to_string())?)).await.unwrap();
    }
    let heads = store.audit_heads();
    store.write(move |tx| Ok(tx.audit_head_set(&heads)?)).await.unwrap();
    let verify = async || store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap().findings;
    assert_eq!(verify().await, Vec::<String>::new());
    let AuditHead { chain, sequence, .. } = store.audit_heads()[0];
    database.tamper(&format!("DELETE FROM audit_event WHERE chain = {chain} AND sequence = {sequence}"));
    assert_eq!(verify().await, [format!("chain {chain}: row {sequence}, stored as its head, is missing")]);
}

/// Each change is made alone, so that a column that the MAC leaves out is noticed.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn audit_verify_reports_a_change_of_any_column(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open_with(&StoreOptions { postgres_threads: 1, ..Database::options() });
    for number in 1..=3 {
        store.write(move |tx| Ok(append(tx, &number.to_string())?)).await.unwrap();
    }
    let verify = async || store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap().findings;
    let chain = store.audit_heads()[0].chain;
    let microsecond = match engine {
        Engine::Sqlite => "1",
        Engine::Postgres => "INTERVAL '1 microsecond'",
    };
    let later = format!("occurred_at = occurred_at + {microsecond}");
    let earlier = format!("occurred_at = occurred_at - {microsecond}");
    for (change, undo) in [
        (later.as_str(), earlier.as_str()),
        ("actor = 'other'", "actor = 'test'"),
        ("action = 'other'", "action = 'appended'"),
        ("object = '4'", "object = '2'"),
        ("detail = 'more'", "detail = ''"),
        // The same letters in a row.
        ("actor = 'testa', action = 'ppended'", "actor = 'test', action = 'appended'"),
    ] {
        database.tamper(&format!("UPDATE audit_event SET {change} WHERE sequence = 2"));
        let expected = format!("chain {chain}: row 2 or one before it was changed");
        assert_eq!(verify().await, [expected], "{change}");
        database.tamper(&format!("UPDATE audit_event SET {undo} WHERE sequence = 2"));
        assert_eq!(verify().await, Vec::<String>::new(), "{undo}");
    }
    database.tamper("UPDATE audit_event SET chain = chain / 2");
    assert_eq!(verify().await.len(), 3, "the rows of a chain under another number");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn stored_head_is_replaced_by_later_ones_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open_with(&StoreOptions { postgres_threads: 1, ..Database::options() });
    store.write(|tx| Ok(append(tx, "first")?)).await.unwrap();
    let earlier = store.audit_heads();
    store.write(|tx| Ok(append(tx, "second")?)).await.unwrap();
    let later = store.audit_heads();
    let AuditHead { chain, sequence, .. } = later[0];
    for heads in [earlier.clone(), later, earlier] {
        store.write(move |tx| Ok(tx.audit_head_set(&heads)?)).await.unwrap();
    }
    database.tamper(&format!("DELETE FROM audit_event WHERE chain = {chain} AND sequence = {sequence}"));
    let report = store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap();
    assert_eq!(report.findings, [format!("chain {chain}: row {sequence}, stored as its head, is missing")]);
}

/// SQLite has no unique index on chain and sequence, so a row can be duplicated.
#[tokio::test]
async fn audit_verify_reports_a_duplicate_row() {
    let database = Database::new(Engine::Sqlite);
    let store = database.open();
    for number in 1..=3 {
        store.write(move |tx| Ok(append(tx, &number.to_string())?)).await.unwrap();
    }
    let columns = "chain, sequence, occurred_at, actor, action, object, detail, mac";
    database.tamper(&format!(
        "INSERT INTO audit_event ({columns}) SELECT {columns} FROM audit_event WHERE sequence = 2"
    ));
    let report = store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await.unwrap();
    let chain = store.audit_heads()[0].chain;
    assert!(report.findings.contains(&format!("chain {chain}: row 2 is out of order")), "{report:?}");
}

/// A commit whose outcome was lost may have taken the next place of a writer's chain. The writer must not collide with that row for ever.
#[tokio::test(flavor = "multi_thread")]
async fn chain_with_an_unknown_row_is_left_for_another() {
    let database = Database::new(Engine::Postgres);
    let options = StoreOptions { postgres_threads: 1, ..Database::options() };
    let store = database.open_with(&options);
    store.write(|tx| Ok(append(tx, "first")?)).await.unwrap();
    let head = store.audit_heads()[0];
    database.tamper(&format!(
        "INSERT INTO audit_event SELECT chain, sequence + 1, occurred_at, actor, action, 'unknown', detail, mac
         FROM audit_event WHERE chain = {} AND sequence = {}",
        head.chain, head.sequence
    ));
    for object in ["second", "third"] {
        store.write(move |tx| Ok(append(tx, object)?)).await.unwrap();
    }
    let chains = database.column("SELECT chain FROM audit_event WHERE object IN ('second', 'third')");
    assert_eq!(chains.len(), 2);
    assert!(chains.iter().all(|chain| *chain == chains[0] && *chain != head.chain.to_string()), "{chains:?}");
}
