//! The queue in front of the writers: bounded, with two priorities. A full queue rejects at once, so that callers do not pile
//! up.

use metrics::{Counter, Histogram, counter, histogram};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Requests are run before background work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    Request,
    Background,
}

pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    ready: Condvar,
    /// For each priority.
    capacity: usize,
    wait_seconds: Histogram,
    rejected: Counter,
}

struct State<T> {
    requests: VecDeque<Queued<T>>,
    background: VecDeque<Queued<T>>,
    /// Threads that wait for an item: waking none would still be a system call.
    waiting: usize,
    closed: bool,
}

struct Queued<T> {
    item: T,
    since: Instant,
}

/// The number of items that wait, by priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueDepth {
    pub(crate) requests: usize,
    pub(crate) background: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rejected {
    Full,
    Closed,
}

impl<T> Queue<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        let state =
            State { requests: VecDeque::new(), background: VecDeque::new(), waiting: 0, closed: false };
        Self {
            state: Mutex::new(state),
            ready: Condvar::new(),
            capacity,
            wait_seconds: histogram!("trapeza_store_queue_wait_seconds"),
            rejected: counter!("trapeza_store_queue_rejected_total"),
        }
    }

    pub(crate) fn push(&self, priority: Priority, item: T) -> Result<(), Rejected> {
        let queued = Queued { item, since: Instant::now() };
        let mut state = self.lock();
        if state.closed {
            return Err(Rejected::Closed);
        }
        let items = match priority {
            Priority::Request => &mut state.requests,
            Priority::Background => &mut state.background,
        };
        if items.len() >= self.capacity {
            self.rejected.increment(1);
            return Err(Rejected::Full);
        }
        items.push_back(queued);
        let has_waiting = state.waiting > 0;
        drop(state);
        if has_waiting {
            self.ready.notify_one();
        }
        Ok(())
    }

    /// Waits for the next item. `None` once the queue is closed and empty.
    pub(crate) fn pop(&self) -> Option<T> {
        self.next_while(|state| !state.closed)
    }

    /// The next item, waiting for one while `condition` is true. A change of the condition must be followed by
    /// [`Queue::wake`].
    pub(crate) fn pop_while(&self, condition: impl Fn() -> bool) -> Option<T> {
        self.next_while(|_| condition())
    }

    /// Makes waiting threads check their condition again.
    pub(crate) fn wake(&self) {
        // A thread that has checked its condition holds the lock until it waits.
        drop(self.lock());
        self.ready.notify_all();
    }

    /// Accepts no more items; those in the queue are still run.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
    }

    pub(crate) fn depth(&self) -> QueueDepth {
        let state = self.lock();
        QueueDepth { requests: state.requests.len(), background: state.background.len() }
    }

    fn next_while(&self, condition: impl Fn(&State<T>) -> bool) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(Queued { item, since }) = state.next() {
                drop(state);
                self.wait_seconds.record(since.elapsed());
                return Some(item);
            }
            if !condition(&state) {
                return None;
            }
            state.waiting += 1;
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing panics while the lock is held, so a poisoned state is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    fn next(&mut self) -> Option<Queued<T>> {
        self.requests.pop_front().or_else(|| self.background.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_popped_before_background_work() {
        let queue = Queue::new(4);
        queue.push(Priority::Background, "sweep").unwrap();
        queue.push(Priority::Request, "payment").unwrap();
        assert_eq!(queue.pop(), Some("payment"));
        assert_eq!(queue.pop(), Some("sweep"));
    }

    #[test]
    fn full_queue_rejects_and_closed_queue_is_drained() {
        let queue = Queue::new(1);
        queue.push(Priority::Request, 1).unwrap();
        assert_eq!(queue.push(Priority::Request, 2), Err(Rejected::Full));
        queue.push(Priority::Background, 3).unwrap();
        queue.close();
        assert_eq!(queue.push(Priority::Request, 4), Err(Rejected::Closed));
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(1), Some(3), None));
    }
}
