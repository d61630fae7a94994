//! A thread that takes jobs and runs each in a transaction of its own, again when the server or the line asks for it.

use super::connection::PostgresConnection;
use super::{Mode, Task};
use crate::audit_chain::{Chain, ChainHeads};
use crate::error::StoreError;
use crate::job::{Job, JobOutcome};
use crate::options::StoreOptions;
use crate::queue::Queue;
use crate::tx::{Connection, Tx};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a transaction is run whose connection broke, before its caller is asked to send it again.
const ATTEMPTS: u32 = 6;
/// The same for one that clashed with others.
const CLASHES: u32 = 24;
/// From this clash on a transaction stands in line with all others that clashed as often. Waiting for a row helps
/// nothing: who has waited has an old snapshot, and the server sends him back.
const CLASHES_FREE: u32 = 2;

pub(super) fn start(
    number: usize,
    config: tokio_postgres::Config,
    link: Option<PostgresConnection>,
    queue: Arc<Queue<Task>>,
    options: &StoreOptions,
    heads: ChainHeads,
) -> Result<JoinHandle<()>, StoreError> {
    let chain = Chain::open(options, number);
    let jitter = u64::from(u32::try_from(number).unwrap_or(0)).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut worker = Worker { config, options: options.clone(), link, chain, heads, jitter };
    std::thread::Builder::new()
        .name(format!("postgres-{number}"))
        .spawn(move || {
            while let Some((mode, job)) = queue.pop() {
                if !job.is_abandoned() {
                    worker.serve(mode, job);
                }
            }
        })
        .map_err(StoreError::internal)
}

struct Worker {
    config: tokio_postgres::Config,
    options: StoreOptions,
    link: Option<PostgresConnection>,
    chain: Chain,
    heads: ChainHeads,
    jitter: u64,
}

/// What one attempt came to.
enum Attempt {
    /// The job has its answer.
    Settled,
    /// Nothing was kept, or nobody knows: the job runs again from its first statement, where it finds its own replay
    /// record if it was kept after all.
    Again(StoreError),
    Failed(StoreError),
}

impl Worker {
    fn serve(&mut self, mode: Mode, mut job: Box<dyn Job>) {
        let (mut broken, mut clashes) = (0, 0);
        loop {
            let in_line = clashes >= CLASHES_FREE;
            let attempt = self.attempt(mode, in_line, &mut job);
            if in_line {
                self.leave_line();
            }
            let error = match attempt {
                Attempt::Settled => return job.answer(),
                Attempt::Failed(error) => return job.fail(error),
                Attempt::Again(error) => error,
            };
            match error {
                StoreError::Conflict(_) => clashes += 1,
                _ => broken += 1,
            }
            if broken == ATTEMPTS || clashes == CLASHES {
                tracing::warn!(%error, broken, clashes, "a transaction was given up");
                return job.fail(StoreError::OutcomeUnknown(error.to_string()));
            }
            self.pause(broken + clashes.min(CLASHES_FREE));
        }
    }

    /// Lets the next one of those that clashed begin. A connection that cannot say so ends, and with it its place.
    fn leave_line(&mut self) {
        if self.link.as_mut().is_some_and(|link| link.leave_line().is_err()) {
            self.link = None;
        }
    }

    fn attempt(&mut self, mode: Mode, in_line: bool, job: &mut Box<dyn Job>) -> Attempt {
        let begin = match mode {
            Mode::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Mode::Write => "BEGIN ISOLATION LEVEL SERIALIZABLE",
        };
        if let Err(error) = self.connect() {
            return Attempt::Again(error);
        }
        let Some(link) = &mut self.link else { return Attempt::Again(StoreError::Closed) };
        if in_line {
            link.stand_in_line();
        }
        link.begin(begin);
        let committed_chain = self.chain.clone();
        let chain = (mode == Mode::Write).then_some(&mut self.chain);
        let ran = job.run(&mut Tx::new(Connection::Postgres(link), chain));
        match ran {
            JobOutcome::Done => match link.commit() {
                Ok(()) => {
                    self.heads.set(self.chain.head);
                    Attempt::Settled
                }
                Err(error) => {
                    // After a lost COMMIT the chain may or may not have grown: go on with a new one.
                    self.chain = match error {
                        StoreError::Disconnected(_) => committed_chain.successor(),
                        _ => committed_chain,
                    };
                    self.undo(error)
                }
            },
            JobOutcome::Stopped | JobOutcome::Spoiled => {
                self.chain = committed_chain;
                match link.rollback() {
                    Ok(()) => Attempt::Settled,
                    Err(error) => self.undo(error),
                }
            }
            JobOutcome::Failed(error) => {
                self.chain = committed_chain;
                self.undo(error)
            }
        }
    }

    /// Leaves the connection clean and says whether the job may run again.
    fn undo(&mut self, error: StoreError) -> Attempt {
        let clean = match (&error, &mut self.link) {
            (StoreError::Disconnected(_), _) | (_, None) => false,
            (_, Some(link)) => link.rollback().is_ok(),
        };
        if !clean {
            self.link = None;
        }
        match error {
            StoreError::Conflict(_) | StoreError::Disconnected(_) => Attempt::Again(error),
            other => Attempt::Failed(other),
        }
    }

    fn connect(&mut self) -> Result<(), StoreError> {
        if self.link.as_ref().is_none_or(PostgresConnection::is_closed) {
            self.link = None;
            self.link = Some(PostgresConnection::connect(&self.config, &self.options)?);
        }
        Ok(())
    }

    /// Waits 1–2, 2–4, 4–8 … ms, so that two that clashed do not clash again. Quality of chance does not matter here.
    fn pause(&mut self, attempt: u32) {
        self.jitter ^= self.jitter << 13;
        self.jitter ^= self.jitter >> 7;
        self.jitter ^= self.jitter << 17;
        let base = 1000_u64 << attempt.min(8);
        std::thread::sleep(Duration::from_micros(base / 2 + self.jitter % (base / 2)));
    }
}
