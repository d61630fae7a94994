//! What SQLite's store tells is on the disk: answers and reads wait for the sync, jobs do not. Here the sync is held up, made
//! to fail, or followed by a copy of what a power cut would leave.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuditRow, Store, StoreError, StoreOptions, Tx, UseCaseError};
use trapeza_testkit::database::{Database, Engine};

fn note(tx: &mut Tx<'_>, object: &str) -> Result<(), StoreError> {
    tx.audit_append(&AuditRow { at: Timestamp(1), actor: "test", action: "noted", object, detail: "" })
}

async fn notes(store: &Store) -> Result<BTreeSet<String>, UseCaseError> {
    let read =
        store.read(|tx| Ok(tx.query("SELECT object FROM audit_event", &[], |row| row.read::<String>())?));
    Ok(read.await?.into_iter().collect())
}

fn write(store: &Store, object: &'static str) -> tokio::task::JoinHandle<Result<(), UseCaseError>> {
    let store = store.clone();
    tokio::spawn(async move { store.write(move |tx| Ok(note(tx, object)?)).await })
}

/// Holds syncs up while it is shut.
struct Gate {
    shut: Mutex<bool>,
    opened: Condvar,
    arrived: AtomicUsize,
}

impl Gate {
    const fn new() -> Self {
        Self { shut: Mutex::new(false), opened: Condvar::new(), arrived: AtomicUsize::new(0) }
    }

    fn pass(&self, log: &File) -> io::Result<()> {
        self.arrived.fetch_add(1, Ordering::SeqCst);
        let shut = self.shut.lock().unwrap();
        drop(self.opened.wait_while(shut, |shut| *shut).unwrap());
        log.sync_data()
    }

    fn set(&self, shut: bool) {
        *self.shut.lock().unwrap() = shut;
        self.opened.notify_all();
    }

