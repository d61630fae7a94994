//! How a store is opened.

use std::fs::File;
use std::io;
use std::time::Duration;

/// What a commit waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The disk. What was answered survives a power cut.
    Full,
    /// Nothing. For throw-away data only: a measurement, a test of something else.
    None,
}

#[derive(Clone)]
pub struct StoreOptions {
    /// Jobs that may wait in each lane before callers are told to come again.
    pub queue: usize,
    /// The most jobs that share one commit.
    pub batch_jobs: usize,
    /// The longest a batch may run before it is committed.
    pub batch_time: Duration,
    /// Connections to PostgreSQL, each on its own thread.
    pub postgres_threads: usize,
    pub durability: Durability,
    /// Keys the audit chains; kept outside the database.
    pub audit_key: [u8; 32],
    /// Seals the ids of what SQLite keeps by running numbers; kept outside the database, and never changed.
    pub id_key: [u8; 16],
    /// Names this process's audit chains: random, new at each start.
    pub writer: [u8; 16],
    /// Puts SQLite's log on the disk; not called for throw-away data.
    pub sync: fn(&File) -> io::Result<()>,
    /// Called when the disk has failed and only a fresh start tells what is on it.
    pub on_io_failure: fn(&str),
}

impl StoreOptions {
    pub fn new(audit_key: [u8; 32], id_key: [u8; 16], writer: [u8; 16]) -> Self {
        Self {
            queue: 1024,
            batch_jobs: 256,
            batch_time: Duration::from_millis(5),
            postgres_threads: 16,
            durability: Durability::Full,
            audit_key,
            id_key,
            writer,
            sync: File::sync_data,
            on_io_failure: end_process,
        }
    }
}

fn end_process(why: &str) {
    tracing::error!(why, "the disk failed; the process ends so that the next start recovers from the log");
    std::process::exit(74);
}
