//! SQLite's write-ahead log: it begins anew while the writer goes on, and waits for nobody who reads for long.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuditRow, Store};
use trapeza_testkit::database::{Database, Engine};

/// Pages of the log that a commit of [`Load`] takes at least.
const PAGES: i64 = 64;
/// More commits than the log ever holds.
const MANY: i64 = 600;

/// Some callers who write without a pause, and some who read.
struct Load {
    written: Arc<AtomicI64>,
    over: Arc<AtomicBool>,
    callers: tokio::task::JoinSet<()>,
}

impl Load {
    fn start(store: &Store) -> Self {
        let (written, over) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicBool::new(false)));
        let detail: Arc<str> = "x".repeat(usize::try_from(PAGES).unwrap() * 4096).into();
        let mut callers = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let (store, detail) = (store.clone(), detail.clone());
            let (written, over) = (written.clone(), over.clone());
            callers.spawn(async move {
                while !over.load(Ordering::SeqCst) {
                    let detail = detail.clone();
                    let row = move |tx: &mut trapeza_store::Tx<'_>| {
                        let note = AuditRow {
                            at: Timestamp(1),
                            actor: "test",
                            action: "noted",
                            object: "",
                            detail: &detail,
                        };
                        Ok(tx.audit_append(&note)?)
                    };
                    store.write(row).await.unwrap();
                    written.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for _ in 0..4 {
            let (store, over) = (store.clone(), over.clone());
            callers.spawn(async move {
                while !over.load(Ordering::SeqCst) {
                    rows(&store).await;
                    tokio::task::yield_now().await;
                }
            });
        }
        Self { written, over, callers }
    }

    async fn until(&self, done: impl Fn(i64) -> bool) {
        while !done(self.written.load(Ordering::SeqCst)) {
            tokio::task::yield_now().await;
        }
    }

    async fn stop(self) -> i64 {
        self.over.store(true, Ordering::SeqCst);
        self.callers.join_all().await;
        self.written.load(Ordering::SeqCst)
    }
}

fn log_of(database: &Database) -> PathBuf {
    format!("{}-wal", database.sqlite_path().display()).into()
}

/// How often the log has begun anew, as its head tells.
fn beginnings(log: &Path) -> u32 {
    let head = std::fs::read(log).unwrap();
    head.get(12..16).map_or(0, |number| u32::from_be_bytes(number.try_into().unwrap()))
}

async fn rows(store: &Store) -> i64 {
    let count =
        store.read(|tx| Ok(tx.query_one("SELECT COUNT(*) FROM audit_event", &[], |row| row.read::<i64>())?));
    count.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_begins_anew_while_the_writer_goes_on() {
    let database = Database::new(Engine::Sqlite);
    let store = database.open();
    let log = log_of(&database);
    // This thread's reader has looked once, and is not asked again until the end.
    assert_eq!(rows(&store).await, 0);
    let load = Load::start(&store);
    load.until(|written| beginnings(&log) >= 3 || written > 5 * MANY).await;
    let written = load.stop().await;
    assert!(beginnings(&log) >= 3, "{} pages were written", written * PAGES);
    assert_eq!(rows(&store).await, written);
    store.close();
    drop(store);
    assert_eq!(rows(&database.open()).await, written, "and all of it is in the file");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_read_keeps_the_log_and_not_the_writer() {
    let database = Database::new(Engine::Sqlite);
    let store = database.open();
    let log = log_of(&database);
    let load = Load::start(&store);
    load.until(|written| written > 0).await;
    let reader = rusqlite::Connection::open(database.sqlite_path()).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let count =
        || reader.query_row("SELECT COUNT(*) FROM audit_event", [], |row| row.get::<_, i64>(0)).unwrap();
    let (seen, before) = (count(), beginnings(&log));
    load.until(|written| written > seen + MANY).await;
    assert_eq!((count(), beginnings(&log)), (seen, before), "what it reads is still there");
    reader.execute_batch("COMMIT").unwrap();
    load.until(|written| beginnings(&log) > before || written > seen + 6 * MANY).await;
    let written = load.stop().await;
    assert!(beginnings(&log) > before, "{} pages were written", written * PAGES);
    assert_eq!((count(), rows(&store).await), (written, written));
}
