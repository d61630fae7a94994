//! What visitors have done so far, by the token of their session cookie. The table is in memory and bounded: the oldest walks are
//! dropped when there are too many, and every walk ends some time after its last step.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most walks at a time.
const WALKS_MAX: usize = 500;
/// How long a walk lasts after its last step.
const WALK_AGE: Duration = Duration::from_secs(30 * 60);

pub struct WalkTable<W> {
    walks: Mutex<HashMap<String, (Instant, W)>>,
}

impl<W> Default for WalkTable<W> {
    fn default() -> Self {
        Self { walks: Mutex::default() }
    }
}

impl<W: Clone> WalkTable<W> {
    /// The walk of a session, unless it has expired.
    pub fn find(&self, session: &str) -> Option<W> {
        self.find_at(session, Instant::now())
    }

    /// Stores the walk of a session and prolongs it.
    pub fn store(&self, session: &str, walk: W) {
        self.store_at(session, walk, Instant::now());
    }

    pub fn delete(&self, session: &str) {
        self.walks.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    }

    fn find_at(&self, session: &str, now: Instant) -> Option<W> {
        let walks = self.walks.lock().unwrap_or_else(PoisonError::into_inner);
        let (stored_at, walk) = walks.get(session)?;
        (now.duration_since(*stored_at) < WALK_AGE).then(|| walk.clone())
    }

    fn store_at(&self, session: &str, walk: W, now: Instant) {
        let mut walks = self.walks.lock().unwrap_or_else(PoisonError::into_inner);
        if walks.len() >= WALKS_MAX && !walks.contains_key(session) {
            walks.retain(|_, (stored_at, _)| now.duration_since(*stored_at) < WALK_AGE);
            let oldest = walks.iter().min_by_key(|(_, (stored_at, _))| *stored_at);
            let oldest = oldest.map(|(session, _)| session.clone());
            if let Some(oldest) = oldest.filter(|_| walks.len() >= WALKS_MAX) {
                walks.remove(&oldest);
            }
        }
        walks.insert(session.to_owned(), (now, walk));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walk_expires_after_its_last_step() {
        let (table, start) = (WalkTable::default(), Instant::now());
        table.store_at("a", 1, start);
        let last = start + WALK_AGE - Duration::from_secs(1);
        assert_eq!(table.find_at("a", last), Some(1));
        assert_eq!(table.find_at("a", start + WALK_AGE), None);
        table.store_at("a", 2, last);
        assert_eq!(table.find_at("a", start + WALK_AGE), Some(2));
        assert_eq!(table.find_at("b", start), None);
    }

    #[test]
    fn full_table_drops_the_oldest_walk() {
        let (table, start) = (WalkTable::default(), Instant::now());
        for number in 0..WALKS_MAX {
            let at = start + Duration::from_millis(u64::try_from(number).unwrap());
            table.store_at(&number.to_string(), number, at);
        }
        let later = start + Duration::from_secs(1);
        table.store_at("new", 0, later);
        assert_eq!(table.find_at("0", later), None);
        assert_eq!(table.find_at("1", later), Some(1));
        assert_eq!(table.find_at("new", later), Some(0));
        assert_eq!(table.walks.lock().unwrap().len(), WALKS_MAX);
    }
}
