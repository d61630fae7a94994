//! The timeout of request headers, with one timer per connection.
//!
//! hyper requests a sleep whenever a header may begin and drops it when the header is complete. With tokio's timer every
//! request would register and remove a boxed sleep. Here a header only stores its deadline; the connection's one sleep may
//! fire for an earlier header and is then reset to the current deadline.

use hyper::rt::{Sleep, Timer};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

/// The timer of one connection. Its headers come one after another and all have the same timeout.
#[derive(Clone, Default)]
pub(super) struct HeaderTimer(Arc<SharedSleep>);

/// Created when the first header is awaited.
type SharedSleep = Mutex<Option<Pin<Box<tokio::time::Sleep>>>>;

struct HeaderSleep {
    deadline: Instant,
    sleep: Arc<SharedSleep>,
}

impl Timer for HeaderTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(HeaderSleep { deadline, sleep: Arc::clone(&self.0) })
    }
}

impl Sleep for HeaderSleep {}

impl Future for HeaderSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut sleep = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        let sleep = sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(self.deadline.into())));
        loop {
            ready!(sleep.as_mut().poll(context));
            if sleep.deadline() >= self.deadline.into() {
                return Poll::Ready(());
            }
            // It fired for an earlier header.
            sleep.as_mut().reset(self.deadline.into());
        }
    }
}
