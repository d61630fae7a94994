//! Durability on SQLite: callers and readers wait for the sync of the WAL, jobs do not. The tests delay the sync, let it fail,
//! or copy the files after it, as a power cut would leave them.

use crate::fixture::{append, committed};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use trapeza_store::{Store, StoreError, StoreOptions, UseCaseError};
use trapeza_testkit::database::{Database, Engine};

fn write(store: &Store, object: &'static str) -> tokio::task::JoinHandle<Result<(), UseCaseError>> {
    let store = store.clone();
    tokio::spawn(async move { store.write(move |tx| Ok(append(tx, object)?)).await })
}

/// Blocks syncs while it is closed.
struct Gate {
    closed: Mutex<bool>,
    opened: Condvar,
    started: AtomicUsize,
}

impl Gate {
    const fn new() -> Self {
        Self { closed: Mutex::new(false), opened: Condvar::new(), started: AtomicUsize::new(0) }
    }

    fn pass(&self, wal: &File) -> io::Result<()> {
        self.started.fetch_add(1, Ordering::SeqCst);
        let closed = self.closed.lock().unwrap();
        drop(self.opened.wait_while(closed, |closed| *closed).unwrap());
        wal.sync_data()
    }

    fn set_closed(&self, closed: bool) {
        *self.closed.lock().unwrap() = closed;
        self.opened.notify_all();
    }

    /// Waits until this many syncs have started.
    async fn wait_for_syncs(&self, count: usize) {
        while self.started.load(Ordering::SeqCst) < count {
            tokio::task::yield_now().await;
        }
    }
}

