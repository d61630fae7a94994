//! A thread that runs each job in a transaction of its own, and again after a conflict or a lost connection.

use super::config::PostgresConfig;
use super::connection::PostgresConnection;
use super::metrics::{Counted, PostgresMetrics};
use super::{Mode, Task};
use crate::audit_chain::{Chain, ChainHeads};
use crate::error::{Cause, StoreError};
use crate::job::{Job, JobOutcome};
use crate::options::StoreOptions;
use crate::queue::Queue;
use crate::tx::Tx;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a transaction is attempted when its connection is lost, before its caller gets an error.
const MAX_DISCONNECTS: u32 = 6;
/// The same for conflicts.
const MAX_CONFLICTS: u32 = 24;
/// After this many conflicts a transaction takes the retry lock. Waiting for a row does not help: the snapshot of
/// a transaction that waited is older than the other's commit, so it fails again.
const CONFLICTS_BEFORE_RETRY_LOCK: u32 = 2;
/// After this many it excludes all other writers: those that come first would go on to conflict with it, for ever on tables so small that
/// all their rows are on one page. `LOCK TABLE` takes no snapshot, so that the transaction sees everything that it waited for.
const CONFLICTS_BEFORE_EXCLUSION: u32 = 6;
/// How long after the statement timeout, at which the server itself ends a statement, its response is still awaited.
const RESPONSE_MARGIN: Duration = Duration::from_secs(5);
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE clock IN ROW SHARE MODE";
const BEGIN_EXCLUSIVE_WRITE: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE clock IN EXCLUSIVE MODE";

pub(super) struct Worker {
    config: PostgresConfig,
    options: StoreOptions,
    connection: Option<OpenConnection>,
    chain: Chain,
    heads: ChainHeads,
    metrics: PostgresMetrics,
    jitter: u64,
}

/// A connection that counts as open.
struct OpenConnection {
    connection: PostgresConnection,
    _counted: Counted,
}

/// The result of one attempt.
enum Attempt {
    /// The job has its result.
    Finished,
    /// Nothing was committed: the job runs again from its first statement.
    Retry(StoreError),
    Failed(StoreError),
}

impl OpenConnection {
    fn new(connection: PostgresConnection, metrics: &PostgresMetrics) -> Self {
        Self { connection, _counted: Counted::new(&metrics.open) }
    }
}

impl Worker {
    pub(super) fn new(
        number: usize,
        config: PostgresConfig,
        connection: Option<PostgresConnection>,
        options: StoreOptions,
        heads: ChainHeads,
        metrics: PostgresMetrics,
    ) -> Self {
        let chain = Chain::new(&options, number);
        let connection = connection.map(|connection| OpenConnection::new(connection, &metrics));
        let jitter = u64::from(u32::try_from(number).unwrap_or(0)).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Self { config, options, connection, chain, heads, metrics, jitter }
    }

    pub(super) fn start(
        mut self,
        number: usize,
        queue: Arc<Queue<Task>>,
    ) -> Result<JoinHandle<()>, StoreError> {
        let run = move || {
            while let Some((mode, job)) = queue.pop() {
                if !job.is_abandoned() {
                    self.run_job(mode, job);
                }
            }
        };
        std::thread::Builder::new()
            .name(format!("postgres-{number}"))
            .spawn(run)
            .map_err(StoreError::internal)
    }

    fn run_job(&mut self, mode: Mode, mut job: Job) {
        let _counted = Counted::new(&self.metrics.in_use);
        let (mut disconnects, mut conflicts) = (0, 0);
        loop {
            let is_queued = conflicts >= CONFLICTS_BEFORE_RETRY_LOCK;
            let attempt = self.attempt(mode, conflicts, &mut job);
            if is_queued {
                self.release_retry_lock();
            }
            let error = match attempt {
                Attempt::Finished => return job.reply(),
                Attempt::Failed(error) => {
                    self.metrics.errors_transaction.increment(1);
                    return job.fail(error);
                }
                Attempt::Retry(error) => error,
            };
            match error {
                StoreError::Conflict(_) | StoreError::ChainTaken(_) => {
                    conflicts += 1;
                    self.metrics.retries_conflict.increment(1);
                }
                _ => {
                    disconnects += 1;
                    self.metrics.retries_disconnect.increment(1);
                }
            }
            if disconnects == MAX_DISCONNECTS || conflicts == MAX_CONFLICTS {
                self.metrics.errors_retries_exhausted.increment(1);
                tracing::warn!(%error, disconnects, conflicts, "postgres: transaction given up after retries");
                return job.fail(StoreError::OutcomeUnknown(Cause::new(error)));
            }
            self.back_off(disconnects + conflicts.min(CONFLICTS_BEFORE_RETRY_LOCK));
            if job.is_abandoned() {
                return;
            }
        }
    }

