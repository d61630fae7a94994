//! The threads that serve: one a processor, each with a runtime of its own. A connection stays on the thread it began on, so
//! that what its requests touch stays in one processor's cache; a runtime that shares its tasks out moves them about at
//! every request.

use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Ended when they are dropped.
pub(super) struct Threads(Vec<Thread>);

struct Thread {
    handle: Handle,
    /// Held once by each connection.
    seat: Seat,
    _stop: oneshot::Sender<()>,
}

/// A connection's place on a thread: as long as it is held, the thread counts as that much busier.
#[derive(Clone, Default)]
pub(super) struct Seat(Arc<()>);

impl Threads {
    /// One a processor. A machine that gives fewer is served by fewer.
    pub(super) fn start() -> Self {
        let count = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let started = (0..count).map_while(|_| match Thread::start() {
            Ok(thread) => Some(thread),
            Err(error) => {
                tracing::warn!(%error, "a thread that serves could not be started");
                None
            }
        });
        Self(started.collect())
    }

    /// The thread with the fewest connections; the caller's own where none was started.
    pub(super) fn idlest(&self) -> (Handle, Seat) {
        let thread = self.0.iter().min_by_key(|thread| Arc::strong_count(&thread.seat.0));
        thread.map_or_else(
            || (Handle::current(), Seat::default()),
            |thread| (thread.handle.clone(), thread.seat.clone()),
        )
    }
}

impl Thread {
    fn start() -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::Builder::new().name("serving".to_owned()).spawn(move || {
            // Nothing is ever sent: it ends when the other side is gone.
            let _ = runtime.block_on(stopped);
            // A password that is still being hashed has nobody who waits for it.
            runtime.shutdown_background();
        })?;
        Ok(Self { handle, seat: Seat::default(), _stop: stop })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connections_go_to_the_idlest_thread_and_leave_it_when_they_end() {
        let threads = Threads(vec![Thread::start().unwrap(), Thread::start().unwrap()]);
        let number = |handle: &Handle| threads.0.iter().position(|thread| thread.handle.id() == handle.id());
        let (one, first) = threads.idlest();
        let (other, second) = threads.idlest();
        assert_ne!(number(&one), number(&other));
        drop(first);
        assert_eq!(number(&threads.idlest().0), number(&one));
        drop(second);
    }

    #[tokio::test]
    async fn without_a_thread_of_its_own_it_serves_where_it_is() {
        assert_eq!(Threads(Vec::new()).idlest().0.id(), Handle::current().id());
    }
}
