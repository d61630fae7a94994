//! SQLite's WAL restarts under continuous writes, and a long read does not block the writer.

use crate::fixture::event_count;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuditRow, Store, Tx};
use trapeza_testkit::database::{Database, Engine};

/// The least number of WAL pages that a commit of [`Load`] takes.
const PAGES: i64 = 64;
/// More commits than the WAL holds before it restarts.
const MANY: i64 = 600;

/// Tasks that write and read continuously.
struct Load {
    written: Arc<AtomicI64>,
    stopped: Arc<AtomicBool>,
    callers: tokio::task::JoinSet<()>,
}

impl Load {
    fn start(store: &Store) -> Self {
        let (written, stopped) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicBool::new(false)));
        let detail: Arc<str> = "x".repeat(usize::try_from(PAGES).unwrap() * 4096).into();
        let mut callers = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let (store, detail) = (store.clone(), detail.clone());
            let (written, stopped) = (written.clone(), stopped.clone());
            callers.spawn(async move {
                while !stopped.load(Ordering::SeqCst) {
                    let detail = detail.clone();
                    let append = move |tx: &mut Tx<'_>| {
                        let event = AuditRow {
                            at: Timestamp(1),
                            actor: "test",
                            action: "appended",
                            object: "",
                            detail: &detail,
                        };
                        Ok(tx.audit_append(&event)?)
                    };
                    store.write(append).await.unwrap();
                    written.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for _ in 0..4 {
            let (store, stopped) = (store.clone(), stopped.clone());
            callers.spawn(async move {
                while !stopped.load(Ordering::SeqCst) {
                    event_count(&store).await;
                    tokio::task::yield_now().await;
                }
            });
        }
        Self { written, stopped, callers }
    }

    async fn until(&self, done: impl Fn(i64) -> bool) {
        while !done(self.written.load(Ordering::SeqCst)) {
            tokio::task::yield_now().await;
        }
    }

    async fn stop(self) -> i64 {
        self.stopped.store(true, Ordering::SeqCst);
        self.callers.join_all().await;
        self.written.load(Ordering::SeqCst)
    }
}

fn wal_path(database: &Database) -> PathBuf {
    format!("{}-wal", database.sqlite_path().display()).into()
}

/// How often the WAL has restarted: the checkpoint sequence number of its header.
fn restarts(wal: &Path) -> u32 {
    let header = std::fs::read(wal).unwrap();
    header.get(12..16).map_or(0, |number| u32::from_be_bytes(number.try_into().unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn wal_restarts_under_continuous_writes() {
    let database = Database::new(Engine::Sqlite);
    let store = database.open();
    let wal = wal_path(&database);
    // This thread's reader is idle with an open snapshot until the end.
    assert_eq!(event_count(&store).await, 0);
    let load = Load::start(&store);
    load.until(|written| restarts(&wal) >= 3 || written > 5 * MANY).await;
    let written = load.stop().await;
    assert!(restarts(&wal) >= 3, "{} pages were written", written * PAGES);
    assert_eq!(event_count(&store).await, written);
    store.close();
    drop(store);
    assert_eq!(event_count(&database.open()).await, written, "all rows are in the database file");
}

#[tokio::test(flavor = "multi_thread")]
async fn long_read_delays_the_restart_and_not_the_writer() {
    let database = Database::new(Engine::Sqlite);
    let store = database.open();
    let wal = wal_path(&database);
    let load = Load::start(&store);
    load.until(|written| written > 0).await;
    let reader = rusqlite::Connection::open(database.sqlite_path()).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let count =
        || reader.query_row("SELECT COUNT(*) FROM audit_event", [], |row| row.get::<_, i64>(0)).unwrap();
    let (seen, before) = (count(), restarts(&wal));
    load.until(|written| written > seen + MANY).await;
    assert_eq!((count(), restarts(&wal)), (seen, before), "the snapshot is still readable");
    reader.execute_batch("COMMIT").unwrap();
    load.until(|written| restarts(&wal) > before || written > seen + 6 * MANY).await;
    let written = load.stop().await;
    assert!(restarts(&wal) > before, "{} pages were written", written * PAGES);
    assert_eq!((count(), event_count(&store).await), (written, written));
}
