//! WAL checkpoints, in a thread of their own.
//!
//! Syncing a WAL that is overwritten in place takes half as long as syncing one that grows, so the WAL must restart. SQLite
//! can restart it only after a complete checkpoint, which never happens while the writer goes on. So from a certain size on
//! the thread checkpoints what there is and syncs the database, and the writer checkpoints the few remaining frames between
//! two batches ([`WalMonitor::restart_if_ready`]).

use super::connection::{CheckpointMode, SqliteConnection};
use super::reader_pool::ReaderPool;
use super::wal_sync::wal_path;
use crate::error::StoreError;
use crate::options::{Durability, StoreOptions};
use metrics::{Counter, Histogram, counter, histogram};
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A page of 4 KiB and its header.
const FRAME_BYTES: u64 = 4096 + 24;
/// In frames. A shorter WAL is not checkpointed.
const CHECKPOINT_MIN_FRAMES: u32 = 1 << 10;
/// How many frames may remain for the writer. More remain while a reader has an old snapshot; the WAL then grows on.
const RESTART_MAX_REMAINING: u32 = 1 << 11;
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(1);
/// Between two attempts to restart the WAL.
const RESTART_INTERVAL: Duration = Duration::from_millis(50);
/// How long the writer waits for readers of the old WAL.
const RESTART_BUSY_TIMEOUT: Duration = Duration::from_millis(10);

enum Command {
    PrepareRestart,
    Stop,
}

/// How far a restart of the WAL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restart {
    NotNeeded,
    /// The writer has asked the thread to prepare it.
    Requested,
    /// The thread has checkpointed all but a few frames; the writer does the rest.
    Ready,
}

/// The writer's side of checkpointing.
#[derive(Clone)]
pub(super) struct WalMonitor {
    state: Arc<State>,
    thread: mpsc::Sender<Command>,
}

struct State {
    /// The length of the WAL.
    frames: AtomicU32,
    /// From this length on the WAL is to restart.
    restart_frames: u32,
    restart: Mutex<Restart>,
    readers: ReaderPool,
    on_io_failure: fn(&str),
    checkpoint_seconds: Histogram,
    checkpoint_errors: Counter,
}

impl WalMonitor {
    /// Records the length of the WAL after a commit, and requests a restart when it is long.
    pub(super) fn record_frames(&self, frames: u32) {
        self.state.frames.store(frames, Ordering::Relaxed);
        if frames >= self.state.restart_frames && self.state.advance(Restart::NotNeeded, Restart::Requested) {
            // The thread has ended when the store is closing.
            let _ = self.thread.send(Command::PrepareRestart);
        }
    }

    /// The length of the WAL after the last commit.
    pub(super) fn length_bytes(&self) -> u64 {
        u64::from(self.state.frames.load(Ordering::Relaxed)) * FRAME_BYTES
    }

    /// Restarts the WAL if that is prepared. Called by the writer, outside a transaction.
    pub(super) fn restart_if_ready(&self, connection: &SqliteConnection) {
        if self.state.advance(Restart::Ready, Restart::NotNeeded) {
            self.state.checkpoint(connection, CheckpointMode::Restart(RESTART_BUSY_TIMEOUT));
        }
    }
}

pub(super) struct Checkpointer {
    pub(super) monitor: WalMonitor,
    thread: JoinHandle<()>,
}