fn open(sync: fn(&File) -> io::Result<()>) -> (Database, Store) {
    let database = Database::new(Engine::Sqlite);
    let store = database.open_with(&StoreOptions { sync, ..Database::options() });
    (database, store)
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_and_reads_wait_for_the_sync() {
    static GATE: Gate = Gate::new();
    let (_database, store) = open(|wal| GATE.pass(wal));
    write(&store, "before").await.unwrap().unwrap();
    GATE.set_closed(true);
    let before = GATE.started.load(Ordering::SeqCst);
    let mut written = write(&store, "delayed");
    GATE.wait_for_syncs(before + 1).await;
    let reader = store.clone();
    let mut read = tokio::spawn(async move { committed(&reader).await });
    let wait = Duration::from_millis(50);
    assert!(tokio::time::timeout(wait, &mut written).await.is_err(), "the write was acknowledged");
    assert!(tokio::time::timeout(wait, &mut read).await.is_err(), "the read returned");
    let reader = store.clone();
    let blocking = std::thread::spawn(move || {
        reader.read_blocking(|tx| {
            Ok(tx.query("SELECT object FROM audit_event", &[], |row| row.read::<String>())?)
        })
    });
    std::thread::sleep(wait);
    assert!(!blocking.is_finished(), "the blocking read returned");
    GATE.set_closed(false);
    written.await.unwrap().unwrap();
    assert_eq!(read.await.unwrap().unwrap(), ["before", "delayed"]);
    assert_eq!(blocking.join().unwrap().unwrap().len(), 2);
    // Without pending commits a read does not wait for a sync.
    GATE.set_closed(true);
    assert_eq!(committed(&store).await.unwrap().len(), 2);
    GATE.set_closed(false);
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_run_during_a_sync_and_share_the_next() {
    static GATE: Gate = Gate::new();
    let (_database, store) = open(|wal| GATE.pass(wal));
    GATE.set_closed(true);
    let before = GATE.started.load(Ordering::SeqCst);
    let first = write(&store, "first");
    GATE.wait_for_syncs(before + 1).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let others: Vec<_> = (0..20)
        .map(|number| {
            let (store, runs) = (store.clone(), runs.clone());
            tokio::spawn(async move {
                let write = store.write(move |tx| {
                    runs.fetch_add(1, Ordering::SeqCst);
                    Ok(append(tx, &format!("{number}"))?)
                });
                write.await
            })
        })
        .collect();
    while runs.load(Ordering::SeqCst) < 20 {
        tokio::task::yield_now().await;
    }
    assert!(!first.is_finished() && others.iter().all(|other| !other.is_finished()));
    assert_eq!(GATE.started.load(Ordering::SeqCst), before + 1, "one sync at a time");
    GATE.set_closed(false);
    first.await.unwrap().unwrap();
    for other in others {
        other.await.unwrap().unwrap();
    }
    assert_eq!(runs.load(Ordering::SeqCst), 20);
    let syncs = GATE.started.load(Ordering::SeqCst) - before;
    assert!((2..=3).contains(&syncs), "{syncs} syncs for 21 jobs");
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_sync_fails_all_later_writes_and_reads() {
    static DISK_FAILS: AtomicBool = AtomicBool::new(false);
    static FAILURES: AtomicUsize = AtomicUsize::new(0);
    fn sync(wal: &File) -> io::Result<()> {
        if DISK_FAILS.load(Ordering::SeqCst) { Err(io::Error::from_raw_os_error(5)) } else { wal.sync_data() }
    }
    fn on_io_failure(_: &str) {
        FAILURES.fetch_add(1, Ordering::SeqCst);
    }
    let database = Database::new(Engine::Sqlite);
    let store = database.open_with(&StoreOptions { sync, on_io_failure, ..Database::options() });
    write(&store, "committed").await.unwrap().unwrap();
    DISK_FAILS.store(true, Ordering::SeqCst);
    let unknown = |result| matches!(result, Err(UseCaseError::Failed(StoreError::OutcomeUnknown(_))));
    assert!(unknown(write(&store, "unknown").await.unwrap()));
    // The process would exit here.
    while FAILURES.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    // The disk works again, but only a restart shows what is on it.
    DISK_FAILS.store(false, Ordering::SeqCst);
    assert!(unknown(write(&store, "too late").await.unwrap()));
    assert!(committed(&store).await.is_err());
    assert_eq!(FAILURES.load(Ordering::SeqCst), 1);
    store.close();
    let store = database.open();
    assert!(committed(&store).await.unwrap().contains(&"committed".to_owned()));
}

/// The database whose files are copied after each sync, as a power cut would leave them.
static COPIED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn sync_and_copy(wal: &File) -> io::Result<()> {
    wal.sync_data()?;
    // A slow disk, so that an answer that does not wait for the sync is noticed.
    std::thread::sleep(Duration::from_millis(2));
    let copied = COPIED.lock().unwrap();
    if let Some(path) = &*copied {
        for suffix in ["", "-wal"] {
            std::fs::copy(with_suffix(path, suffix), with_suffix(&path.with_extension("copy"), suffix))?;
        }
    }
    Ok(())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    format!("{}{suffix}", path.display()).into()
}

/// The objects in the copy. It is copied again before it is opened, since opening changes it.
fn objects_in_copy() -> BTreeSet<String> {
    let copied = COPIED.lock().unwrap();
    let path = copied.as_ref().unwrap().with_extension("copy");
    let directory = tempfile::tempdir().unwrap();
    let own = directory.path().join("own.db");
    for suffix in ["", "-wal"] {
        std::fs::copy(with_suffix(&path, suffix), with_suffix(&own, suffix)).unwrap();
    }
    drop(copied);
    let connection = rusqlite::Connection::open(own).unwrap();
    let mut statement = connection.prepare("SELECT object FROM audit_event").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn power_cut_loses_nothing_acknowledged_or_read() {
    let (database, store) = open(sync_and_copy);
    *COPIED.lock().unwrap() = Some(database.sqlite_path());
    store.write(|tx| Ok(append(tx, "begin")?)).await.unwrap();
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for number in 0..40 {
                    let object = format!("{writer}-{number}");
                    let own = object.clone();
                    store.write(move |tx| Ok(append(tx, &own)?)).await.unwrap();
                    if number % 8 == 0 {
                        assert!(
                            objects_in_copy().contains(&object),
                            "{object} was acknowledged and is not on the disk"
                        );
                    }
                }
            })
        })
        .collect();
    let reader = {
        let store = store.clone();
        tokio::spawn(async move {
            for _ in 0..40 {
                let read: BTreeSet<String> = committed(&store).await.unwrap().into_iter().collect();
                let durable = objects_in_copy();
                assert!(
                    read.is_subset(&durable),
                    "{:?} was read",
                    read.difference(&durable).collect::<Vec<_>>()
                );
            }
        })
    };
    for writer in writers {
        writer.await.unwrap();
    }
    reader.await.unwrap();
    assert_eq!(objects_in_copy().len(), 8 * 40 + 1);
}

#[test]
fn write_of_a_cancelled_caller_is_committed() {
    static GATE: Gate = Gate::new();
    let (_database, store) = open(|wal| GATE.pass(wal));
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    GATE.set_closed(true);
    let before = GATE.started.load(Ordering::SeqCst);
    let first = runtime();
    first.block_on(async {
        let _written = write(&store, "caller is gone");
        GATE.wait_for_syncs(before + 1).await;
    });
    // The caller ends with its runtime before its write is durable.
    drop(first);
    GATE.set_closed(false);
    runtime().block_on(async {
        let writes: Vec<_> = ["a", "b", "c"].map(|object| write(&store, object)).into();
        for write in writes {
            write.await.unwrap().unwrap();
        }
        assert_eq!(committed(&store).await.unwrap(), ["a", "b", "c", "caller is gone"]);
    });
}
