//! The time for a request's head, with one timer a connection.
//!
//! hyper asks for a sleep whenever a head may begin and drops it when the head is there: with tokio's timers each request
//! would put one into the wheel and take it out again, a boxed one. Here a head only notes when its time is over. The
//! connection's one bell may ring for a head that is long gone; whoever hears it looks at the clock and sets it anew.

use hyper::rt::{Sleep, Timer};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

/// Of one connection, whose heads come one after another and all have the same time.
#[derive(Clone, Default)]
pub(super) struct HeadTimer(Arc<Bell>);

/// Set when a head is waited for the first time.
type Bell = Mutex<Option<Pin<Box<tokio::time::Sleep>>>>;

struct HeadTime {
    over: Instant,
    bell: Arc<Bell>,
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, over: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(HeadTime { over, bell: Arc::clone(&self.0) })
    }
}

impl Sleep for HeadTime {}

impl Future for HeadTime {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut bell = self.bell.lock().unwrap_or_else(PoisonError::into_inner);
        let bell = bell.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(self.over.into())));
        loop {
            ready!(bell.as_mut().poll(context));
            if bell.deadline() >= self.over.into() {
                return Poll::Ready(());
            }
            // It rang for an earlier head.
            bell.as_mut().reset(self.over.into());
        }
    }
}
