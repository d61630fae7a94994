//! A closure on its way through the queue: run as often as the engine needs, answered exactly once.

use crate::error::{StoreError, UseCaseError};
use crate::post::{Home, Parcel};
use crate::tx::Tx;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::oneshot;

/// How a run of a job ended.
#[derive(Debug)]
pub(crate) enum JobOutcome {
    /// It has a result and its writes may be kept.
    Done,
    /// It stopped before it wrote anything: nothing has to be undone.
    Stopped,
    /// It stopped, or panicked, with writes that must be undone.
    Spoiled,
    /// The engine failed under it.
    Failed(StoreError),
}

pub(crate) trait Job: Parcel {
    fn run(&mut self, tx: &mut Tx<'_>) -> JobOutcome;
    /// Where its caller is, once: to have it answered there.
    fn home(&mut self) -> Option<Home>;
    /// Answers the caller with a failure of the store instead.
    fn fail(self: Box<Self>, error: StoreError);
    /// Whether nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool;
}

pub(crate) struct Work<T, F> {
    closure: F,
    result: Option<Result<T, UseCaseError>>,
    reply: oneshot::Sender<Result<T, UseCaseError>>,
    home: Option<Home>,
}

impl<T, F> Work<T, F>
where
    T: Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
{
    pub(crate) fn boxed(closure: F) -> (Box<dyn Job>, oneshot::Receiver<Result<T, UseCaseError>>) {
        let (reply, answer) = oneshot::channel();
        (Box::new(Self { closure, result: None, reply, home: Home::own() }), answer)
    }
}

impl<T, F> Parcel for Work<T, F>
where
    T: Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
{
    fn answer(self: Box<Self>) {
        let result = self.result.unwrap_or(Err(UseCaseError::Failed(StoreError::Closed)));
        // The caller may have gone away; the work is kept all the same.
        let _ = self.reply.send(result);
    }
}

impl<T, F> Job for Work<T, F>
where
    T: Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> JobOutcome {
        let (ran, result) = run_once(&self.closure, tx);
        self.result = Some(result);
        ran
    }

    fn home(&mut self) -> Option<Home> {
        self.home.take()
    }

    fn fail(self: Box<Self>, error: StoreError) {
        let _ = self.reply.send(Err(UseCaseError::Failed(error)));
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }
}

/// Runs a closure once on a transaction and says what has to become of what it wrote.
pub(crate) fn run_once<T>(
    closure: &impl Fn(&mut Tx<'_>) -> Result<T, UseCaseError>,
    tx: &mut Tx<'_>,
) -> (JobOutcome, Result<T, UseCaseError>) {
    tx.begin_job();
    let result = catch_unwind(AssertUnwindSafe(|| closure(tx)));
    // A closure that swallowed a store error would commit half its work on one engine and none on the other.
    if let Some(error) = tx.take_failure() {
        return (JobOutcome::Failed(error.clone()), Err(UseCaseError::Failed(error)));
    }
    match result {
        Ok(Ok(value)) => (JobOutcome::Done, Ok(value)),
        Ok(Err(UseCaseError::Failed(error))) => {
            (JobOutcome::Failed(error.clone()), Err(UseCaseError::Failed(error)))
        }
        Ok(Err(refused)) => {
            (if tx.has_written() { JobOutcome::Spoiled } else { JobOutcome::Stopped }, Err(refused))
        }
        Err(_) => {
            let error = StoreError::Internal("a transaction panicked".into());
            (JobOutcome::Spoiled, Err(UseCaseError::Failed(error)))
        }
    }
}
