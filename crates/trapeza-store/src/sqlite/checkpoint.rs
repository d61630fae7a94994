//! Folds the write-ahead log back into the database file, away from the writer, so that requests hardly wait for it.
//!
//! A log that begins anew is written over in place, which a disk syncs in half the time of one that grows. It can begin
//! anew only when all of it is in the file, which never comes about while the writer goes on. So the thread here folds
//! what there is, and the writer folds the little that came meanwhile, between two batches ([`Log::turn`]).

use super::link::{Fold, SqliteLink};
use super::readers::Readers;
use crate::error::StoreError;
use crate::options::StoreOptions;
use crate::serial::Serials;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// In pages of 4 KiB. Below this the log is left alone: a short log costs nobody anything.
const FOLD_FROM: u32 = 1 << 10;
/// From here on it has to begin anew: a long one slows reads down, and the next start.
const TURN_FROM: u32 = 1 << 15;
/// How often it is folded before it is the writer's turn, who should find little.
const ROUNDS: usize = 3;
const EVERY: Duration = Duration::from_secs(1);
/// Between two attempts to begin anew. A reader that has been reading for long makes them vain.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the writer waits for readers who still use the old log.
const PATIENCE: Duration = Duration::from_millis(10);

enum Call {
    Turn,
    End,
}

/// What the writer and the thread that folds tell each other about the log.
#[derive(Clone)]
pub(super) struct Log(Arc<State>);

struct State {
    /// How long it is.
    frames: AtomicU32,
    /// The thread was called and has not answered yet.
    called: AtomicBool,
    /// It is the writer's turn.
    turn: AtomicBool,
    thread: mpsc::Sender<Call>,
    readers: Readers,
    on_ruin: fn(&str),
}

impl Log {
    /// The writer has committed, and the log is that long now.
    pub(super) fn grown(&self, frames: u32) {
        self.0.frames.store(frames, Ordering::Relaxed);
        if frames >= TURN_FROM && !self.0.called.swap(true, Ordering::Relaxed) {
            // Nobody is there any more when the store is closing.
            let _ = self.0.thread.send(Call::Turn);
        }
    }

    /// Lets the log begin anew if it is time. Called by the writer, outside of a transaction.
    pub(super) fn turn(&self, link: &SqliteLink) {
        if self.0.turn.load(Ordering::Relaxed) && self.0.turn.swap(false, Ordering::Relaxed) {
            self.0.fold(link, Fold::Restart(PATIENCE));
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
    readers: Readers,
) -> Result<Checkpointer, StoreError> {
    let link = SqliteLink::open_writer(path, options, serials)?;
    let (thread, calls) = mpsc::channel();
    let (frames, called, turn) = (AtomicU32::new(0), AtomicBool::new(false), AtomicBool::new(false));
    let log = Log(Arc::new(State { frames, called, turn, thread, readers, on_ruin: options.on_ruin }));
    let state = log.0.clone();
    let run = move || {
        loop {
            match calls.recv_timeout(EVERY) {
                Ok(Call::Turn) => {
                    // While one goes on the log grows; the next has the less to do.
                    (0..ROUNDS).for_each(|_| state.fold(&link, Fold::Passive));
                    state.turn.store(true, Ordering::Relaxed);
                    std::thread::sleep(PAUSE);
                    state.called.store(false, Ordering::Relaxed);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if state.frames.load(Ordering::Relaxed) >= FOLD_FROM {
                        state.fold(&link, Fold::Passive);
                    }
                }
                Ok(Call::End) | Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        // So that the next start has nothing to recover.
        state.fold(&link, Fold::Truncate);
    };
    let thread = std::thread::Builder::new().name("sqlite-checkpoint".into()).spawn(run);
    Ok(Checkpointer { log, thread: thread.map_err(StoreError::broken)? })
}

impl Checkpointer {
    pub(super) fn finish(self) {
        let _ = self.log.0.thread.send(Call::End);
        let _ = self.thread.join();
    }
}

impl State {
    fn fold(&self, link: &SqliteLink, how: Fold) {
        let no_views = self.readers.let_go();
        let folded = link.fold(how);
        drop(no_views);
        let Err(error) = folded else { return };
        tracing::warn!(%error, ?how, "the write-ahead log could not be folded back; it will be tried again");
        // Pages whose sync has failed once are taken for written the next time: the log would be given up too early.
        if error.is_ruin() {
            (self.on_ruin)(&error.to_string());
        }
    }
}
