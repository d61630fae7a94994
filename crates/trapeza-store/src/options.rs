//! Options of a store.

use std::fs::File;
use std::io;
use std::time::Duration;

/// How long PostgreSQL is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostgresTimeouts {
    /// How long a connection attempt may take for each host, unless the URL says so.
    pub connect: Duration,
    /// How long the server may work on a statement, except in migrations and long reads. Also how long sent data may stay
    /// unacknowledged, so that a server that disappears is noticed.
    pub statement: Duration,
}

impl Default for PostgresTimeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), statement: Duration::from_secs(30) }
    }
}

/// What a commit waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The disk: an acknowledged commit survives a power cut.
    Full,
    /// Nothing. Only for data that may be lost, in measurements and tests.
    None,
}

#[derive(Clone)]
pub struct StoreOptions {
    /// How many jobs of each priority may wait.
    pub queue_capacity: usize,
    /// The largest number of jobs in one commit.
    pub batch_jobs: usize,
    /// The longest time that a batch runs before it is committed.
    pub batch_time: Duration,
    /// Connections to PostgreSQL, each with its own thread.
    pub postgres_threads: usize,
    pub postgres_timeouts: PostgresTimeouts,
    pub durability: Durability,
    /// The key of the audit chains, which is stored outside the database.
    pub audit_key: [u8; 32],
    /// Identifies this process's audit chains: random, new at each start.
    pub chain_seed: [u8; 16],
    /// From this number of frames on SQLite's WAL is to restart: a long one slows down reads and the next start.
    pub wal_restart_frames: u32,
    /// Syncs SQLite's WAL; not called without durability.
    pub sync: fn(&File) -> io::Result<()>,
    /// Called when the disk has failed, so that only a restart shows what is on it.
    pub on_io_failure: fn(&str),
}

impl StoreOptions {
    pub fn new(audit_key: [u8; 32], chain_seed: [u8; 16]) -> Self {
        Self {
            queue_capacity: 1024,
            batch_jobs: 256,
            batch_time: Duration::from_millis(5),
            postgres_threads: 16,
            postgres_timeouts: PostgresTimeouts::default(),
            durability: Durability::Full,
            audit_key,
            chain_seed,
            wal_restart_frames: 1 << 15,
            sync: File::sync_data,
            on_io_failure: exit_process,
        }
    }
}

fn exit_process(cause: &str) {
    tracing::error!(cause, "store: disk failed; exiting, the next start recovers from the WAL");
    std::process::exit(74);
}