impl Checkpointer {
    pub(super) fn start(
        path: &Path,
        options: &StoreOptions,
        readers: ReaderPool,
    ) -> Result<Self, StoreError> {
        // An earlier process may have left frames.
        let frames = std::fs::metadata(wal_path(path)).map_or(0, |wal| wal.len() / FRAME_BYTES);
        let state = Arc::new(State {
            frames: AtomicU32::new(u32::try_from(frames).unwrap_or(u32::MAX)),
            restart_frames: options.wal_restart_frames,
            restart: Mutex::new(Restart::NotNeeded),
            readers,
            on_io_failure: options.on_io_failure,
            checkpoint_seconds: histogram!("trapeza_sqlite_checkpoint_seconds"),
            checkpoint_errors: counter!("trapeza_sqlite_checkpoint_errors_total"),
        });
        let worker = Worker {
            state: state.clone(),
            connection: SqliteConnection::open_writer(path, options)?,
            database: match options.durability {
                Durability::Full => Some(File::open(path).map_err(StoreError::internal)?),
                Durability::None => None,
            },
        };
        let (thread, commands) = mpsc::channel();
        let running =
            std::thread::Builder::new().name("sqlite-checkpoint".into()).spawn(move || worker.run(&commands));
        let monitor = WalMonitor { state, thread };
        Ok(Self { monitor, thread: running.map_err(StoreError::internal)? })
    }

    pub(super) fn stop(self) {
        let _ = self.monitor.thread.send(Command::Stop);
        let _ = self.thread.join();
    }
}

struct Worker {
    state: Arc<State>,
    connection: SqliteConnection,
    /// The database file. Closing it releases the locks of all connections of this process (POSIX locks), so it is dropped
    /// after the connection.
    database: Option<File>,
}

impl Worker {
    fn run(&self, commands: &mpsc::Receiver<Command>) {
        loop {
            match commands.recv_timeout(CHECKPOINT_INTERVAL) {
                Ok(Command::PrepareRestart) => {
                    let next = if self.prepare_restart() { Restart::Ready } else { Restart::NotNeeded };
                    self.state.advance(Restart::Requested, next);
                    std::thread::sleep(RESTART_INTERVAL);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if self.state.frames.load(Ordering::Relaxed) >= CHECKPOINT_MIN_FRAMES {
                        self.checkpoint();
                    }
                }
                Ok(Command::Stop) | Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        // The next start has nothing to recover.
        self.state.checkpoint(&self.connection, CheckpointMode::Truncate);
    }

    /// Checkpoints the WAL and syncs the database, which SQLite leaves to the checkpoint of the last frame; then checkpoints
    /// what was committed meanwhile. Returns whether few enough frames remain for the writer.
    fn prepare_restart(&self) -> bool {
        self.checkpoint();
        if let Some(Err(error)) = self.database.as_ref().map(File::sync_data) {
            (self.state.on_io_failure)(&format!("the database could not be synced: {error}"));
        }
        self.checkpoint();
        self.checkpoint().is_some_and(|remaining| remaining < RESTART_MAX_REMAINING)
    }

    fn checkpoint(&self) -> Option<u32> {
        self.state.checkpoint(&self.connection, CheckpointMode::Passive)
    }
}

impl State {
    /// Runs a checkpoint and returns how many frames remain, if that is known.
    fn checkpoint(&self, connection: &SqliteConnection, mode: CheckpointMode) -> Option<u32> {
        let snapshots_closed = self.readers.close_snapshots();
        let started = Instant::now();
        let result = connection.checkpoint(mode);
        drop(snapshots_closed);
        self.checkpoint_seconds.record(started.elapsed());
        match result {
            Ok(remaining) => Some(remaining),
            Err(error) => {
                self.checkpoint_errors.increment(1);
                tracing::warn!(%error, ?mode, "wal: checkpoint failed, retrying");
                // Pages whose sync has failed count as written the next time: the WAL would be overwritten too early.
                if let StoreError::IoFailure(cause) = &error {
                    (self.on_io_failure)(&cause.to_string());
                }
                None
            }
        }
    }

    /// Moves the restart from one state to the next; false when it is not in the state `from`.
    fn advance(&self, from: Restart, to: Restart) -> bool {
        let mut restart = self.restart();
        let is_expected = *restart == from;
        if is_expected {
            *restart = to;
        }
        is_expected
    }

    fn restart(&self) -> MutexGuard<'_, Restart> {
        self.restart.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
