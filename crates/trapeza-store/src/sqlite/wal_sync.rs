//! Pipelined group commit. The writer commits into the WAL without syncing it and goes on with the next batch; a thread syncs
//! the WAL, once for all commits that were made meanwhile, and only then answers their callers.
//!
//! A commit is visible before it is durable. A reader that may have seen such a commit waits until it is durable
//! ([`CommitTracker::wait_for_durable`]), so that no response contains what a power cut could take back.

use crate::audit_chain::{AuditHead, ChainHeads};
use crate::error::{Cause, StoreError};
use crate::job::Job;
use crate::queue::Queue;
use metrics::Histogram;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::oneshot;

/// Shared by the writer, the sync thread and the readers. Commits are numbered from 1.
#[derive(Clone, Default)]
pub(super) struct CommitTracker(Arc<State>);

#[derive(Default)]
struct State {
    /// The last commit that may be visible; raised before the commit.
    visible: AtomicU64,
    /// The last commit that was made, or attempted and failed.
    committed: AtomicU64,
    /// The last commit that is on the disk.
    durable: AtomicU64,
    /// Commits wait for the sync thread.
    busy: AtomicBool,
    pending: Mutex<Pending>,
    changed: Condvar,
}

#[derive(Default)]
struct Pending {
    commits: Option<Commits>,
    /// Readers, and the commit that each waits for.
    readers: Vec<(u64, oneshot::Sender<()>)>,
    closed: bool,
    failure: Option<StoreError>,
}

/// The commits that one sync makes durable.
struct Commits {
    last: u64,
    jobs: Vec<Job>,
    head: AuditHead,
}

impl CommitTracker {
    /// Begins a commit: from now on it may be visible. It must be enqueued for sync, also when it failed.
    pub(super) fn begin_commit(&self) -> u64 {
        self.0.visible.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Records that a commit was made or failed, before its callers are answered.
    pub(super) fn end_commit(&self, number: u64) {
        self.0.committed.store(number, Ordering::SeqCst);
    }

    /// The last commit that a snapshot opened from now on contains.
    pub(super) fn last_commit(&self) -> u64 {
        self.0.committed.load(Ordering::SeqCst)
    }

    /// Hands the jobs of a commit to the sync thread, which answers them once the commit is durable.
    pub(super) fn enqueue_for_sync(&self, number: u64, mut jobs: Vec<Job>, head: AuditHead) {
        let mut pending = self.lock();
        if let Some(failure) = pending.failure.clone() {
            drop(pending);
            return jobs.into_iter().for_each(|job| job.fail(failure.clone()));
        }
        self.0.busy.store(true, Ordering::SeqCst);
        match &mut pending.commits {
            Some(commits) => {
                commits.jobs.append(&mut jobs);
                (commits.last, commits.head) = (number, head);
            }
            none => *none = Some(Commits { last: number, jobs, head }),
        }
        drop(pending);
        self.0.changed.notify_one();
    }

    /// Whether a sync is running or pending, so that a commit now would wait for it.
    pub(super) fn is_busy(&self) -> bool {
        self.0.busy.load(Ordering::SeqCst)
    }

    /// Called after a read: what the reader must wait for before it returns what it has read. Usually nothing.
    pub(super) fn wait_for_durable(&self) -> Option<oneshot::Receiver<()>> {
        let visible = self.0.visible.load(Ordering::SeqCst);
        if self.0.durable.load(Ordering::SeqCst) >= visible {
            return None;
        }
        let mut pending = self.lock();
        // The sync may have ended in between.
        if self.0.durable.load(Ordering::SeqCst) >= visible {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        if pending.failure.is_none() {
            pending.readers.push((visible, sender));
        }
        Some(receiver)
    }

    /// No more commits follow: the sync thread ends after those that are pending.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.0.changed.notify_one();
    }

    fn next(&self) -> Option<Commits> {
        let mut pending = self.lock();
        loop {
            if let Some(commits) = pending.commits.take() {
                return Some(commits);
            }
            if pending.closed {
                return None;
            }
            pending = self.0.changed.wait(pending).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// All commits up to this one are durable.
    fn mark_durable(&self, last: u64) {
        let mut pending = self.lock();
        self.0.durable.store(last, Ordering::SeqCst);
        self.0.busy.store(pending.commits.is_some(), Ordering::SeqCst);
        pending.readers.extract_if(.., |(wanted, _)| *wanted <= last).for_each(|(_, reader)| {
            // A reader that is gone needs no answer.
            let _ = reader.send(());
        });
    }

    /// It is unknown what is on the disk: no commit is acknowledged any more. Returns the jobs that were pending.
    fn mark_failed(&self, failure: &StoreError) -> Vec<Job> {
        let mut pending = self.lock();
        pending.failure = Some(failure.clone());
        pending.readers.clear();
        self.0.busy.store(false, Ordering::SeqCst);
        pending.commits.take().map_or(Vec::new(), |commits| commits.jobs)
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        // Nothing panics while the lock is held.
        self.0.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Syncs the WAL of a database. The file exists as long as a connection does.
pub(super) struct WalSyncer {
    pub(super) wal: File,
    pub(super) sync: fn(&File) -> io::Result<()>,
    pub(super) on_io_failure: fn(&str),
    pub(super) heads: ChainHeads,
    pub(super) sync_seconds: Histogram,
}

pub(super) fn wal_path(database: &Path) -> PathBuf {
    format!("{}-wal", database.display()).into()
}

impl WalSyncer {
    /// Starts the thread with a sync, so that earlier commits are durable too.
    pub(super) fn start(
        self,
        tracker: CommitTracker,
        queue: Arc<Queue<Job>>,
    ) -> Result<JoinHandle<()>, StoreError> {
        (self.sync)(&self.wal).map_err(|error| StoreError::IoFailure(Cause::new(error)))?;
        let run = move || {
            while let Some(commits) = tracker.next() {
                self.sync_commits(&tracker, &queue, commits);
            }
        };
        std::thread::Builder::new().name("sqlite-sync".into()).spawn(run).map_err(StoreError::internal)
    }

    fn sync_commits(&self, tracker: &CommitTracker, queue: &Queue<Job>, commits: Commits) {
        let Commits { last, mut jobs, head } = commits;
        let started = Instant::now();
        let synced = (self.sync)(&self.wal);
        self.sync_seconds.record(started.elapsed());
        match synced {
            Ok(()) => {
                self.heads.set(head);
                tracker.mark_durable(last);
                // The writer commits its next batch while these jobs are answered.
                queue.wake();
                jobs.into_iter().for_each(|job| job.reply());
            }
            Err(error) => {
                let cause = format!("the WAL could not be synced: {error}");
                let failure = StoreError::outcome_unknown(&cause);
                jobs.append(&mut tracker.mark_failed(&failure));
                queue.wake();
                tracing::error!(jobs = jobs.len(), cause, "wal: sync failed, commits are not acknowledged");
                jobs.into_iter().for_each(|job| job.fail(failure.clone()));
                (self.on_io_failure)(&cause);
            }
        }
    }
}
