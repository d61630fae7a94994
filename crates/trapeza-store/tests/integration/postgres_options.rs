//! Settings of the connection to PostgreSQL: durability, isolation, timeouts.

use std::time::Duration;
use trapeza_store::{PostgresTimeouts, Store, StoreError, StoreOptions, Tx, UseCaseError};
use trapeza_testkit::database::{Database, Engine};

#[tokio::test]
async fn statement_over_the_timeout_is_cancelled_except_in_a_long_read() {
    let database = Database::new(Engine::Postgres);
    let postgres_timeouts = PostgresTimeouts { statement: Duration::from_millis(50), ..Default::default() };
    let store = database.open_with(&StoreOptions { postgres_timeouts, ..Database::options() });
    const SLEEP: &str = "SELECT 1 FROM (SELECT pg_sleep(0.3)) AS slept";
    let cancelled = store.read(|tx| Ok(tx.query_one(SLEEP, &[], |row| row.read::<i64>())?)).await;
    match cancelled {
        Err(UseCaseError::Failed(StoreError::OutcomeUnknown(cause))) => {
            assert!(cause.to_string().contains("statement timeout"), "{cause}");
        }
        other => panic!("{other:?}"),
    }
    let read = store.read(|tx| Ok(tx.query_one("SELECT 2", &[], |row| row.read::<i64>())?)).await;
    assert_eq!(read, Ok(2), "the connection is usable");
    let long = tokio::task::spawn_blocking(move || {
        store.read_blocking(|tx| Ok(tx.query_one(SLEEP, &[], |row| row.read::<i64>())?))
    });
    assert_eq!(long.await.unwrap(), Ok(1));
}

/// Durability, isolation, whether only reads are allowed, and the two timeouts of the server.
fn settings(tx: &mut Tx<'_>) -> Result<Vec<String>, UseCaseError> {
    const SETTINGS: &str =
        "SELECT current_setting('synchronous_commit'), current_setting('transaction_isolation'),
        current_setting('transaction_read_only'), current_setting('statement_timeout'),
        current_setting('idle_in_transaction_session_timeout')";
    let read = tx.query_one(SETTINGS, &[], |row| {
        (0..5).map(|_| row.read::<String>()).collect::<Result<Vec<String>, StoreError>>()
    });
    Ok(read?)
}

/// A server that is configured for speed would acknowledge commits that it can still lose.
#[tokio::test]
async fn transactions_have_the_settings_of_the_store_whatever_those_of_the_server_are() {
    let database = Database::new(Engine::Postgres);
    let url = database.url();
    let name = url.rsplit('/').next().unwrap();
    for setting in [
        "synchronous_commit = off",
        "default_transaction_isolation = 'read committed'",
        "statement_timeout = 0",
        "idle_in_transaction_session_timeout = 0",
    ] {
        database.tamper(&format!("ALTER DATABASE {name} SET {setting}"));
    }
    let store = database.open();
    assert_eq!(store.write(settings).await.unwrap(), ["on", "serializable", "off", "30s", "10s"]);
    assert_eq!(store.write_background(settings).await.unwrap(), ["on", "serializable", "off", "30s", "10s"]);
    assert_eq!(store.read(settings).await.unwrap(), ["on", "repeatable read", "on", "30s", "10s"]);
    let long = tokio::task::spawn_blocking(move || store.read_blocking(settings));
    assert_eq!(long.await.unwrap().unwrap(), ["on", "repeatable read", "on", "0", "0"]);
}

#[test]
fn host_that_does_not_answer_is_given_up_after_the_connect_timeout() {
    // A listener whose backlog is never accepted answers TCP, but not PostgreSQL's startup.
    let postgres_timeouts = PostgresTimeouts { connect: Duration::from_millis(100), ..Default::default() };
    let options = StoreOptions { postgres_timeouts, ..Database::options() };
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = format!("postgres://bank:x@127.0.0.1:{port}/bank");
    let error = Store::open_postgres(&url, &options).err().unwrap().to_string();
    assert!(error.contains("no answer within 100 ms"), "{error}");
}
