//! Commits on their way to the disk. The writer commits into the log and goes on with the next jobs; a thread of its own
//! syncs the log, one sync for all that was committed meanwhile, and only then answers.
//!
//! A commit can be seen before it is on the disk. ReaderPool that may have seen one wait for it ([`CommitTracker::awaited`]), so
//! that nobody is told what a power cut could take back.

use crate::audit_chain::{AuditHead, ChainHeads};
use crate::error::StoreError;
use crate::job::Job;
use crate::queue::Queue;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Shared by the writer, the thread that syncs, and the readers.
#[derive(Clone, Default)]
pub(super) struct CommitTracker(Arc<State>);

#[derive(Default)]
struct State {
    /// The last commit that may have been seen, counted before it is made.
    seen: AtomicU64,
    /// The last commit that was made, or tried and failed.
    made: AtomicU64,
    /// The last commit that is on the disk.
    kept: AtomicU64,
    /// Something was handed over and is not on the disk yet.
    busy: AtomicBool,
    line: Mutex<Line>,
    handed: Condvar,
}

#[derive(Default)]
struct Line {
    commits: Option<Commits>,
    /// ReaderPool, and the commit that each waits for.
    readers: Vec<(u64, oneshot::Sender<()>)>,
    ended: bool,
    ruin: Option<String>,
}

/// What one sync is for.
struct Commits {
    last: u64,
    jobs: Vec<Box<dyn Job>>,
    head: AuditHead,
}

impl CommitTracker {
    /// Begins a commit: from here on it may be seen. What is announced has to be handed over, also when it failed.
    pub(super) fn announce(&self) -> u64 {
        self.0.seen.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The commit was made, or failed; nobody was told yet.
    pub(super) fn made(&self, number: u64) {
        self.0.made.store(number, Ordering::SeqCst);
    }

    /// What a reader sees that begins now: at least everything up to this commit.
    pub(super) fn last(&self) -> u64 {
        self.0.made.load(Ordering::SeqCst)
    }

    /// Gives the callers of a commit over, to be answered when it is on the disk.
    pub(super) fn hand(&self, number: u64, mut jobs: Vec<Box<dyn Job>>, head: AuditHead) {
        let mut line = self.line();
        if let Some(why) = &line.ruin {
            let why = why.clone();
            drop(line);
            return jobs.into_iter().for_each(|job| job.fail(StoreError::OutcomeUnknown(why.clone())));
        }
        self.0.busy.store(true, Ordering::SeqCst);
        match &mut line.commits {
            Some(commits) => {
                commits.jobs.append(&mut jobs);
                (commits.last, commits.head) = (number, head);
            }
            none => *none = Some(Commits { last: number, jobs, head }),
        }
        drop(line);
        self.0.handed.notify_one();
    }

    /// Whether the disk has something to do, so that a commit now would only wait.
    pub(super) fn is_busy(&self) -> bool {
        self.0.busy.load(Ordering::SeqCst)
    }

    /// What a reader has to wait for before it tells what it has read, asked when it has read. Usually nothing.
    pub(super) fn awaited(&self) -> Option<oneshot::Receiver<()>> {
        let seen = self.0.seen.load(Ordering::SeqCst);
        if self.0.kept.load(Ordering::SeqCst) >= seen {
            return None;
        }
        let mut line = self.line();
        // It may have come in between.
        if self.0.kept.load(Ordering::SeqCst) >= seen {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        if line.ruin.is_none() {
            line.readers.push((seen, sender));
        }
        Some(receiver)
    }

    /// Nothing more will be handed over: what was is settled, and the thread ends.
    pub(super) fn end(&self) {
        self.line().ended = true;
        self.0.handed.notify_one();
    }

    fn next(&self) -> Option<Commits> {
        let mut line = self.line();
        loop {
            if let Some(commits) = line.commits.take() {
                return Some(commits);
            }
            if line.ended {
                return None;
            }
            line = self.0.handed.wait(line).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// All up to this commit is on the disk.
    fn reached(&self, last: u64) {
        let mut line = self.line();
        self.0.kept.store(last, Ordering::SeqCst);
        self.0.busy.store(line.commits.is_some(), Ordering::SeqCst);
        // One that nobody waits for any more is not worth a word.
        line.readers.extract_if(.., |(wanted, _)| *wanted <= last).for_each(|(_, reader)| {
            let _ = reader.send(());
        });
    }

    /// Nobody knows what is on the disk, and nothing is answered any more.
    fn ruined(&self, why: &str) -> Vec<Box<dyn Job>> {
        let mut line = self.line();
        line.ruin = Some(why.to_owned());
        line.readers.clear();
        self.0.busy.store(false, Ordering::SeqCst);
        line.commits.take().map_or(Vec::new(), |commits| commits.jobs)
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        // Nothing between lock and unlock can panic half-way.
        self.0.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Syncs the log of a database. It is there as long as a connection is.
pub(super) struct WalSyncer {
    pub(super) log: File,
    pub(super) sync: fn(&File) -> io::Result<()>,
    pub(super) on_io_failure: fn(&str),
    pub(super) heads: ChainHeads,
}

pub(super) fn log_of(path: &Path) -> std::path::PathBuf {
    format!("{}-wal", path.display()).into()
}

impl WalSyncer {
    /// Starts with a sync, so that what was there before is on the disk too.
    pub(super) fn start(
        self,
        durable: CommitTracker,
        queue: Arc<Queue<Box<dyn Job>>>,
    ) -> Result<JoinHandle<()>, StoreError> {
        (self.sync)(&self.log).map_err(StoreError::internal)?;
        let run = move || {
            while let Some(commits) = durable.next() {
                self.settle(&durable, &queue, commits);
            }
        };
        std::thread::Builder::new().name("sqlite-sync".into()).spawn(run).map_err(StoreError::internal)
    }

    fn settle(&self, durable: &CommitTracker, queue: &Queue<Box<dyn Job>>, commits: Commits) {
        let Commits { last, mut jobs, head } = commits;
        match (self.sync)(&self.log) {
            Ok(()) => {
                self.heads.set(head);
                durable.reached(last);
                // The writer can commit while the answers go out.
                queue.wake();
                jobs.into_iter().for_each(answer_at_home);
            }
            Err(error) => {
                let why = format!("disk I/O error: the log could not be synced ({error})");
                jobs.append(&mut durable.ruined(&why));
                queue.wake();
                tracing::error!(jobs = jobs.len(), error = %why, "commits are not on the disk");
                jobs.into_iter().for_each(|job| job.fail(StoreError::OutcomeUnknown(why.clone())));
                (self.on_io_failure)(&why);
            }
        }
    }
}

fn answer_at_home(mut job: Box<dyn Job>) {
    match job.home() {
        Some(home) => home.send(job),
        None => job.answer(),
    }
}
