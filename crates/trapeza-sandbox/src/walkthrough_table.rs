//! What visitors have done so far, by the token of their session cookie. The table is in memory and bounded: the oldest walkthroughs are
//! dropped when there are too many, and every walkthrough ends some time after its last step.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of walkthroughs at a time.
const MAX_WALKTHROUGHS: usize = 500;
/// How long a walkthrough lasts after its last step.
const WALKTHROUGH_TTL: Duration = Duration::from_secs(30 * 60);

pub struct WalkthroughTable<W> {
    walkthroughs: Mutex<HashMap<String, (Instant, W)>>,
}

impl<W> Default for WalkthroughTable<W> {
    fn default() -> Self {
        Self { walkthroughs: Mutex::default() }
    }
}

impl<W: Clone> WalkthroughTable<W> {
    /// The walkthrough of a session, unless it has expired.
    pub fn find(&self, session: &str) -> Option<W> {
        self.find_at(session, Instant::now())
    }

    /// Stores the walkthrough of a session and prolongs it.
    pub fn store(&self, session: &str, walkthrough: W) {
        self.store_at(session, walkthrough, Instant::now());
    }

    pub fn delete(&self, session: &str) {
        self.walkthroughs.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    }

    fn find_at(&self, session: &str, now: Instant) -> Option<W> {
        let walkthroughs = self.walkthroughs.lock().unwrap_or_else(PoisonError::into_inner);
        let (stored_at, walkthrough) = walkthroughs.get(session)?;
        (now.duration_since(*stored_at) < WALKTHROUGH_TTL).then(|| walkthrough.clone())
    }

    fn store_at(&self, session: &str, walkthrough: W, now: Instant) {
        let mut walkthroughs = self.walkthroughs.lock().unwrap_or_else(PoisonError::into_inner);
        if walkthroughs.len() >= MAX_WALKTHROUGHS && !walkthroughs.contains_key(session) {
            walkthroughs.retain(|_, (stored_at, _)| now.duration_since(*stored_at) < WALKTHROUGH_TTL);
            let oldest = walkthroughs.iter().min_by_key(|(_, (stored_at, _))| *stored_at);
            let oldest = oldest.map(|(session, _)| session.clone());
            if let Some(oldest) = oldest.filter(|_| walkthroughs.len() >= MAX_WALKTHROUGHS) {
                walkthroughs.remove(&oldest);
            }
        }
        walkthroughs.insert(session.to_owned(), (now, walkthrough));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walk_expires_after_its_last_step() {
        let (table, start) = (WalkthroughTable::default(), Instant::now());
        table.store_at("a", 1, start);
        let last = start + WALKTHROUGH_TTL - Duration::from_secs(1);
        assert_eq!(table.find_at("a", last), Some(1));
        assert_eq!(table.find_at("a", start + WALKTHROUGH_TTL), None);
        table.store_at("a", 2, last);
        assert_eq!(table.find_at("a", start + WALKTHROUGH_TTL), Some(2));
        assert_eq!(table.find_at("b", start), None);
    }

    #[test]
    fn full_table_drops_the_oldest_walk() {
        let (table, start) = (WalkthroughTable::default(), Instant::now());
        for number in 0..MAX_WALKTHROUGHS {
            let at = start + Duration::from_millis(u64::try_from(number).unwrap());
            table.store_at(&number.to_string(), number, at);
        }
        let later = start + Duration::from_secs(1);
        table.store_at("new", 0, later);
        assert_eq!(table.find_at("0", later), None);
        assert_eq!(table.find_at("1", later), Some(1));
        assert_eq!(table.find_at("new", later), Some(0));
        assert_eq!(table.walkthroughs.lock().unwrap().len(), MAX_WALKTHROUGHS);
    }
}
