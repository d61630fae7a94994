//! Worker threads: one per processor, each with a single-threaded runtime.
//!
//! A connection stays on one worker, so that its data stays in the cache of one processor; a work-stealing runtime would
//! move tasks between processors at every request. It halved the time of a balance read (docs/performance.md).

use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// The workers; dropping this stops them.
pub(super) struct Workers(Vec<Worker>);

struct Worker {
    handle: Handle,
    /// Cloned for each connection.
    slot: ConnectionSlot,
    _stop: oneshot::Sender<()>,
}

/// A connection's share of a worker's load, as long as it is held.
#[derive(Clone, Default)]
pub(super) struct ConnectionSlot(Arc<()>);

impl Workers {
    /// Starts one worker per processor, or as many as the system allows.
    pub(super) fn start() -> Self {
        let count = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let started = (0..count).map_while(|_| match Worker::start() {
            Ok(worker) => Some(worker),
            Err(error) => {
                tracing::warn!(%error, "starting a worker thread failed; continuing with fewer");
                None
            }
        });
        Self(started.collect())
    }

    /// No worker: connections are served on the current runtime.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// The worker with the fewest connections; the current runtime where no worker could be started.
    pub(super) fn least_loaded(&self) -> (Handle, ConnectionSlot) {
        let worker = self.0.iter().min_by_key(|worker| Arc::strong_count(&worker.slot.0));
        worker.map_or_else(
            || (Handle::current(), ConnectionSlot::default()),
            |worker| (worker.handle.clone(), worker.slot.clone()),
        )
    }
}

impl Worker {
    fn start() -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::Builder::new().name("http-worker".to_owned()).spawn(move || {
            // Nothing is sent: the channel closes when the worker is dropped.
            let _ = runtime.block_on(stopped);
            // Blocking tasks, such as password hashing, need not be awaited.
            runtime.shutdown_background();
        })?;
        Ok(Self { handle, slot: ConnectionSlot::default(), _stop: stop })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connection_goes_to_the_least_loaded_worker_and_frees_its_slot() {
        let workers = Workers(vec![Worker::start().unwrap(), Worker::start().unwrap()]);
        let number = |handle: &Handle| workers.0.iter().position(|worker| worker.handle.id() == handle.id());
        let (one, first) = workers.least_loaded();
        let (other, second) = workers.least_loaded();
        assert_ne!(number(&one), number(&other));
        drop(first);
        assert_eq!(number(&workers.least_loaded().0), number(&one));
        drop(second);
    }

    #[tokio::test]
    async fn without_workers_the_current_runtime_is_used() {
        assert_eq!(Workers::none().least_loaded().0.id(), Handle::current().id());
    }
}
