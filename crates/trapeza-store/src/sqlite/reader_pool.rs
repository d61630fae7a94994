//! Idle reader connections, in a shard for the thread that used them last: their pages and statements are in that core's
//! cache, and fetching them from another core takes longer than most reads.
//!
//! Idle readers keep their snapshot open. An open snapshot keeps a checkpoint from going beyond it, so a checkpoint closes
//! them first ([`ReaderPool::close_snapshots`]).

use super::connection::SqliteConnection;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More than there are threads that read; threads of the same shard share its connections.
const SHARDS: usize = 32;

#[derive(Clone, Default)]
pub(super) struct ReaderPool(Arc<State>);

#[derive(Default)]
struct State {
    shards: [Shard; SHARDS],
    /// How many checkpoints need all snapshots closed.
    checkpoints: AtomicUsize,
}

/// While it exists no idle reader has an open snapshot.
pub(super) struct SnapshotsClosed<'a>(&'a ReaderPool);

impl Drop for SnapshotsClosed<'_> {
    fn drop(&mut self) {
        self.0.0.checkpoints.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Aligned so that no two shards share a cache line.
#[derive(Default)]
#[repr(align(128))]
struct Shard(Mutex<Vec<SqliteConnection>>);

impl Shard {
    fn lock(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReaderPool {
    pub(super) fn acquire(&self) -> Option<SqliteConnection> {
        self.shard().lock().pop()
    }

    pub(super) fn release(&self, mut connection: SqliteConnection) {
        let mut shard = self.shard().lock();
        // Checked under the shard's lock: a checkpoint closes the snapshots of connections that were released before.
        if self.0.checkpoints.load(Ordering::SeqCst) == 0 || connection.close_snapshot().is_ok() {
            shard.push(connection);
        }
    }

    /// Closes the snapshots of idle readers, and of those that are released while the guard exists.
    pub(super) fn close_snapshots(&self) -> SnapshotsClosed<'_> {
        self.0.checkpoints.fetch_add(1, Ordering::SeqCst);
        for shard in &self.0.shards {
            shard.lock().retain_mut(|connection| connection.close_snapshot().is_ok());
        }
        SnapshotsClosed(self)
    }

    pub(super) fn clear(&self) {
        self.0.shards.iter().for_each(|shard| shard.lock().clear());
    }

    fn shard(&self) -> &Shard {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static NUMBER: usize = THREADS.fetch_add(1, Ordering::Relaxed);
        }
        &self.0.shards[NUMBER.with(|number| *number) % SHARDS]
    }
}
