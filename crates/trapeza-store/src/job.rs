//! A closure in the queue: run as often as the engine needs, answered exactly once.
//!
//! What the closure returns is boxed, so that queues and engines are compiled once and not again for every use case.

use crate::error::{StoreError, UseCaseError};
use crate::tx::Tx;
use std::any::Any;
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

/// The result of a use case, whatever its type is.
pub(crate) type BoxedResult = Result<Box<dyn Any + Send>, UseCaseError>;

pub(crate) struct Job {
    closure: Box<dyn Fn(&mut Tx<'_>) -> BoxedResult + Send>,
    result: Option<BoxedResult>,
    caller: oneshot::Sender<BoxedResult>,
}

impl Job {
    pub(crate) fn new<T, F>(closure: F) -> (Self, oneshot::Receiver<BoxedResult>)
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        let (caller, result) = oneshot::channel();
        let closure = Box::new(move |tx: &mut Tx<'_>| Ok(Box::new(closure(tx)?) as Box<dyn Any + Send>));
        (Self { closure, result: None, caller }, result)
    }

    pub(crate) fn run(&mut self, tx: &mut Tx<'_>) -> JobOutcome {
        let mut value = None;
        let (outcome, result) = run_once(tx, &mut |tx| {
            value = Some((self.closure)(tx)?);
            Ok(())
        });
        self.result = Some(result.and_then(|()| value.ok_or(UseCaseError::Failed(StoreError::Closed))));
        outcome
    }

    /// Sends the result of the last run to the caller.
    pub(crate) fn reply(self) {
        let result = self.result.unwrap_or(Err(UseCaseError::Failed(StoreError::Closed)));
        // The caller may be gone; the work is committed all the same.
        let _ = self.caller.send(result);
    }

    /// Sends an error to the caller instead.
    pub(crate) fn fail(self, error: StoreError) {
        let _ = self.caller.send(Err(UseCaseError::Failed(error)));
    }

    /// Whether the caller does not wait for the result any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }
}

/// The result of a job with its type.
pub(crate) fn unboxed<T: 'static>(
    result: Result<BoxedResult, oneshot::error::RecvError>,
) -> Result<T, UseCaseError> {
    let value = result.unwrap_or(Err(UseCaseError::Failed(StoreError::Closed)))?;
    Ok(*value.downcast().expect("the job was made from a closure with this result"))
}

/// Runs a closure once in a transaction and determines whether its writes may be committed.
pub(crate) fn run_once(
    tx: &mut Tx<'_>,
    closure: &mut dyn FnMut(&mut Tx<'_>) -> Result<(), UseCaseError>,
) -> (JobOutcome, Result<(), UseCaseError>) {
    tx.begin_job();
    let result = catch_unwind(AssertUnwindSafe(|| closure(tx)));
    // A closure that ignores a store error would commit half its work on SQLite and none on PostgreSQL.
    if let Some(error) = tx.take_failure() {
        return (JobOutcome::Failed(error.clone()), Err(UseCaseError::Failed(error)));
    }
    match result {
        Ok(Ok(())) => (JobOutcome::Completed, Ok(())),
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
