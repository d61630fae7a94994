//! The line in front of the writers: bounded, with two lanes. Requests go before background work, and a full line
//! says so at once instead of letting callers pile up.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Who is waiting for the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    Request,
    Background,
}

pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    ready: Condvar,
    limit: usize,
}

struct State<T> {
    requests: VecDeque<T>,
    background: VecDeque<T>,
    /// How many wait for an item: waking nobody is a call of the system too.
    waiting: usize,
    closed: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rejected {
    Full,
    Closed,
}

impl<T> Queue<T> {
    pub(crate) fn new(limit: usize) -> Self {
        let state =
            State { requests: VecDeque::new(), background: VecDeque::new(), waiting: 0, closed: false };
        Self { state: Mutex::new(state), ready: Condvar::new(), limit }
    }

    pub(crate) fn push(&self, lane: Priority, item: T) -> Result<(), Rejected> {
        let mut state = self.lock();
        if state.closed {
            return Err(Rejected::Closed);
        }
        let line = match lane {
            Priority::Request => &mut state.requests,
            Priority::Background => &mut state.background,
        };
        if line.len() >= self.limit {
            return Err(Rejected::Full);
        }
        line.push_back(item);
        let awaited = state.waiting > 0;
        drop(state);
        if awaited {
            self.ready.notify_one();
        }
        Ok(())
    }

    /// The next item, waiting for one. `None` once the queue is closed and empty.
    pub(crate) fn pop(&self) -> Option<T> {
        self.next_while(|state| !state.closed)
    }

    /// The next item if one is waiting, or comes while it is worth waiting. Who ends that calls [`Queue::wake`].
    pub(crate) fn pop_while(&self, worth: impl Fn() -> bool) -> Option<T> {
        self.next_while(|_| worth())
    }

    /// Has those who wait look again whether it is worth it.
    pub(crate) fn wake(&self) {
        // Whoever has looked already is waiting when the lock is free.
        drop(self.lock());
        self.ready.notify_all();
    }

    /// Takes no more; what is waiting is still done.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
    }

    pub(crate) fn len(&self) -> usize {
        let state = self.lock();
        state.requests.len() + state.background.len()
    }

    fn next_while(&self, worth: impl Fn(&State<T>) -> bool) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(item) = state.next() {
                return Some(item);
            }
            if !worth(&state) {
                return None;
            }
            state.waiting += 1;
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing between lock and unlock can panic half-way, so a poisoned state is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    fn next(&mut self) -> Option<T> {
        self.requests.pop_front().or_else(|| self.background.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_overtake_background_work() {
        let queue = Queue::new(4);
        queue.push(Priority::Background, "sweep").unwrap();
        queue.push(Priority::Request, "payment").unwrap();
        assert_eq!(queue.pop(), Some("payment"));
        assert_eq!(queue.pop(), Some("sweep"));
    }

    #[test]
    fn a_full_line_says_so_and_a_closed_one_still_empties() {
        let queue = Queue::new(1);
        queue.push(Priority::Request, 1).unwrap();
        assert_eq!(queue.push(Priority::Request, 2), Err(Rejected::Full));
        queue.push(Priority::Background, 3).unwrap();
        queue.close();
        assert_eq!(queue.push(Priority::Request, 4), Err(Rejected::Closed));
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(1), Some(3), None));
    }
}
