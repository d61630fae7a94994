//! Serialises password checks per subject and channel, and bounds how many wait.
//!
//! An attempt is counted before the password is verified, so concurrent right passwords would otherwise meet the
//! back-off of each other. The queue is local to the process and best-effort: the limit on attempts is enforced by the
//! counter in the database, which all processes share. An attempt that finds the queue full is refused at once, before it
//! is counted: hashing is slow, and a flood of passwords must not use up memory and time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::TimeDelta;

/// The keyed hash of a login name, and a channel.
type LoginKey = ([u8; 32], String);

/// After this long an attempt continues without a permit, so that a flood of wrong passwords does not lock the customer
/// out. The counter in the database still decides.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Attempts of all customers that are verified or wait.
const MAX_ATTEMPTS: usize = 256;
/// Attempts of one subject in one channel that are verified or wait.
const MAX_ATTEMPTS_PER_KEY: usize = 32;
/// When a refused attempt can be retried.
const RETRY_AFTER: TimeDelta = TimeDelta::seconds(2);

#[derive(Clone, Default)]
pub(crate) struct LoginQueue(Arc<Mutex<Attempts>>);

#[derive(Default)]
struct Attempts {
    total: usize,
    by_key: HashMap<LoginKey, KeyAttempts>,
}

struct KeyAttempts {
    count: usize,
    /// One permit: the right to verify a password.
    semaphore: Arc<Semaphore>,
}

/// The right to verify a password now. Dropping it admits the next waiting attempt.
pub(crate) struct LoginPermit {
    queue: LoginQueue,
    key: LoginKey,
    permit: Option<OwnedSemaphorePermit>,
}

impl LoginQueue {
    /// Waits until no other password is being verified for the same subject and channel.
    pub(super) async fn acquire(&self, subject: [u8; 32], channel: &str) -> Result<LoginPermit, Refusal> {
        self.acquire_within(MAX_WAIT, (subject, channel.to_owned())).await
    }

    async fn acquire_within(&self, max_wait: Duration, key: LoginKey) -> Result<LoginPermit, Refusal> {
        let semaphore = self.lock().add(&key).ok_or_else(queue_full)?;
        // Created before the wait, so that a cancelled wait is removed as well.
        let mut login = LoginPermit { queue: self.clone(), key, permit: None };
        login.permit =
            tokio::time::timeout(max_wait, semaphore.acquire_owned()).await.ok().and_then(Result::ok);
        Ok(login)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Attempts> {
        // No operation under the lock can panic halfway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempts {
    /// Counts an attempt. `None` when there are too many.
    fn add(&mut self, key: &LoginKey) -> Option<Arc<Semaphore>> {
        if self.total >= MAX_ATTEMPTS {
            return None;
        }
        let new = || KeyAttempts { count: 0, semaphore: Arc::new(Semaphore::new(1)) };
        let attempts = self.by_key.entry(key.clone()).or_insert_with(new);
        if attempts.count >= MAX_ATTEMPTS_PER_KEY {
            return None;
        }
        attempts.count += 1;
        self.total += 1;
        Some(attempts.semaphore.clone())
    }

    fn remove(&mut self, key: &LoginKey) {
        self.total -= 1;
        if let Some(attempts) = self.by_key.get_mut(key) {
            attempts.count -= 1;
            if attempts.count == 0 {
                self.by_key.remove(key);
            }
        }
    }
}

impl Drop for LoginPermit {
    fn drop(&mut self) {
        drop(self.permit.take());
        self.queue.lock().remove(&self.key);
    }
}

fn queue_full() -> Refusal {
    let text = "too many passwords are being verified; retry in a few seconds";
    Refusal::new(RefusalReason::RateExceeded, text).retry_after(RETRY_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn assert_empty(queue: &LoginQueue) {
        let attempts = queue.lock();
        assert_eq!((attempts.total, attempts.by_key.len()), (0, 0));
    }

    #[tokio::test]
    async fn full_queue_refuses_at_once_and_recovers() {
        let queue = LoginQueue::default();
        let no_wait = Duration::ZERO;
        let key = |subject: u8| ([subject; 32], "redirect".to_owned());
        let mut held = Vec::new();
        for subject in 0..u8::try_from(MAX_ATTEMPTS / MAX_ATTEMPTS_PER_KEY).unwrap() {
            for _ in 0..MAX_ATTEMPTS_PER_KEY {
                held.push(queue.acquire_within(no_wait, key(subject)).await.unwrap());
            }
            let refusal = queue.acquire_within(no_wait, key(subject)).await.err().unwrap();
            assert_eq!(refusal.reason, RefusalReason::RateExceeded);
            assert_eq!(refusal.retry_after, Some(RETRY_AFTER));
        }
        assert!(queue.acquire_within(no_wait, key(200)).await.is_err(), "the total is bounded");
        held.pop();
        drop(queue.acquire_within(no_wait, key(200)).await.unwrap());
        drop(held);
        assert_empty(&queue);
    }

    #[tokio::test]
    async fn permits_are_exclusive_and_leave_no_entry() {
        let (queue, inside) = (LoginQueue::default(), Arc::new(AtomicUsize::new(0)));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..MAX_ATTEMPTS_PER_KEY {
            let (queue, inside) = (queue.clone(), inside.clone());
            tasks.spawn(async move {
                let _permit = queue.acquire([1; 32], "redirect").await.unwrap();
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                tokio::time::sleep(Duration::from_millis(1)).await;
                inside.fetch_sub(1, Ordering::SeqCst);
            });
        }
        tasks.join_all().await;
        assert_empty(&queue);
    }

    #[tokio::test]
    async fn other_subject_or_channel_does_not_wait() {
        let queue = LoginQueue::default();
        let held = queue.acquire([1; 32], "redirect").await.unwrap();
        drop((queue.acquire([2; 32], "redirect").await, queue.acquire([1; 32], "app").await));
        assert_eq!(queue.lock().total, 1);
        drop(held);
        assert_empty(&queue);
    }

    #[tokio::test]
    async fn timeout_returns_without_permit_and_cancelled_wait_leaves_no_entry() {
        let (queue, moment) = (LoginQueue::default(), Duration::from_millis(5));
        let held = queue.acquire([1; 32], "redirect").await.unwrap();
        let cancelled = tokio::time::timeout(moment, queue.acquire([1; 32], "redirect")).await;
        assert!(cancelled.is_err());
        let late = queue.acquire_within(moment, ([1; 32], "redirect".to_owned())).await.unwrap();
        assert!(late.permit.is_none());
        drop(late);
        assert!(held.permit.is_some());
        drop(held);
        assert_empty(&queue);
    }
}
