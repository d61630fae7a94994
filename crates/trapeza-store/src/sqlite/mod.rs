//! The embedded engine: one writer that commits waiting jobs together, a thread that syncs the WAL and answers for the
//! commits, readers that run on the calling thread, and a checkpoint thread.

mod checkpoint;
pub(crate) mod connection;
mod generation;
mod reader_pool;
pub(crate) mod value;
mod wal_sync;
mod writer;

use checkpoint::{Checkpointer, WalMonitor};
use connection::SqliteConnection;
use generation::Generation;
use reader_pool::ReaderPool;
use wal_sync::{CommitTracker, WalSyncer};
use writer::Writer;

use crate::audit_chain::ChainHeads;
use crate::error::{StoreError, UseCaseError};
use crate::job::{Job, JobOutcome, run_once};
use crate::migration;
use crate::options::{Durability, StoreOptions};
use crate::queue::Queue;
use crate::tx::Tx;
use metrics::{gauge, histogram};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

pub(crate) struct SqliteEngine {
    path: PathBuf,
    readers: ReaderPool,
    queue: Arc<Queue<Job>>,
    threads: Mutex<Option<Threads>>,
    generation: Generation,
    commits: CommitTracker,
    wal: WalMonitor,
}

struct Threads {
    writer: JoinHandle<()>,
    syncer: JoinHandle<()>,
    checkpointer: Checkpointer,
}

impl SqliteEngine {
    pub(crate) fn open(path: &Path, options: &StoreOptions, heads: &ChainHeads) -> Result<Self, StoreError> {
        let mut connection = SqliteConnection::open_writer(path, options)?;
        migration::apply(&mut connection)?;
        let queue = Arc::new(Queue::new(options.queue_capacity));
        let (generation, readers, commits) =
            (Generation::default(), ReaderPool::default(), CommitTracker::default());
        let checkpointer = Checkpointer::start(path, options, readers.clone())?;
        let wal = checkpointer.monitor.clone();
        connection.install_hooks(generation.clone(), move |frames| wal.record_frames(frames))?;
        let syncer = wal_syncer(path, options, heads)?.start(commits.clone(), queue.clone())?;
        let wal = checkpointer.monitor.clone();
        let writer = Writer::new(connection, options, commits.clone(), generation.clone(), wal.clone());
        let threads = Threads { writer: writer.start(queue.clone())?, syncer, checkpointer };
        Ok(Self {
            path: path.into(),
            readers,
            queue,
            threads: Mutex::new(Some(threads)),
            generation,
            commits,
            wal,
        })
    }

    pub(crate) fn queue(&self) -> &Queue<Job> {
        &self.queue
    }

    /// Sets the gauges of the engine.
    pub(crate) fn metrics_sample(&self) {
        gauge!("trapeza_sqlite_wal_bytes").set(self.wal.length_bytes() as f64);
    }

    pub(crate) fn auth_generation(&self) -> u64 {
        self.generation.number()
    }

    /// Runs on the calling thread: a point read takes microseconds, less than a switch to another thread. What was read may
    /// be returned once it is durable.
    pub(crate) fn read(
        &self,
        closure: &mut dyn FnMut(&mut Tx<'_>) -> Result<(), UseCaseError>,
    ) -> Result<(), UseCaseError> {
        let mut connection = match self.readers.acquire() {
            Some(connection) => connection,
            None => SqliteConnection::open_reader(&self.path)?,
        };
        connection.open_snapshot(self.commits.last_commit())?;
        let (outcome, result) = run_once(&mut Tx::new(&mut connection, None), closure);
        // A connection that failed is not used again.
        if !matches!(outcome, JobOutcome::Failed(_)) {
            self.readers.release(connection);
        }
        result
    }

    /// Waits until everything that was read is durable.
    pub(crate) async fn wait_for_durable(&self) -> Result<(), StoreError> {
        match self.commits.wait_for_durable() {
            None => Ok(()),
            Some(durable) => durable.await.map_err(|_| StoreError::Closed),
        }
    }

    /// The same on a thread that may block.
    pub(crate) fn wait_for_durable_blocking(&self) -> Result<(), StoreError> {
        match self.commits.wait_for_durable() {
            None => Ok(()),
            Some(durable) => durable.blocking_recv().map_err(|_| StoreError::Closed),
        }
    }

    /// Runs the jobs in the queue, checkpoints the WAL, and ends the threads.
    pub(crate) fn close(&self) {
        self.queue.close();
        // Locked until the threads have ended, so that a second call waits for them too.
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Threads { writer, syncer, checkpointer }) = threads.take() else { return };
        // A thread that panicked has already failed its jobs.
        let _ = writer.join();
        let _ = syncer.join();
        self.readers.clear();
        checkpointer.stop();
    }
}

fn wal_syncer(path: &Path, options: &StoreOptions, heads: &ChainHeads) -> Result<WalSyncer, StoreError> {
    let wal = File::open(wal_sync::wal_path(path)).map_err(StoreError::internal)?;
    let sync = match options.durability {
        Durability::Full => options.sync,
        Durability::None => |_: &File| Ok(()),
    };
    Ok(WalSyncer {
        wal,
        sync,
        on_io_failure: options.on_io_failure,
        heads: heads.clone(),
        sync_seconds: histogram!("trapeza_sqlite_sync_seconds"),
    })
}

impl Drop for SqliteEngine {
    fn drop(&mut self) {
        self.close();
    }
}
