//! A bounded cache whose entries are valid for one generation of the tables that they were read from.
//!
//! The generation is read before the rows. An entry is ignored once the generation has moved on, so a change takes effect
//! on the next request. Where other processes write to the same tables there is no generation and nothing is cached.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// When this many entries are cached, the cache starts again.
const CAPACITY: usize = 4096;

#[derive(Debug)]
pub(crate) struct GenerationCache<K, V>(Mutex<Entries<K, V>>);

#[derive(Debug)]
struct Entries<K, V> {
    generation: u64,
    values: HashMap<K, V>,
}

impl<K, V> Default for GenerationCache<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Entries { generation: 0, values: HashMap::new() }))
    }
}

impl<K: Eq + Hash, V: Clone> GenerationCache<K, V> {
    pub(crate) fn get(&self, generation: Option<u64>, key: &K) -> Option<V> {
        let entries = self.locked();
        (Some(entries.generation) == generation).then(|| entries.values.get(key).cloned()).flatten()
    }

    /// Caches a value that was read after `generation` was.
    pub(crate) fn insert(&self, generation: Option<u64>, key: K, value: &V) {
        let Some(generation) = generation else { return };
        let mut entries = self.locked();
        if entries.generation < generation || entries.values.len() >= CAPACITY {
            *entries = Entries { generation, values: HashMap::new() };
        }
        // A value that was read under an older generation may be outdated.
        if entries.generation == generation {
            entries.values.insert(key, value.clone());
        }
    }

    fn locked(&self) -> MutexGuard<'_, Entries<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "a key";

    #[test]
    fn entry_is_found_in_its_generation_only() {
        let cache = GenerationCache::default();
        cache.insert(Some(3), KEY, &1);
        assert_eq!(cache.get(Some(3), &KEY), Some(1));
        assert_eq!(cache.get(Some(3), &"another"), None);
        assert_eq!((cache.get(Some(2), &KEY), cache.get(Some(4), &KEY)), (None, None));
    }

    #[test]
    fn value_of_an_older_generation_is_not_cached() {
        let cache = GenerationCache::default();
        cache.insert(Some(4), "another", &2);
        cache.insert(Some(3), KEY, &1);
        assert_eq!((cache.get(Some(3), &KEY), cache.get(Some(4), &KEY)), (None, None));
    }

    #[test]
    fn nothing_is_cached_without_a_generation() {
        let cache = GenerationCache::default();
        cache.insert(None, KEY, &1);
        assert_eq!((cache.get(None, &KEY), cache.get(Some(0), &KEY)), (None, None));
    }

    #[test]
    fn cache_is_bounded() {
        let cache = GenerationCache::default();
        for number in 0..=CAPACITY {
            cache.insert(Some(1), number, &());
        }
        assert!(cache.locked().values.len() <= CAPACITY);
    }
}
