//! A cache whose entries are valid for one generation of the tables that they were read from.
//!
//! The generation is read before the rows, and it is part of the key. Once it has moved on, entries of the older one are
//! not found any more, so a change takes effect on the next request; they are evicted in time. Where other processes write
//! to the same tables there is no generation and nothing is cached.

use foldhash::fast::RandomState;
use quick_cache::UnitWeighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use std::hash::Hash;

/// The number of cached entries.
const CAPACITY: usize = 4096;

/// A bounded cache with a fast hash function: keys of a kilobyte, such as certificates, are hashed with every request.
pub(crate) type BoundedCache<K, V> = Cache<K, V, UnitWeighter, RandomState>;

/// A cache of at most `capacity` entries.
pub(crate) fn bounded_cache<K: Eq + Hash, V: Clone>(capacity: usize) -> BoundedCache<K, V> {
    let (hasher, lifecycle) = (RandomState::default(), DefaultLifecycle::default());
    Cache::with(capacity, capacity as u64, UnitWeighter, hasher, lifecycle)
}

#[derive(Debug)]
pub(crate) struct GenerationCache<K, V>(BoundedCache<(u64, K), V>);

impl<K: Eq + Hash, V: Clone> Default for GenerationCache<K, V> {
    fn default() -> Self {
        Self(bounded_cache(CAPACITY))
    }
}

impl<K: Eq + Hash, V: Clone> GenerationCache<K, V> {
    pub(crate) fn get(&self, generation: Option<u64>, key: K) -> Option<V> {
        self.0.get(&(generation?, key))
    }

    /// Caches a value that was read after `generation` was.
    pub(crate) fn insert(&self, generation: Option<u64>, key: K, value: V) {
        if let Some(generation) = generation {
            self.0.insert((generation, key), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "a key";

    #[test]
    fn entry_is_found_in_its_generation_only() {
        let cache = GenerationCache::default();
        cache.insert(Some(3), KEY, 1);
        assert_eq!(cache.get(Some(3), KEY), Some(1));
        assert_eq!(cache.get(Some(3), "another"), None);
        assert_eq!((cache.get(Some(2), KEY), cache.get(Some(4), KEY)), (None, None));
    }

    #[test]
    fn value_of_an_older_generation_is_not_found_in_a_newer_one() {
        let cache = GenerationCache::default();
        cache.insert(Some(4), KEY, 2);
        cache.insert(Some(3), KEY, 1);
        assert_eq!(cache.get(Some(4), KEY), Some(2));
    }

    #[test]
    fn nothing_is_cached_without_a_generation() {
        let cache = GenerationCache::default();
        cache.insert(None, KEY, 1);
        assert_eq!((cache.get(None, KEY), cache.get(Some(0), KEY)), (None, None));
    }

    #[test]
    fn cache_is_bounded() {
        let cache = GenerationCache::default();
        for number in 0..2 * CAPACITY {
            cache.insert(Some(1), number, ());
        }
        assert!(cache.0.len() <= CAPACITY);
    }
}
