//! Passwords of one customer in one channel, one after the other. A try is counted before anybody looks at it, so the
//! second of two that come at once would be taken for a guess after a wrong one: right ones would wait, and from the fifth
//! on be refused. In line each finds the counter as the one before has left it.
//!
//! The line is this process's own and only spares the innocent. What bounds guessing is the counter in the database,
//! which several processes share: there a second one waits as after a wrong password, and is then looked at.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// LoginKey line: a name's keyed hash, and a channel.
type LoginKey = ([u8; 32], String);

/// Who has waited so long goes on without a turn, and is judged by the counter alone: whoever fills somebody's line with
/// wrong passwords must not keep them out for longer than those are worth.
const LONGEST: Duration = Duration::from_secs(10);

#[derive(Clone, Default)]
pub(crate) struct LoginQueue(Arc<Mutex<HashMap<LoginKey, Arc<Semaphore>>>>);

/// A place at the head of a line, kept until it is dropped.
pub(crate) struct LoginPermit {
    turns: LoginQueue,
    whose: LoginKey,
    permit: Option<OwnedSemaphorePermit>,
}

impl LoginQueue {
    /// Waits until nobody else's password is being looked at for the same name and channel.
    pub(super) async fn take(&self, subject: [u8; 32], channel: &str) -> LoginPermit {
        self.take_within(LONGEST, (subject, channel.to_owned())).await
    }

    async fn take_within(&self, longest: Duration, whose: LoginKey) -> LoginPermit {
        let line = self.locked().entry(whose.clone()).or_insert_with(|| Arc::new(Semaphore::new(1))).clone();
        // Made before the wait: a caller who goes away while waiting leaves nothing behind either.
        let mut turn = LoginPermit { turns: self.clone(), whose, permit: None };
        turn.permit = tokio::time::timeout(longest, line.acquire_owned()).await.ok().and_then(Result::ok);
        turn
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, HashMap<LoginKey, Arc<Semaphore>>> {
        // Nothing between lock and unlock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LoginPermit {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut lines = self.turns.locked();
        // Whoever stands in the line or has a turn holds it; only the map's own is left when nobody does.
        if lines.get(&self.whose).is_some_and(|line| Arc::strong_count(line) == 1) {
            lines.remove(&self.whose);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn one_at_a_time_and_nothing_is_left_behind() {
        let (turns, inside) = (LoginQueue::default(), Arc::new(AtomicUsize::new(0)));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (turns, inside) = (turns.clone(), inside.clone());
            tasks.spawn(async move {
                let _turn = turns.take([1; 32], "page").await;
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                tokio::time::sleep(Duration::from_millis(1)).await;
                inside.fetch_sub(1, Ordering::SeqCst);
            });
        }
        tasks.join_all().await;
        assert!(turns.locked().is_empty());
    }

    #[tokio::test]
    async fn another_name_and_another_channel_have_lines_of_their_own() {
        let turns = LoginQueue::default();
        let held = turns.take([1; 32], "page").await;
        drop((turns.take([2; 32], "page").await, turns.take([1; 32], "app").await));
        assert_eq!(turns.locked().len(), 1);
        drop(held);
        assert!(turns.locked().is_empty());
    }

    #[tokio::test]
    async fn who_waits_too_long_goes_on_and_who_goes_away_leaves_the_line() {
        let (turns, context) = (LoginQueue::default(), Duration::from_millis(5));
        let held = turns.take([1; 32], "page").await;
        let gone = tokio::time::timeout(context, turns.take([1; 32], "page")).await;
        assert!(gone.is_err());
        assert!(turns.take_within(context, ([1; 32], "page".to_owned())).await.permit.is_none());
        assert!(held.permit.is_some());
        drop(held);
        assert!(turns.locked().is_empty());
    }
}