    /// Waits until so many syncs have begun.
    async fn arrived(&self, count: usize) {
        while self.arrived.load(Ordering::SeqCst) < count {
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
async fn nothing_is_told_before_it_is_on_the_disk() {
    static GATE: Gate = Gate::new();
    let (_database, store) = open(|log| GATE.pass(log));
    write(&store, "before").await.unwrap().unwrap();
    GATE.set(true);
    let before = GATE.arrived.load(Ordering::SeqCst);
    let mut written = write(&store, "held up");
    GATE.arrived(before + 1).await;
    let reader = store.clone();
    let mut read = tokio::spawn(async move { notes(&reader).await });
    let a_while = Duration::from_millis(50);
    assert!(tokio::time::timeout(a_while, &mut written).await.is_err(), "the write was answered");
    assert!(tokio::time::timeout(a_while, &mut read).await.is_err(), "the read was answered");
    let reader = store.clone();
    let blocking = std::thread::spawn(move || {
        reader.read_blocking(|tx| {
            Ok(tx.query("SELECT object FROM audit_event", &[], |row| row.read::<String>())?)
        })
    });
    std::thread::sleep(a_while);
    assert!(!blocking.is_finished(), "the blocking read was answered");
    GATE.set(false);
    written.await.unwrap().unwrap();
    assert_eq!(read.await.unwrap().unwrap(), ["before", "held up"].map(String::from).into());
    assert_eq!(blocking.join().unwrap().unwrap().len(), 2);
    // With nothing on its way a read waits for nobody, whatever the disk would do.
    GATE.set(true);
    assert_eq!(notes(&store).await.unwrap().len(), 2);
    GATE.set(false);
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_run_while_the_disk_is_busy_and_share_its_next_sync() {
    static GATE: Gate = Gate::new();
    let (_database, store) = open(|log| GATE.pass(log));
    GATE.set(true);
    let before = GATE.arrived.load(Ordering::SeqCst);
    let first = write(&store, "first");
    GATE.arrived(before + 1).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let others: Vec<_> = (0..20)
        .map(|number| {
            let (store, runs) = (store.clone(), runs.clone());
            tokio::spawn(async move {
                let write = store.write(move |tx| {
                    runs.fetch_add(1, Ordering::SeqCst);
                    Ok(note(tx, &format!("{number}"))?)
                });
                write.await
            })
        })
        .collect();
    while runs.load(Ordering::SeqCst) < 20 {
        tokio::task::yield_now().await;
    }
    assert!(!first.is_finished() && others.iter().all(|other| !other.is_finished()));
    assert_eq!(GATE.arrived.load(Ordering::SeqCst), before + 1, "one sync at a time");
    GATE.set(false);
    first.await.unwrap().unwrap();
    for other in others {
        other.await.unwrap().unwrap();
    }
    assert_eq!(runs.load(Ordering::SeqCst), 20);
    let syncs = GATE.arrived.load(Ordering::SeqCst) - before;
    assert!((2..=3).contains(&syncs), "{syncs} syncs for 21 jobs");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_sync_that_failed_nothing_is_promised_any_more() {
    static BROKEN: AtomicBool = AtomicBool::new(false);
    static RUINS: AtomicUsize = AtomicUsize::new(0);
    fn sync(log: &File) -> io::Result<()> {
        if BROKEN.load(Ordering::SeqCst) { Err(io::Error::from_raw_os_error(5)) } else { log.sync_data() }
    }
    fn on_io_failure(_: &str) {
        RUINS.fetch_add(1, Ordering::SeqCst);
    }
    let database = Database::new(Engine::Sqlite);
    let store = database.open_with(&StoreOptions { sync, on_io_failure, ..Database::options() });
    write(&store, "kept").await.unwrap().unwrap();
    BROKEN.store(true, Ordering::SeqCst);
    let unknown = |result| matches!(result, Err(UseCaseError::Failed(StoreError::OutcomeUnknown(_))));
    assert!(unknown(write(&store, "lost?").await.unwrap()));
    // The process would end here.
    while RUINS.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    // The disk works again, but what it has is not known: only a fresh start can tell.
    BROKEN.store(false, Ordering::SeqCst);
    assert!(unknown(write(&store, "too late").await.unwrap()));
    assert!(notes(&store).await.is_err());
    assert_eq!(RUINS.load(Ordering::SeqCst), 1);
    store.close();
    let store = database.open();
    assert!(notes(&store).await.unwrap().contains("kept"));
}

/// What a power cut would leave: the files as they were after the last sync that has ended.
static LEFT: Mutex<Option<PathBuf>> = Mutex::new(None);

fn sync_and_copy(log: &File) -> io::Result<()> {
    log.sync_data()?;
    // The disk may take its time; whoever does not wait for it is found out.
    std::thread::sleep(Duration::from_millis(2));
    let left = LEFT.lock().unwrap();
    if let Some(path) = &*left {
        for end in ["", "-wal"] {
            std::fs::copy(with_end(path, end), with_end(&path.with_extension("left"), end))?;
        }
    }
    Ok(())
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    format!("{}{end}", path.display()).into()
}

/// The notes in the copy. It is copied once more to be opened, since opening changes it.
fn left() -> BTreeSet<String> {
    let left = LEFT.lock().unwrap();
    let path = left.as_ref().unwrap().with_extension("left");
    let room = tempfile::tempdir().unwrap();
    let own = room.path().join("own.db");
    for end in ["", "-wal"] {
        std::fs::copy(with_end(&path, end), with_end(&own, end)).unwrap();
    }
    drop(left);
    let connection = rusqlite::Connection::open(own).unwrap();
    let mut statement = connection.prepare("SELECT object FROM audit_event").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_power_cut_takes_back_nothing_that_was_answered_or_read() {
    let (database, store) = open(sync_and_copy);
    *LEFT.lock().unwrap() = Some(database.sqlite_path());
    store.write(|tx| Ok(note(tx, "begin")?)).await.unwrap();
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for number in 0..40 {
                    let object = format!("{writer}-{number}");
                    let own = object.clone();
                    store.write(move |tx| Ok(note(tx, &own)?)).await.unwrap();
                    if number % 8 == 0 {
                        assert!(left().contains(&object), "{object} was answered and is not on the disk");
                    }
                }
            })
        })
        .collect();
    let reader = {
        let store = store.clone();
        tokio::spawn(async move {
            for _ in 0..40 {
                let read = notes(&store).await.unwrap();
                let left = left();
                assert!(read.is_subset(&left), "{:?} was read", read.difference(&left).collect::<Vec<_>>());
            }
        })
    };
    for writer in writers {
        writer.await.unwrap();
    }
    reader.await.unwrap();
    assert_eq!(left().len(), 8 * 40 + 1);
}

#[test]
fn work_whose_caller_is_gone_is_kept_and_others_are_answered() {
    static GATE: Gate = Gate::new();
    let (_database, store) = open(|log| GATE.pass(log));
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    GATE.set(true);
    let before = GATE.arrived.load(Ordering::SeqCst);
    let first = runtime();
    first.block_on(async {
        let _written = write(&store, "nobody waits");
        GATE.arrived(before + 1).await;
    });
    // The thread's answers have no home any more.
    drop(first);
    GATE.set(false);
    runtime().block_on(async {
        let writes: Vec<_> = ["a", "b", "c"].map(|object| write(&store, object)).into();
        for write in writes {
            write.await.unwrap().unwrap();
        }
        assert_eq!(notes(&store).await.unwrap(), ["a", "b", "c", "nobody waits"].map(String::from).into());
    });
}
