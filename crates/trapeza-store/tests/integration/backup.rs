//! What a backup says about the copied database, on both engines.

use crate::fixture::append;
use rstest::rstest;
use trapeza_domain::time::Timestamp;
use trapeza_store::{
    PostgresSnapshot, SealedRootKey, SnapshotSummary, StoreOptions, backup_sqlite, migration_names,
};
use trapeza_testkit::database::{Database, Engine};

/// The functions of backups block, and may not be called in an asynchronous runtime.
fn summary(database: &Database, engine: Engine) -> SnapshotSummary {
    let directory = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| match engine {
            Engine::Sqlite => {
                backup_sqlite(&database.sqlite_path(), &directory.path().join("copy.db")).unwrap()
            }
            Engine::Postgres => PostgresSnapshot::export(&database.url()).unwrap().summary().clone(),
        });
        thread.join().unwrap()
    })
}

/// A restored copy is compared with these rows, so the last one of each chain counts: rows after another one could be missing.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn summary_has_the_last_row_of_every_audit_chain(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let mut heads = Vec::new();
    // Each start has a chain of its own.
    let stores = [(); 2].map(|()| StoreOptions { postgres_threads: 1, ..Database::options() });
    for options in &stores {
        let store = database.open_with(options);
        let key = || SealedRootKey { ciphertext: vec![1], secret_check: [2; 32] };
        store.write(move |tx| Ok(tx.root_key_insert(&key(), Timestamp(0))?)).await.unwrap();
        for number in 1..=3 {
            store.write(move |tx| Ok(append(tx, &number.to_string())?)).await.unwrap();
        }
        heads.extend(store.audit_heads());
        store.close();
    }
    heads.sort_by_key(|head| head.chain);
    assert_eq!(heads.iter().map(|head| head.sequence).collect::<Vec<_>>(), [3, 3]);
    let _open = database.open();
    let expected = SnapshotSummary {
        schema: migration_names().last().unwrap().to_owned(),
        secret_check: [2; 32],
        audit_heads: heads,
    };
    assert_eq!(summary(&database, engine), expected);
}