    /// The lock ends with the connection when the connection fails.
    fn release_retry_lock(&mut self) {
        if self.connection.as_mut().is_some_and(|open| open.connection.release_retry_lock().is_err()) {
            self.connection = None;
        }
    }

    fn attempt(&mut self, mode: Mode, conflicts: u32, job: &mut Job) -> Attempt {
        let begin = match mode {
            Mode::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Mode::LongRead => {
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0;
                 SET LOCAL idle_in_transaction_session_timeout = 0"
            }
            Mode::Write if conflicts >= CONFLICTS_BEFORE_EXCLUSION => BEGIN_EXCLUSIVE_WRITE,
            Mode::Write => BEGIN_WRITE,
        };
        if let Err(error) = self.connect() {
            return Attempt::Retry(error);
        }
        let Some(OpenConnection { connection, .. }) = &mut self.connection else {
            return Attempt::Retry(StoreError::Closed);
        };
        if conflicts >= CONFLICTS_BEFORE_RETRY_LOCK {
            connection.acquire_retry_lock();
        }
        let limit = (mode != Mode::LongRead).then_some(self.config.statement_timeout + RESPONSE_MARGIN);
        connection.begin(begin, limit);
        let committed_chain = self.chain.clone();
        let chain = (mode == Mode::Write).then_some(&mut self.chain);
        let outcome = job.run(&mut Tx::new(connection, chain));
        match outcome {
            JobOutcome::Completed => match connection.commit() {
                Ok(()) => {
                    self.heads.set(self.chain.head);
                    Attempt::Finished
                }
                Err(error) => {
                    self.chain = match error {
                        StoreError::Conflict(_) | StoreError::Internal(_) => committed_chain,
                        // It is unknown whether the chain has grown: another chain is started.
                        _ => committed_chain.next_chain(),
                    };
                    match self.clean_up(error) {
                        // It may have been committed: only the caller knows whether it may run again.
                        Attempt::Retry(StoreError::Disconnected(cause)) if mode == Mode::Write => {
                            Attempt::Failed(StoreError::OutcomeUnknown(cause))
                        }
                        attempt => attempt,
                    }
                }
            },
            JobOutcome::Refused | JobOutcome::NeedsRollback => {
                self.chain = committed_chain;
                match connection.rollback() {
                    Ok(()) => Attempt::Finished,
                    Err(error) => self.clean_up(error),
                }
            }
            JobOutcome::Failed(error) => {
                self.chain = match error {
                    StoreError::ChainTaken(_) => committed_chain.next_chain(),
                    _ => committed_chain,
                };
                self.clean_up(error)
            }
        }
    }

    /// Rolls back, or drops a connection that cannot, and determines whether the job may run again.
    fn clean_up(&mut self, error: StoreError) -> Attempt {
        let is_clean = match (&error, &mut self.connection) {
            (StoreError::Disconnected(_), _) | (_, None) => false,
            (_, Some(open)) => open.connection.rollback().is_ok(),
        };
        if !is_clean {
            self.connection = None;
        }
        match error {
            StoreError::Conflict(_) | StoreError::ChainTaken(_) | StoreError::Disconnected(_) => {
                Attempt::Retry(error)
            }
            other => Attempt::Failed(other),
        }
    }

    fn connect(&mut self) -> Result<(), StoreError> {
        if self.connection.as_ref().is_none_or(|open| open.connection.is_closed()) {
            self.connection = None;
            let connected = PostgresConnection::connect(&self.config, self.options.durability);
            let connected = connected.inspect_err(|_| self.metrics.errors_connect.increment(1))?;
            self.connection = Some(OpenConnection::new(connected, &self.metrics));
        }
        Ok(())
    }

    /// Sleeps 1–2, 2–4, 4–8 … ms, so that two transactions in conflict do not meet again. The quality of the randomness does
    /// not matter.
    fn back_off(&mut self, attempt: u32) {
        self.jitter ^= self.jitter << 13;
        self.jitter ^= self.jitter >> 7;
        self.jitter ^= self.jitter << 17;
        let base = 1000_u64 << attempt.min(8);
        std::thread::sleep(Duration::from_micros(base / 2 + self.jitter % (base / 2)));
    }
}
