//! A closure in the queue: run as often as the engine needs, answered exactly once.

use crate::error::{StoreError, UseCaseError};
use crate::tx::Tx;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::oneshot;

/// How a run of a job ended.
#[derive(Debug)]
pub(crate) enum JobOutcome {
    /// It has a result; its writes may be committed.
    Completed,
    /// It was refused before it wrote anything: no rollback is needed.
    Refused,
    /// It was refused, or panicked, after it wrote: its writes must be rolled back.
    NeedsRollback,
    /// The database failed.
    Failed(StoreError),
}

pub(crate) trait Job: Send {
    fn run(&mut self, tx: &mut Tx<'_>) -> JobOutcome;
    /// Sends the result of the last run to the caller.
    fn reply(self: Box<Self>);
    /// Sends an error to the caller instead.
    fn fail(self: Box<Self>, error: StoreError);
    /// Whether the caller does not wait for the result any more.
    fn is_abandoned(&self) -> bool;
}

pub(crate) struct ClosureJob<T, F> {
    closure: F,
    result: Option<Result<T, UseCaseError>>,
    caller: oneshot::Sender<Result<T, UseCaseError>>,
}

impl<T, F> ClosureJob<T, F>
where
    T: Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
{
    pub(crate) fn boxed(closure: F) -> (Box<dyn Job>, oneshot::Receiver<Result<T, UseCaseError>>) {
        let (caller, result) = oneshot::channel();
        (Box::new(Self { closure, result: None, caller }), result)
    }
}

impl<T, F> Job for ClosureJob<T, F>
where
    T: Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> JobOutcome {
        let (outcome, result) = run_once(&self.closure, tx);
        self.result = Some(result);
        outcome
    }

    fn reply(self: Box<Self>) {
        let result = self.result.unwrap_or(Err(UseCaseError::Failed(StoreError::Closed)));
        // The caller may be gone; the work is committed all the same.
        let _ = self.caller.send(result);
    }

    fn fail(self: Box<Self>, error: StoreError) {
        let _ = self.caller.send(Err(UseCaseError::Failed(error)));
    }

    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }
}

/// Runs a closure once in a transaction and determines whether its writes may be committed.
pub(crate) fn run_once<T>(
    closure: &impl Fn(&mut Tx<'_>) -> Result<T, UseCaseError>,
    tx: &mut Tx<'_>,
) -> (JobOutcome, Result<T, UseCaseError>) {
    tx.begin_job();
    let result = catch_unwind(AssertUnwindSafe(|| closure(tx)));
    // A closure that ignores a store error would commit half its work on SQLite and none on PostgreSQL.
    if let Some(error) = tx.take_failure() {
        return (JobOutcome::Failed(error.clone()), Err(UseCaseError::Failed(error)));
    }
    match result {
        Ok(Ok(value)) => (JobOutcome::Completed, Ok(value)),
        Ok(Err(UseCaseError::Failed(error))) => {
            (JobOutcome::Failed(error.clone()), Err(UseCaseError::Failed(error)))
        }
        Ok(Err(refused)) if tx.has_written() => (JobOutcome::NeedsRollback, Err(refused)),
        Ok(Err(refused)) => (JobOutcome::Refused, Err(refused)),
        Err(_) => {
            let error = StoreError::internal("a transaction panicked");
            (JobOutcome::NeedsRollback, Err(UseCaseError::Failed(error)))
        }
    }
}
