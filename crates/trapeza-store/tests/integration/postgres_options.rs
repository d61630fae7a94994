//! Settings of the connection to PostgreSQL: the password from a file, and timeouts.

use std::time::Duration;
use trapeza_domain::secret::Secret;
use trapeza_store::{Store, StoreError, StoreOptions, UseCaseError};
use trapeza_testkit::database::{Database, Engine};

/// The URL of a database in two parts: without its password, and the password.
fn split_password(url: &str) -> (String, String) {
    let (scheme, rest) = url.split_once("://").unwrap();
    let (credentials, host) = rest.split_once('@').unwrap();
    let (user, password) = credentials.split_once(':').unwrap();
    (format!("{scheme}://{user}@{host}"), password.to_owned())
}

#[test]
fn password_of_the_options_is_used_where_the_url_has_none() {
    let database = Database::new(Engine::Postgres);
    let url = database.url();
    let (without, password) = split_password(&url);
    let with = |password: &str| StoreOptions {
        postgres_password: Some(Secret::new(password.to_owned())),
        ..Database::options()
    };
    Store::open_postgres(&without, &with(&password)).unwrap().close();
    let wrong = Store::open_postgres(&without, &with("wrong")).err().unwrap().to_string();
    assert!(wrong.contains("password authentication failed"), "{wrong}");
    let both = Store::open_postgres(&url, &with(&password)).err().unwrap().to_string();
    assert!(both.contains("must not contain a password together with a password file"), "{both}");
    assert!(!both.contains(&password), "{both}");
}

#[tokio::test]
async fn statement_over_the_timeout_is_cancelled_except_in_a_long_read() {
    let database = Database::new(Engine::Postgres);
    let postgres_statement_timeout = Duration::from_millis(50);
    let store = database.open_with(&StoreOptions { postgres_statement_timeout, ..Database::options() });
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

#[test]
fn host_that_does_not_answer_is_given_up_after_the_connect_timeout() {
    // A listener whose backlog is never accepted answers TCP, but not PostgreSQL's startup.
    let postgres_connect_timeout = Duration::from_millis(100);
    let options = StoreOptions { postgres_connect_timeout, ..Database::options() };
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = format!("postgres://bank:x@127.0.0.1:{port}/bank");
    let error = Store::open_postgres(&url, &options).err().unwrap().to_string();
    assert!(error.contains("no answer within 100 ms"), "{error}");
}
