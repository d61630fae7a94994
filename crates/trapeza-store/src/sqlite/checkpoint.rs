//! Folds the write-ahead log back into the database file, away from the writer, so that requests hardly wait for it.
//!
//! A log that begins anew is written over in place, which a disk syncs in half the time of one that grows. It can begin
//! anew only when all of it is in the file, which never comes about while the writer goes on. So the thread here folds
//! what there is and puts it on the disk, and the writer folds the little that came meanwhile, between two batches
//! ([`Log::turn`]).

use super::connection::{Fold, SqliteConnection};
use super::reader_pool::ReaderPool;
use super::wal_sync::log_of;
use crate::error::StoreError;
use crate::options::{Durability, StoreOptions};
use crate::serial::Serials;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// A page of 4 KiB and its head.
const FRAME_BYTES: u64 = 4096 + 24;
/// In pages. Below this the log is left alone: a short log costs nobody anything.
const FOLD_FROM: u32 = 1 << 10;
/// From here on it has to begin anew: a long one slows reads down, and the next start.
const TURN_FROM: u32 = 1 << 15;
/// What may be left for the writer. Behind somebody who has been reading for long it is more, and the log goes on.
const LITTLE: u32 = 1 << 11;
const EVERY: Duration = Duration::from_secs(1);
/// Between two attempts to begin anew.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the writer waits for readers who still use the old log.
const PATIENCE: Duration = Duration::from_millis(10);

enum Call {
    Turn,
    End,
}

/// The writer's end of what it and the thread that folds tell each other about the log.
#[derive(Clone)]
pub(super) struct Log {
    state: Arc<State>,
    thread: mpsc::Sender<Call>,
}

struct State {
    /// How long it is.
    frames: AtomicU32,
    /// The thread was called and has not answered yet.
    called: AtomicBool,
    /// It is the writer's turn.
    turn: AtomicBool,
    readers: ReaderPool,
    on_io_failure: fn(&str),
}

impl Log {
    /// The writer has committed, and the log is that long now.
    pub(super) fn grown(&self, frames: u32) {
        self.state.frames.store(frames, Ordering::Relaxed);
        if frames >= TURN_FROM && !self.state.called.swap(true, Ordering::Relaxed) {
            // Nobody is there any more when the store is closing.
            let _ = self.thread.send(Call::Turn);
        }
    }

    /// Lets the log begin anew if it is time. Called by the writer, outside of a transaction.
    pub(super) fn turn(&self, link: &SqliteConnection) {
        if self.state.turn.load(Ordering::Relaxed) && self.state.turn.swap(false, Ordering::Relaxed) {
            self.state.fold(link, Fold::Restart(PATIENCE));
        }
    }
}

pub(super) struct Checkpointer {
    pub(super) log: Log,
    thread: JoinHandle<()>,
}

pub(super) fn start(
    path: &Path,
    options: &StoreOptions,
    serials: Arc<Serials>,
    readers: ReaderPool,
) -> Result<Checkpointer, StoreError> {
    let link = SqliteConnection::open_writer(path, options, serials)?;
    let (thread, calls) = mpsc::channel();
    // What an earlier process has left is there before the first commit tells.
    let left = std::fs::metadata(log_of(path)).map_or(0, |log| log.len() / FRAME_BYTES);
    let state = Arc::new(State {
        frames: AtomicU32::new(u32::try_from(left).unwrap_or(u32::MAX)),
        called: AtomicBool::new(false),
        turn: AtomicBool::new(false),
        readers,
        on_io_failure: options.on_io_failure,
    });
    let file = match options.durability {
        Durability::Full => Some(File::open(path).map_err(StoreError::internal)?),
        Durability::None => None,
    };
    let folder = Folder { state: state.clone(), link, file };
    let run = move || {
        loop {
            match calls.recv_timeout(EVERY) {
                Ok(Call::Turn) => {
                    folder.prepare_turn();
                    std::thread::sleep(PAUSE);
                    folder.state.called.store(false, Ordering::Relaxed);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if folder.state.frames.load(Ordering::Relaxed) >= FOLD_FROM {
                        folder.state.fold(&folder.link, Fold::Passive);
                    }
                }
                Ok(Call::End) | Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        // So that the next start has nothing to recover.
        folder.state.fold(&folder.link, Fold::Truncate);
    };
    let running = std::thread::Builder::new().name("sqlite-checkpoint".into()).spawn(run);
    Ok(Checkpointer { log: Log { state, thread }, thread: running.map_err(StoreError::internal)? })
}

struct Folder {
    state: Arc<State>,
    link: SqliteConnection,
    /// The database. Closing it ends the locks of all connections of this process, so it is the last to be closed.
    file: Option<File>,
}

impl Folder {
    /// Folds what there is and puts it on the disk, which SQLite leaves to whoever folds the last page; then what came
    /// meanwhile, and gives the rest to the writer if it is little.
    fn prepare_turn(&self) {
        self.state.fold(&self.link, Fold::Passive);
        if let Some(Err(error)) = self.file.as_ref().map(File::sync_data) {
            (self.state.on_io_failure)(&format!(
                "disk I/O error: the database could not be synced ({error})"
            ));
        }
        self.state.fold(&self.link, Fold::Passive);
        if self.state.fold(&self.link, Fold::Passive).is_some_and(|left| left < LITTLE) {
            self.state.turn.store(true, Ordering::Relaxed);
        }
    }
}

impl Checkpointer {
    pub(super) fn finish(self) {
        let _ = self.log.thread.send(Call::End);
        let _ = self.thread.join();
    }
}

impl State {
    /// Answers what is left, if that is known.
    fn fold(&self, link: &SqliteConnection, how: Fold) -> Option<u32> {
        let no_views = self.readers.let_go();
        let folded = link.fold(how);
        drop(no_views);
        folded.inspect_err(|error| {
            tracing::warn!(%error, ?how, "the write-ahead log could not be folded back; it will be tried again");
            // Pages whose sync has failed once are taken for written the next time: the log would be given up too early.
            if error.is_ruin() {
                (self.on_io_failure)(&error.to_string());
            }
        })
        .ok()
    }
}
