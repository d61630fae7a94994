//! The one writer: takes the jobs that wait, runs them in one transaction, commits once, and hands them over to be answered
//! when the commit is on the disk. While the disk is busy with the commit before, a batch stays open for more.
//!
//! Jobs share a transaction without savepoints, which would cost every job for the sake of the few that fail. When
//! one fails after it wrote, all of it is rolled back and the others run again: closures are `Fn` for this reason.

use super::checkpoint::Log;
use super::connection::SqliteConnection;
use super::generation::Generation;
use super::wal_sync::CommitTracker;
use crate::audit_chain::Chain;
use crate::error::StoreError;
use crate::job::{Job, JobOutcome};
use crate::options::StoreOptions;
use crate::queue::Queue;
use crate::tx::{Connection, Tx};
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Jobs for which an idle disk is not kept waiting any longer. Fewer would write the same pages too often.
const ENOUGH: usize = 16;

pub(super) fn start(
    link: SqliteConnection,
    queue: Arc<Queue<Box<dyn Job>>>,
    options: &StoreOptions,
    (durable, edition, log): (CommitTracker, Generation, Log),
) -> Result<JoinHandle<()>, StoreError> {
    let mut writer = Writer {
        link,
        chain: Chain::open(options, 0),
        durable,
        edition,
        log,
        batch_jobs: options.batch_jobs,
        batch_time: options.batch_time,
        on_io_failure: options.on_io_failure,
    };
    std::thread::Builder::new()
        .name("sqlite-writer".into())
        .spawn(move || {
            while let Some(job) = queue.pop() {
                writer.batch(job, &queue);
            }
        })
        .map_err(StoreError::internal)
}

struct Writer {
    link: SqliteConnection,
    chain: Chain,
    durable: CommitTracker,
    edition: Generation,
    log: Log,
    batch_jobs: usize,
    batch_time: Duration,
    on_io_failure: fn(&str),
}

type Jobs = Vec<Box<dyn Job>>;

impl Writer {
    /// Runs `first` and whatever waits behind it as one transaction.
    fn batch(&mut self, first: Box<dyn Job>, queue: &Queue<Box<dyn Job>>) {
        self.log.turn(&self.link);
        let started = Instant::now();
        let mut waiting = VecDeque::from([first]);
        // Run and to be committed; and out of the transaction, to be told why when the others are safe.
        let (mut done, mut out): (Jobs, Jobs) = (Vec::new(), Vec::new());
        let committed_chain = self.chain.clone();
        if let Err(error) = self.link.batch("BEGIN IMMEDIATE") {
            return self.fail_all(waiting.into(), &error);
        }
        while let Some(mut job) = waiting.pop_front().or_else(|| {
            let room = done.len() < self.batch_jobs && started.elapsed() < self.batch_time;
            // A disk that has nothing to do gets what there is, and its answers go out while the next jobs run.
            let room = room && (done.len() < ENOUGH || self.durable.is_busy());
            if room { queue.pop_while(|| self.durable.is_busy()) } else { None }
        }) {
            if job.is_abandoned() {
                continue;
            }
            let ran = job.run(&mut Tx::new(Connection::Sqlite(&mut self.link), Some(&mut self.chain)));
            let ran = if self.link.is_autocommit() { Self::ended_early(ran) } else { ran };
            match ran {
                JobOutcome::Done | JobOutcome::Stopped => done.push(job),
                JobOutcome::Spoiled | JobOutcome::Failed(StoreError::Internal(_)) => {
                    out.push(job);
                    self.chain = committed_chain.clone();
                    let begun = self.link.batch("ROLLBACK").and_then(|()| self.link.batch("BEGIN IMMEDIATE"));
                    // What ran before goes again, first and in its order.
                    done.drain(..).rev().for_each(|earlier| waiting.push_front(earlier));
                    if let Err(error) = begun {
                        out.extend(waiting);
                        self.chain = committed_chain;
                        return self.fail_all(out, &error);
                    }
                }
                JobOutcome::Failed(error) => {
                    self.chain = committed_chain;
                    done.push(job);
                    done.append(&mut out);
                    done.extend(waiting);
                    return self.fail_all(done, &error);
                }
            }
        }
        let number = self.durable.announce();
        let committed = self.link.batch("COMMIT");
        self.durable.made(number);
        match committed {
            Ok(()) => {
                self.edition.publish();
                done.append(&mut out);
                self.durable.hand(number, done, self.chain.head);
            }
            Err(error) => {
                self.chain = committed_chain;
                done.append(&mut out);
                self.fail_all(done, &error);
                self.durable.hand(number, Vec::new(), self.chain.head);
            }
        }
    }

    /// SQLite ends a transaction by itself when the disk is full. Statements after that would commit one by one.
    fn ended_early(ran: JobOutcome) -> JobOutcome {
        match ran {
            JobOutcome::Failed(error @ StoreError::OutcomeUnknown(_)) => JobOutcome::Failed(error),
            other => {
                let text = format!("SQLite ended the transaction by itself ({other:?})");
                JobOutcome::Failed(StoreError::OutcomeUnknown(text))
            }
        }
    }

    /// Nothing of the batch is acknowledged: every caller is told to send the same id again.
    fn fail_all(&mut self, jobs: Jobs, error: &StoreError) {
        if !self.link.is_autocommit() {
            let _ = self.link.batch("ROLLBACK");
        }
        // It may have been committed all the same.
        self.edition.publish();
        let why = match error {
            StoreError::OutcomeUnknown(why) => why.clone(),
            other => other.to_string(),
        };
        tracing::error!(jobs = jobs.len(), error = %why, "a batch was not committed");
        for job in jobs {
            job.fail(StoreError::OutcomeUnknown(why.clone()));
        }
        // After a failed read, write or fsync nobody knows what is on the disk: only a fresh start, which replays the
        // write-ahead log, does. A full disk is different, SQLite reports it before anything is torn.
        if error.is_ruin() {
            (self.on_io_failure)(&why);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.durable.end();
    }
}
