//! The embedded engine: one writer that commits waiting jobs together, a thread that puts commits on the disk and answers
//! for them, readers that run where they are called, and a thread that folds the write-ahead log back into the file.

mod checkpoint;
pub(crate) mod connection;
mod generation;
mod reader_pool;
mod wal_sync;
mod writer;

use connection::SqliteConnection;
use generation::Generation;
use reader_pool::ReaderPool;
use wal_sync::{CommitTracker, WalSyncer};

use crate::audit_chain::ChainHeads;
use crate::error::{StoreError, UseCaseError};
use crate::job::{Job, JobOutcome, run_once};
use crate::migration;
use crate::options::{Durability, StoreOptions};
use crate::queue::Queue;
use crate::serial::{SerialKind, Serials};
use crate::tx::{Connection, Tx};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

pub(crate) struct SqliteEngine {
    path: PathBuf,
    readers: ReaderPool,
    queue: Arc<Queue<Box<dyn Job>>>,
    threads: Mutex<Threads>,
    edition: Generation,
    durable: CommitTracker,
    serials: Arc<Serials>,
}

struct Threads {
    writer: Option<JoinHandle<()>>,
    syncer: Option<JoinHandle<()>>,
    checkpoint: Option<checkpoint::Checkpointer>,
}

impl SqliteEngine {
    pub(crate) fn open(path: &Path, options: &StoreOptions, heads: &ChainHeads) -> Result<Self, StoreError> {
        let serials = Arc::new(Serials::new(options.id_key));
        let mut link = SqliteConnection::open_writer(path, options, serials.clone())?;
        migration::apply_sqlite(&mut link)?;
        if let Some(last) = Tx::new(Connection::Sqlite(&mut link), None).payment_last_serial()? {
            serials.begin_behind(SerialKind::Payment, last);
        }
        let queue = Arc::new(Queue::new(options.queue));
        let edition = Generation::default();
        let readers = ReaderPool::default();
        let checkpoint = checkpoint::start(path, options, serials.clone(), readers.clone())?;
        let log = checkpoint.log.clone();
        link.watch(edition.clone(), move |frames| log.grown(frames))?;
        let durable = CommitTracker::default();
        let syncer = syncer(path, options, heads)?.start(durable.clone(), queue.clone())?;
        let writer = writer::start(
            link,
            queue.clone(),
            options,
            (durable.clone(), edition.clone(), checkpoint.log.clone()),
        )?;
        let threads = Threads { writer: Some(writer), syncer: Some(syncer), checkpoint: Some(checkpoint) };
        Ok(Self {
            path: path.into(),
            readers,
            queue,
            threads: Mutex::new(threads),
            edition,
            durable,
            serials,
        })
    }

    pub(crate) fn queue(&self) -> &Queue<Box<dyn Job>> {
        &self.queue
    }

    pub(crate) fn serials(&self) -> &Serials {
        &self.serials
    }

    pub(crate) fn auth_generation(&self) -> u64 {
        self.edition.number()
    }

    /// Runs at once on the calling thread: a point read takes microseconds, less than handing it to another thread. What
    /// it has seen is told when it is on the disk.
    pub(crate) async fn read<T>(
        &self,
        closure: &impl Fn(&mut Tx<'_>) -> Result<T, UseCaseError>,
    ) -> Result<T, UseCaseError> {
        let result = self.look(closure);
        match self.durable.awaited() {
            None => result,
            Some(disk) => disk.await.map_or(Err(UseCaseError::Failed(StoreError::Closed)), |()| result),
        }
    }

    /// The same on a thread that may wait.
    pub(crate) fn read_blocking<T>(
        &self,
        closure: &impl Fn(&mut Tx<'_>) -> Result<T, UseCaseError>,
    ) -> Result<T, UseCaseError> {
        let result = self.look(closure);
        match self.durable.awaited() {
            None => result,
            Some(disk) => {
                disk.blocking_recv().map_or(Err(UseCaseError::Failed(StoreError::Closed)), |()| result)
            }
        }
    }

    fn look<T>(&self, closure: &impl Fn(&mut Tx<'_>) -> Result<T, UseCaseError>) -> Result<T, UseCaseError> {
        let mut link = match self.readers.take() {
            Some(link) => link,
            None => SqliteConnection::open_reader(&self.path, self.serials.clone())?,
        };
        link.view(self.durable.last())?;
        let (ran, result) = run_once(closure, &mut Tx::new(Connection::Sqlite(&mut link), None));
        // A reader under which the engine failed is not used again.
        if !matches!(ran, JobOutcome::Failed(_)) {
            self.readers.put(link);
        }
        result
    }

    /// Does what is waiting, folds the log into the file, and ends the threads.
    pub(crate) fn close(&self) {
        self.queue.close();
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = threads.writer.take() {
            let _ = writer.join();
        }
        if let Some(syncer) = threads.syncer.take() {
            let _ = syncer.join();
        }
        self.readers.clear();
        if let Some(checkpoint) = threads.checkpoint.take() {
            checkpoint.finish();
        }
    }
}

fn syncer(path: &Path, options: &StoreOptions, heads: &ChainHeads) -> Result<WalSyncer, StoreError> {
    let log = File::open(wal_sync::log_of(path)).map_err(StoreError::internal)?;
    let sync = match options.durability {
        Durability::Full => options.sync,
        Durability::None => |_: &File| Ok(()),
    };
    Ok(WalSyncer { log, sync, on_io_failure: options.on_io_failure, heads: heads.clone() })
}

impl Drop for SqliteEngine {
    fn drop(&mut self) {
        self.close();
    }
}
