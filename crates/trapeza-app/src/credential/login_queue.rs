//! Serialises password checks per subject and channel.
//!
//! An attempt is counted before the password is verified, so concurrent right passwords would otherwise meet the
//! back-off of each other. The queue is local to the process and best-effort: the limit itself is enforced by the
//! counter in the database, which all processes share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The keyed hash of a login name, and a channel.
type LoginKey = ([u8; 32], String);

/// After this long an attempt goes on without a permit, so that a flood of wrong passwords does not keep the customer
/// out. The counter in the database still decides.
const MAX_WAIT: Duration = Duration::from_secs(10);

#[derive(Clone, Default)]
pub(crate) struct LoginQueue(Arc<Mutex<HashMap<LoginKey, Arc<Semaphore>>>>);

/// The right to verify a password now. Dropping it admits the next waiting attempt.
pub(crate) struct LoginPermit {
    queue: LoginQueue,
    key: LoginKey,
    permit: Option<OwnedSemaphorePermit>,
}

impl LoginQueue {
    /// Waits until no other password is being verified for the same subject and channel.
    pub(super) async fn acquire(&self, subject: [u8; 32], channel: &str) -> LoginPermit {
        self.acquire_within(MAX_WAIT, (subject, channel.to_owned())).await
    }

    async fn acquire_within(&self, max_wait: Duration, key: LoginKey) -> LoginPermit {
        let semaphore =
            self.locked().entry(key.clone()).or_insert_with(|| Arc::new(Semaphore::new(1))).clone();
        // Created before the wait, so that a cancelled wait also removes its entry.
        let mut login = LoginPermit { queue: self.clone(), key, permit: None };
        login.permit =
            tokio::time::timeout(max_wait, semaphore.acquire_owned()).await.ok().and_then(Result::ok);
        login
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, HashMap<LoginKey, Arc<Semaphore>>> {
        // No operation under the lock can panic halfway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LoginPermit {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut semaphores = self.queue.locked();
        // Holders and waiters own a clone; only the map's own is left when there are none.
        if semaphores.get(&self.key).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            semaphores.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn permits_are_exclusive_and_leave_no_entry() {
        let (queue, inside) = (LoginQueue::default(), Arc::new(AtomicUsize::new(0)));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (queue, inside) = (queue.clone(), inside.clone());
            tasks.spawn(async move {
                let _permit = queue.acquire([1; 32], "redirect").await;
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                tokio::time::sleep(Duration::from_millis(1)).await;
                inside.fetch_sub(1, Ordering::SeqCst);
            });
        }
        tasks.join_all().await;
        assert!(queue.locked().is_empty());
    }

    #[tokio::test]
    async fn other_subject_or_channel_does_not_wait() {
        let queue = LoginQueue::default();
        let held = queue.acquire([1; 32], "redirect").await;
        drop((queue.acquire([2; 32], "redirect").await, queue.acquire([1; 32], "app").await));
        assert_eq!(queue.locked().len(), 1);
        drop(held);
        assert!(queue.locked().is_empty());
    }

    #[tokio::test]
    async fn timeout_returns_without_permit_and_cancelled_wait_leaves_no_entry() {
        let (queue, moment) = (LoginQueue::default(), Duration::from_millis(5));
        let held = queue.acquire([1; 32], "redirect").await;
        let cancelled = tokio::time::timeout(moment, queue.acquire([1; 32], "redirect")).await;
        assert!(cancelled.is_err());
        assert!(queue.acquire_within(moment, ([1; 32], "redirect".to_owned())).await.permit.is_none());
        assert!(held.permit.is_some());
        drop(held);
        assert!(queue.locked().is_empty());
    }
}
