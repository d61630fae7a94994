//! What was lately read about callers (who was let in, on which terms) and about how customers authorise, for as long as
//! nothing about them has changed.
//!
//! What is kept belongs to one edition of the tables it was read from (`Store::edition`), and is never asked
//! about under another: a key that was retired, or a certificate that was blocked, is refused by the very next call.
//! Where other processes write to the same tables nothing is kept.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// More than this many are not worth keeping.
const MOST: usize = 4096;

#[derive(Debug)]
pub(crate) struct GenerationCache<K, V>(Mutex<Kept<K, V>>);

#[derive(Debug)]
struct Kept<K, V> {
    edition: u64,
    found: HashMap<K, V>,
}

impl<K, V> Default for GenerationCache<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Kept { edition: 0, found: HashMap::new() }))
    }
}

impl<K: Eq + Hash, V: Clone> GenerationCache<K, V> {
    pub(crate) fn find(&self, edition: Option<u64>, key: &K) -> Option<V> {
        let kept = self.locked();
        (Some(kept.edition) == edition).then(|| kept.found.get(key).cloned()).flatten()
    }

    /// Keeps what was read after `edition` was asked for.
    pub(crate) fn keep(&self, edition: Option<u64>, key: K, found: &V) {
        let Some(edition) = edition else { return };
        let mut kept = self.locked();
        if kept.edition < edition || kept.found.len() >= MOST {
            *kept = Kept { edition, found: HashMap::new() };
        }
        // What was read under an older one may be wrong by now.
        if kept.edition == edition {
            kept.found.insert(key, found.clone());
        }
    }

    fn locked(&self) -> MutexGuard<'_, Kept<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "a key";

    #[test]
    fn what_was_found_is_known_in_its_edition_only() {
        let known = GenerationCache::default();
        known.keep(Some(3), KEY, &1);
        assert_eq!(known.find(Some(3), &KEY), Some(1));
        assert_eq!(known.find(Some(3), &"another"), None);
        assert_eq!((known.find(Some(2), &KEY), known.find(Some(4), &KEY)), (None, None));
    }

    #[test]
    fn what_was_read_too_early_is_not_kept() {
        let known = GenerationCache::default();
        known.keep(Some(4), "another", &2);
        known.keep(Some(3), KEY, &1);
        assert_eq!((known.find(Some(3), &KEY), known.find(Some(4), &KEY)), (None, None));
    }

    #[test]
    fn nothing_is_kept_where_others_write_too() {
        let known = GenerationCache::default();
        known.keep(None, KEY, &1);
        assert_eq!((known.find(None, &KEY), known.find(Some(0), &KEY)), (None, None));
    }

    #[test]
    fn there_is_a_most() {
        let known = GenerationCache::default();
        for number in 0..=MOST {
            known.keep(Some(1), number, &());
        }
        assert!(known.locked().found.len() <= MOST);
    }
}
