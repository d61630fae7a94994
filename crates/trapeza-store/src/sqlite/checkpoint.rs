//! Folds the write-ahead log back into the database file, away from the writer, so that no request waits for it.

use super::durable::log_of;
use super::link::SqliteLink;
use crate::error::StoreError;
use crate::options::StoreOptions;
use crate::serial::Serials;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// Below this the log is left alone: a short log costs nobody anything.
const FOLD_FROM_BYTES: u64 = 4 << 20;
/// Above this even the writer has to wait for a moment: an endless log would fill the disk and slow every read.
const CUT_FROM_BYTES: u64 = 256 << 20;
const EVERY: Duration = Duration::from_secs(1);

pub(super) struct Checkpointer {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

pub(super) fn start(
    path: &Path,
    options: &StoreOptions,
    serials: Arc<Serials>,
) -> Result<Checkpointer, StoreError> {
    let link = SqliteLink::open_writer(path, options, serials)?;
    let log = log_of(path);
    let (stop, stopped) = mpsc::channel();
    let thread = std::thread::Builder::new()
        .name("sqlite-checkpoint".into())
        .spawn(move || {
            while let Err(mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(EVERY) {
                let bytes = std::fs::metadata(&log).map_or(0, |file| file.len());
                if bytes >= CUT_FROM_BYTES {
                    fold(&link, "TRUNCATE");
                } else if bytes >= FOLD_FROM_BYTES {
                    fold(&link, "PASSIVE");
                }
            }
            fold(&link, "TRUNCATE");
        })
        .map_err(StoreError::broken)?;
    Ok(Checkpointer { stop, thread })
}

impl Checkpointer {
    /// A last fold, so that the next start has nothing to recover.
    pub(super) fn finish(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}

fn fold(link: &SqliteLink, mode: &str) {
    if let Err(error) = link.pragma_value(&format!("wal_checkpoint({mode})")) {
        tracing::warn!(%error, mode, "the write-ahead log could not be folded back; it will be tried again");
    }
}
