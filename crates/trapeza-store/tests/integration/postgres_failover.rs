//! What the store does when a server disappears, stops answering or is not the primary.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use trapeza_store::{PostgresTimeouts, Store, StoreError, StoreOptions, UseCaseError};
use trapeza_testkit::database::{Database, Engine};

const COMMIT: &[u8] = b"COMMIT\0";

/// A proxy before the server of a database.
#[derive(Clone, Default)]
struct Proxy {
    /// The next COMMIT reaches the server, and its answer does not reach the client.
    loses_commit: Arc<AtomicBool>,
    /// Connections stay open, and nothing is forwarded.
    is_frozen: Arc<AtomicBool>,
}

impl Proxy {
    /// Returns the URL of the database behind it. Its threads end with the process of the test.
    fn start(database: &Database) -> (Self, String) {
        let url = database.url();
        let (before, rest) = url.rsplit_once('@').unwrap();
        let (server, name) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap();
        let (proxy, url) = (Self::default(), format!("{before}@{own}/{name}"));
        let (accepting, server) = (proxy.clone(), server.to_owned());
        std::thread::spawn(move || {
            while let Ok((client, _)) = listener.accept() {
                accepting.clone().forward(client, TcpStream::connect(&server).unwrap());
            }
        });
        (proxy, url)
    }

    fn forward(self, client: TcpStream, server: TcpStream) {
        let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let (mut to_client, mut from_server) = (client, server);
        let back = self.clone();
        std::thread::spawn(move || back.copy(&mut from_server, |bytes| to_client.write_all(bytes).is_ok()));
        std::thread::spawn(move || {
            let client = from_client.try_clone().unwrap();
            self.copy(&mut from_client, |bytes| {
                let is_commit = bytes.windows(COMMIT.len()).any(|part| part == COMMIT);
                if is_commit && self.loses_commit.swap(false, Ordering::SeqCst) {
                    client.shutdown(Shutdown::Both).unwrap();
                }
                to_server.write_all(bytes).is_ok()
            });
        });
    }

    fn copy(&self, from: &mut TcpStream, mut to: impl FnMut(&[u8]) -> bool) {
        let mut buffer = [0; 65_536];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            while self.is_frozen.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            if !to(&buffer[..length]) {
                break;
            }
        }
    }
}

fn is_unknown<T>(result: &Result<T, UseCaseError>) -> bool {
    matches!(result, Err(UseCaseError::Failed(StoreError::OutcomeUnknown(_))))
}

/// Repeated, it would be refused or done twice where it has no idempotency record.
#[tokio::test]
async fn write_whose_commit_was_not_answered_is_not_repeated() {
    let database = Database::new(Engine::Postgres);
    let (proxy, url) = Proxy::start(&database);
    let store = Store::open_postgres(&url, &Database::options()).unwrap();
    database.tamper("CREATE TABLE written (run BIGINT)");
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    proxy.loses_commit.store(true, Ordering::SeqCst);
    let written = store.write(move |tx| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(tx.query_one("INSERT INTO written VALUES (1) RETURNING run", &[], |row| row.read::<i64>())?)
    });
    let written = written.await;
    assert!(is_unknown(&written), "{written:?}");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    // It was committed, which the store cannot know.
    while database.number("SELECT COUNT(*) FROM written") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let count = "SELECT COUNT(*) FROM written";
    let read = store.read(move |tx| Ok(tx.query_one(count, &[], |row| row.read::<i64>())?)).await;
    assert_eq!(read, Ok(1), "the next transaction has a new connection");
}

/// A standby that is about to be promoted has not replayed everything that was acknowledged.
#[tokio::test]
async fn read_is_not_answered_by_a_server_that_allows_no_writes() {
    let database = Database::new(Engine::Postgres);
    let store = database.open();
    let read = async || store.read(|tx| Ok(tx.query_one("SELECT 1", &[], |row| row.read::<i64>())?)).await;
    assert_eq!(read().await, Ok(1));
    let name = database.url().rsplit('/').next().unwrap().to_owned();
    database.tamper(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on"));
    database.tamper(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    let refused = read().await;
    assert!(is_unknown(&refused) && format!("{refused:?}").contains("does not allow writes"), "{refused:?}");
}

/// Its machine may go on acknowledging packets, so that TCP notices nothing.
#[tokio::test]
async fn server_that_stops_answering_is_given_up() {
    let database = Database::new(Engine::Postgres);
    let (proxy, url) = Proxy::start(&database);
    let postgres_timeouts =
        PostgresTimeouts { statement: Duration::from_millis(100), connect: Duration::from_millis(500) };
    let options = StoreOptions { postgres_timeouts, ..Database::options() };
    let store = Store::open_postgres(&url, &options).unwrap();
    let read = async || store.read(|tx| Ok(tx.query_one("SELECT 1", &[], |row| row.read::<i64>())?)).await;
    assert_eq!(read().await, Ok(1));
    proxy.is_frozen.store(true, Ordering::SeqCst);
    let given_up = read().await;
    assert!(is_unknown(&given_up), "{given_up:?}");
    proxy.is_frozen.store(false, Ordering::SeqCst);
    assert_eq!(read().await, Ok(1));
}
