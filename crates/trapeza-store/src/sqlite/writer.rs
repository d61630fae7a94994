//! The only writer: runs the waiting jobs in one transaction, commits once, and hands them to the sync thread, which answers
//! them when the commit is durable. While the disk is busy with the commit before, a batch stays open for more jobs.
//!
//! The jobs share a transaction without savepoints, which would cost every job for the sake of the few that fail. When a job
//! fails after it wrote, the transaction is rolled back and the other jobs run again: closures are `Fn` for this reason.

use super::checkpoint::WalMonitor;
use super::connection::SqliteConnection;
use super::generation::Generation;
use super::wal_sync::CommitTracker;
use crate::audit_chain::Chain;
use crate::error::{Cause, StoreError};
use crate::job::{Job, JobOutcome};
use crate::options::StoreOptions;
use crate::queue::Queue;
use crate::tx::Tx;
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A batch of this size is committed when the disk is idle. Smaller batches would write the same pages too often.
const IDLE_DISK_BATCH: usize = 16;

type Jobs = Vec<Job>;

pub(super) struct Writer {
    connection: SqliteConnection,
    chain: Chain,
    commits: CommitTracker,
    generation: Generation,
    wal: WalMonitor,
    batch_jobs: usize,
    batch_time: Duration,
    on_io_failure: fn(&str),
}

/// The jobs of a transaction.
#[derive(Default)]
struct Batch {
    /// Not run yet.
    waiting: VecDeque<Job>,
    /// Run, and to be committed.
    completed: Jobs,
    /// Rolled back; answered together with the others.
    rejected: Jobs,
}

impl Batch {
    fn into_jobs(self) -> Jobs {
        self.completed.into_iter().chain(self.rejected).chain(self.waiting).collect()
    }
}

impl Writer {
    pub(super) fn new(
        connection: SqliteConnection,
        options: &StoreOptions,
        commits: CommitTracker,
        generation: Generation,
        wal: WalMonitor,
    ) -> Self {
        Self {
            connection,
            chain: Chain::new(options, 0),
            commits,
            generation,
            wal,
            batch_jobs: options.batch_jobs,
            batch_time: options.batch_time,
            on_io_failure: options.on_io_failure,
        }
    }

    pub(super) fn start(mut self, queue: Arc<Queue<Job>>) -> Result<JoinHandle<()>, StoreError> {
        let run = move || {
            while let Some(job) = queue.pop() {
                self.wal.restart_if_ready(&self.connection);
                self.run_batch(job, &queue);
            }
        };
        std::thread::Builder::new().name("sqlite-writer".into()).spawn(run).map_err(StoreError::internal)
    }

    /// Runs a job and those that wait behind it as one transaction.
    fn run_batch(&mut self, first: Job, queue: &Queue<Job>) {
        let started = Instant::now();
        let committed_chain = self.chain.clone();
        let mut batch = Batch { waiting: VecDeque::from([first]), ..Batch::default() };
        if let Err(error) = self.connection.batch("BEGIN IMMEDIATE") {
            return self.fail_all(batch.into_jobs(), &error);
        }
        while let Some(job) =
            batch.waiting.pop_front().or_else(|| self.next_job(queue, batch.completed.len(), started))
        {
            if job.is_abandoned() {
                continue;
            }
            if let Err(error) = self.run_job(job, &mut batch, &committed_chain) {
                self.chain = committed_chain;
                return self.fail_all(batch.into_jobs(), &error);
            }
        }
        self.commit(batch, committed_chain);
    }

    /// The next job, as long as the batch may grow. An idle disk gets what there is, and its callers are answered while the
    /// next batch runs.
    fn next_job(&self, queue: &Queue<Job>, completed: usize, started: Instant) -> Option<Job> {
        let has_room = completed < self.batch_jobs && started.elapsed() < self.batch_time;
        let may_wait = completed < IDLE_DISK_BATCH || self.commits.is_busy();
        if has_room && may_wait { queue.pop_while(|| self.commits.is_busy()) } else { None }
    }

    /// Runs a job. When it fails by itself the transaction starts again with the jobs that ran before; an error means that
    /// the whole batch has failed.
    fn run_job(
        &mut self,
        mut job: Job,
        batch: &mut Batch,
        committed_chain: &Chain,
    ) -> Result<(), StoreError> {
        let mut outcome = job.run(&mut Tx::new(&mut self.connection, Some(&mut self.chain)));
        if self.connection.is_autocommit() {
            outcome = ended_by_sqlite(outcome);
        }
        match outcome {
            JobOutcome::Completed | JobOutcome::Refused => {
                batch.completed.push(job);
                Ok(())
            }
            JobOutcome::NeedsRollback | JobOutcome::Failed(StoreError::Internal(_)) => {
                batch.rejected.push(job);
                self.chain = committed_chain.clone();
                // The jobs that ran before run again, first and in their order.
                batch.completed.drain(..).rev().for_each(|earlier| batch.waiting.push_front(earlier));
                self.connection.batch("ROLLBACK")?;
                self.connection.batch("BEGIN IMMEDIATE")
            }
            JobOutcome::Failed(error) => {
                batch.completed.push(job);
                Err(error)
            }
        }
    }

    fn commit(&mut self, batch: Batch, committed_chain: Chain) {
        let number = self.commits.begin_commit();
        let result = self.connection.batch("COMMIT");
        self.commits.end_commit(number);
        match result {
            Ok(()) => {
                self.generation.publish();
                self.commits.enqueue_for_sync(number, batch.into_jobs(), self.chain.head);
            }
            Err(error) => {
                self.chain = committed_chain;
                self.fail_all(batch.into_jobs(), &error);
                self.commits.enqueue_for_sync(number, Vec::new(), self.chain.head);
            }
        }
    }

    /// No job of the batch is acknowledged: every caller may send its request again.
    fn fail_all(&mut self, jobs: Jobs, error: &StoreError) {
        if !self.connection.is_autocommit() {
            let _ = self.connection.batch("ROLLBACK");
        }
        // The transaction may have been committed all the same.
        self.generation.publish();
        tracing::error!(jobs = jobs.len(), %error, "sqlite: batch not committed, its requests get an error");
        let outcome_unknown = match error {
            StoreError::OutcomeUnknown(_) => error.clone(),
            other => StoreError::OutcomeUnknown(Cause::new(other.clone())),
        };
        for job in jobs {
            job.fail(outcome_unknown.clone());
        }
        // After a failed read, write or sync only a restart, which replays the WAL, shows what is on the disk. A full disk is
        // different: SQLite reports it before anything is torn.
        if let StoreError::IoFailure(cause) = error {
            (self.on_io_failure)(&cause.to_string());
        }
    }
}

/// SQLite ends a transaction by itself when the disk is full. Later statements would be committed one by one.
fn ended_by_sqlite(outcome: JobOutcome) -> JobOutcome {
    match outcome {
        JobOutcome::Failed(error @ (StoreError::OutcomeUnknown(_) | StoreError::IoFailure(_))) => {
            JobOutcome::Failed(error)
        }
        other => {
            let message = format!("SQLite ended the transaction by itself ({other:?})");
            JobOutcome::Failed(StoreError::outcome_unknown(message))
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.commits.close();
    }
}
