//! Facts of certificates seen lately, because the same few are sent with every request.
//!
//! It only remembers a pure function of the sent bytes, so nothing in it can grow stale: standing, registration and
//! time are looked at anew each time by the caller. What cannot be read is not kept, so that garbage displaces nothing.

use super::{Unreadable, facts, read_header};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use trapeza_domain::application::CertificateFacts;

/// Half of the entries a cache may hold: see [`Generations`].
const GENERATION_SIZE: usize = 512;

type Key = [u8; 32];

/// At most 1,024 certificates, shared by all requests.
#[derive(Debug, Default)]
pub struct CertificateCache(Mutex<Generations>);

/// What is used goes into the young half. When that is full it becomes the old one, and what the old one held, not
/// used since, is forgotten. That keeps what is in use without keeping an order.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Key, Arc<CertificateFacts>>,
    old: HashMap<Key, Arc<CertificateFacts>>,
}

impl CertificateCache {
    pub fn new() -> Self {
        Self::default()
    }

    /// The facts of the certificate in a `Certificate` header.
    pub fn read_header(&self, text: &str) -> Result<Arc<CertificateFacts>, Unreadable> {
        self.read(key(b"header", text.as_bytes()), || facts(&read_header(text)?))
    }

    /// The facts of a certificate in DER form, as the TLS handshake gives it.
    pub fn read_der(&self, der: &[u8]) -> Result<Arc<CertificateFacts>, Unreadable> {
        self.read(key(b"der", der), || facts(der))
    }

    /// The facts of a certificate that was read before, without reading one that was not.
    pub fn known_header(&self, text: &str) -> Option<Arc<CertificateFacts>> {
        self.locked().find(&key(b"header", text.as_bytes()))
    }

    /// The same of one in DER form.
    pub fn known_der(&self, der: &[u8]) -> Option<Arc<CertificateFacts>> {
        self.locked().find(&key(b"der", der))
    }

    fn read(
        &self,
        key: Key,
        parse: impl FnOnce() -> Result<CertificateFacts, Unreadable>,
    ) -> Result<Arc<CertificateFacts>, Unreadable> {
        if let Some(known) = self.locked().find(&key) {
            return Ok(known);
        }
        // Outside the lock: two that parse the same at once come to the same.
        let parsed = Arc::new(parse()?);
        self.locked().insert(key, Arc::clone(&parsed));
        Ok(parsed)
    }

    fn locked(&self) -> MutexGuard<'_, Generations> {
        // A map of facts is whole after every step, so a panic elsewhere takes nothing from it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn find(&mut self, key: &Key) -> Option<Arc<CertificateFacts>> {
        if let Some(known) = self.young.get(key) {
            return Some(Arc::clone(known));
        }
        let known = self.old.remove(key)?;
        self.insert(*key, Arc::clone(&known));
        Some(known)
    }

    fn insert(&mut self, key: Key, facts: Arc<CertificateFacts>) {
        if self.young.len() >= GENERATION_SIZE && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, facts);
    }
}

/// The sender chooses the bytes, so only a hash that nobody can find a collision for will do.
fn key(form: &[u8], bytes: &[u8]) -> Key {
    // The form keeps a header's text apart from DER of the same bytes.
    Sha256::new().chain_update(form).chain_update([0]).chain_update(bytes).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::time::Instant;

    fn some(name: usize) -> CertificateFacts {
        CertificateFacts {
            fingerprint: [0; 32],
            organisation: "PSDGR-BOG-000001".into(),
            name: name.to_string(),
            roles: Vec::new(),
            not_before: Instant(0),
            not_after: Instant(1),
        }
    }

    fn held(cache: &CertificateCache) -> usize {
        let generations = cache.locked();
        generations.young.len() + generations.old.len()
    }

    #[test]
    fn what_is_known_is_not_parsed_again() {
        let cache = CertificateCache::new();
        let first = cache.read([1; 32], || Ok(some(1))).unwrap();
        let second = cache.read([1; 32], || panic!("parsed again")).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn what_cannot_be_read_is_not_kept() {
        let cache = CertificateCache::new();
        assert!(cache.read_header("!").is_err());
        assert!(cache.read_der(b"!").is_err());
        assert!(cache.known_header("!").is_none() && cache.known_der(b"!").is_none());
        assert_eq!(held(&cache), 0);
    }

    #[test]
    fn it_never_holds_more_than_its_bound_and_keeps_what_is_in_use() {
        let cache = CertificateCache::new();
        let number_key = |n: usize| key(b"test", &n.to_be_bytes());
        for n in 0..5_000 {
            cache.read(number_key(n), || Ok(some(n))).unwrap();
            cache.read(number_key(0), || Ok(some(usize::MAX))).unwrap();
            assert!(held(&cache) <= 2 * GENERATION_SIZE);
        }
        assert_eq!(cache.read(number_key(0), || panic!("forgotten")).unwrap().name, "0");
        assert_eq!(cache.read(number_key(1), || Ok(some(7))).unwrap().name, "7", "long unused, so forgotten");
    }

    #[test]
    fn threads_share_it_and_each_gets_its_own_certificate() {
        let cache = CertificateCache::new();
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                let cache = &cache;
                scope.spawn(move || {
                    for n in (0..4_000_usize).map(|n| (n * (thread + 1)) % 1_500) {
                        let facts = cache.read(key(b"test", &n.to_be_bytes()), || Ok(some(n))).unwrap();
                        assert_eq!(facts.name, n.to_string());
                    }
                });
            }
        });
        assert!(held(&cache) <= 2 * GENERATION_SIZE);
    }
}
