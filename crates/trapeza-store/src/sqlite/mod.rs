//! The embedded engine: one writer that commits waiting jobs together, readers that run where they are called, and a
//! thread that folds the write-ahead log back into the file.

mod checkpoint;
mod edition;
pub(crate) mod link;
mod readers;
mod writer;

use edition::Edition;
use link::SqliteLink;
use readers::Readers;

use crate::chain::Heads;
use crate::error::{Stop, StoreError};
use crate::job::{Job, Ran, run_once};
use crate::migration;
use crate::options::StoreOptions;
use crate::queue::Queue;
use crate::tx::{Link, Tx};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

pub(crate) struct SqliteEngine {
    path: PathBuf,
    readers: Readers,
    queue: Arc<Queue<Box<dyn Job>>>,
    threads: Mutex<Threads>,
    edition: Edition,
}

struct Threads {
    writer: Option<JoinHandle<()>>,
    checkpoint: Option<checkpoint::Checkpointer>,
}

impl SqliteEngine {
    pub(crate) fn open(path: &Path, options: &StoreOptions, heads: &Heads) -> Result<Self, StoreError> {
        let mut link = SqliteLink::open_writer(path, options)?;
        migration::apply_sqlite(&mut link)?;
        let queue = Arc::new(Queue::new(options.queue));
        let edition = Edition::default();
        link.watch(edition.clone())?;
        let writer = writer::start(link, queue.clone(), options, heads.clone(), edition.clone())?;
        let checkpoint = checkpoint::start(path, options)?;
        let threads = Threads { writer: Some(writer), checkpoint: Some(checkpoint) };
        let (readers, threads) = (Readers::default(), Mutex::new(threads));
        Ok(Self { path: path.into(), readers, queue, threads, edition })
    }

    pub(crate) fn queue(&self) -> &Queue<Box<dyn Job>> {
        &self.queue
    }

    pub(crate) fn edition(&self) -> u64 {
        self.edition.number()
    }

    /// Runs at once on the calling thread: a point read takes microseconds, less than handing it to another thread.
    pub(crate) fn read<T>(&self, closure: &impl Fn(&mut Tx<'_>) -> Result<T, Stop>) -> Result<T, Stop> {
        let mut link = match self.readers.take() {
            Some(link) => link,
            None => SqliteLink::open_reader(&self.path)?,
        };
        link.batch("BEGIN")?;
        let (ran, result) = run_once(closure, &mut Tx::new(Link::Sqlite(&mut link), None));
        link.batch("COMMIT")?;
        // A reader under which the engine failed is not used again.
        if !matches!(ran, Ran::Failed(_)) {
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
        self.readers.clear();
        if let Some(checkpoint) = threads.checkpoint.take() {
            checkpoint.finish();
        }
    }
}

impl Drop for SqliteEngine {
    fn drop(&mut self) {
        self.close();
    }
}
