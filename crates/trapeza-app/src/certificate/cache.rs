//! A cache of parsed certificates, because the same few are sent with every request.
//!
//! It caches a pure function of the bytes, so entries cannot become outdated: status, registration and time are checked
//! by the caller every time. A certificate that cannot be parsed is not cached, so that garbage displaces nothing.

use super::{CertificateParseError, decode_header, parse};
use crate::authentication::PresentedCertificate;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use trapeza_domain::application::ParsedCertificate;

/// Half of the entries that one form may hold: see [`Generations`].
const GENERATION_SIZE: usize = 256;

/// At most 1,024 certificates, half of them from headers and half in DER form, shared by all requests.
#[derive(Debug, Default)]
pub struct CertificateCache {
    headers: Seen,
    ders: Seen,
}

#[derive(Debug, Default)]
struct Seen {
    slots: RandomState,
    generations: Mutex<Generations>,
}

/// Used entries are in the young half. When it is full it becomes the old half, and the entries of the old half, which were
/// not used since, are dropped. This approximates LRU without an order.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<u64, Entry>,
    old: HashMap<u64, Entry>,
}

/// The bytes of a certificate as it was sent, and its parsed form.
#[derive(Debug)]
struct Entry {
    bytes: Box<[u8]>,
    facts: Arc<ParsedCertificate>,
}

impl CertificateCache {
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses a certificate, or takes it from the cache.
    pub fn parse(
        &self,
        certificate: PresentedCertificate<'_>,
    ) -> Result<Arc<ParsedCertificate>, CertificateParseError> {
        match certificate {
            PresentedCertificate::Header(text) => {
                self.headers.read(text.as_bytes(), || parse(&decode_header(text)?))
            }
            PresentedCertificate::Der(der) => self.ders.read(der, || parse(der)),
        }
    }

    /// A certificate that was parsed before.
    pub fn get(&self, certificate: PresentedCertificate<'_>) -> Option<Arc<ParsedCertificate>> {
        match certificate {
            PresentedCertificate::Header(text) => self.headers.find(text.as_bytes()),
            PresentedCertificate::Der(der) => self.ders.find(der),
        }
    }
}

impl Seen {
    fn read(
        &self,
        bytes: &[u8],
        parse: impl FnOnce() -> Result<ParsedCertificate, CertificateParseError>,
    ) -> Result<Arc<ParsedCertificate>, CertificateParseError> {
        if let Some(known) = self.find(bytes) {
            return Ok(known);
        }
        // Parsed outside the lock; concurrent requests with the same bytes get the same result.
        let facts = Arc::new(parse()?);
        let entry = Entry { bytes: bytes.into(), facts: Arc::clone(&facts) };
        self.locked().insert(self.slot(bytes), entry);
        Ok(facts)
    }

    fn find(&self, bytes: &[u8]) -> Option<Arc<ParsedCertificate>> {
        let slot = self.slot(bytes);
        self.locked().find(slot, bytes)
    }

    /// The hash slot of a certificate. Its end is the signature, so collisions are rare; two certificates in one slot displace
    /// each other, because the whole bytes are compared.
    fn slot(&self, bytes: &[u8]) -> u64 {
        let end = bytes.last_chunk::<64>().map_or(bytes, <[u8; 64]>::as_slice);
        self.slots.hash_one((bytes.len(), end))
    }

    fn locked(&self) -> MutexGuard<'_, Generations> {
        // A map of facts is whole after every step, so a panic other_browser takes nothing from it.
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn find(&mut self, slot: u64, bytes: &[u8]) -> Option<Arc<ParsedCertificate>> {
        if let Some(known) = self.young.get(&slot).filter(|entry| *entry.bytes == *bytes) {
            return Some(Arc::clone(&known.facts));
        }
        let known = self.old.remove(&slot).filter(|entry| *entry.bytes == *bytes)?;
        let facts = Arc::clone(&known.facts);
        self.insert(slot, known);
        Some(facts)
    }

    fn insert(&mut self, slot: u64, entry: Entry) {
        if self.young.len() >= GENERATION_SIZE && !self.young.contains_key(&slot) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(slot, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::time::Timestamp;

    fn some(name: usize) -> ParsedCertificate {
        ParsedCertificate {
            fingerprint: [0; 32],
            organisation: "PSDGR-BOG-000001".into(),
            name: name.to_string(),
            roles: Vec::new(),
            not_before: Timestamp(0),
            not_after: Timestamp(1),
        }
    }

    fn held(seen: &Seen) -> usize {
        let generations = seen.locked();
        generations.young.len() + generations.old.len()
    }

    #[test]
    fn cached_certificate_is_not_parsed_again() {
        let seen = Seen::default();
        let first = seen.read(b"one", || Ok(some(1))).unwrap();
        let second = seen.read(b"one", || panic!("parsed again")).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn unparsable_certificate_is_not_cached() {
        let cache = CertificateCache::new();
        assert!(cache.parse(PresentedCertificate::Header("!")).is_err());
        assert!(cache.parse(PresentedCertificate::Der(b"!")).is_err());
        assert!(cache.get(PresentedCertificate::Header("!")).is_none());
        assert_eq!(held(&cache.headers) + held(&cache.ders), 0);
    }

    #[test]
    fn header_and_der_entries_are_separate() {
        let cache = CertificateCache::new();
        cache.headers.read(b"same", || Ok(some(1))).unwrap();
        assert!(cache.get(PresentedCertificate::Header("same")).is_some());
        assert!(cache.get(PresentedCertificate::Der(b"same")).is_none());
    }

    /// Equal length and equal end, as an attacker could make them.
    #[test]
    fn certificates_in_one_slot_are_distinguished() {
        let seen = Seen::default();
        let (mut one, mut other) = ([7; 500], [7; 500]);
        (one[0], other[0]) = (1, 2);
        assert_eq!(seen.slot(&one), seen.slot(&other));
        for _ in 0..3 {
            assert_eq!(seen.read(&one, || Ok(some(1))).unwrap().name, "1");
            assert_eq!(seen.read(&other, || Ok(some(2))).unwrap().name, "2");
        }
        assert_eq!(held(&seen), 1);
    }

    #[test]
    fn cache_is_bounded_and_keeps_used_entries() {
        let seen = Seen::default();
        for n in 0..5_000_usize {
            seen.read(&n.to_be_bytes(), || Ok(some(n))).unwrap();
            seen.read(&0_usize.to_be_bytes(), || Ok(some(usize::MAX))).unwrap();
            assert!(held(&seen) <= 2 * GENERATION_SIZE);
        }
        assert_eq!(seen.read(&0_usize.to_be_bytes(), || panic!("parsed again")).unwrap().name, "0");
        let again = seen.read(&1_usize.to_be_bytes(), || Ok(some(7))).unwrap();
        assert_eq!(again.name, "7", "dropped after long disuse");
    }

    #[test]
    fn concurrent_threads_get_their_own_certificates() {
        let seen = Seen::default();
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                let seen = &seen;
                scope.spawn(move || {
                    for n in (0..4_000_usize).map(|n| (n * (thread + 1)) % 1_500) {
                        let facts = seen.read(&n.to_be_bytes(), || Ok(some(n))).unwrap();
                        assert_eq!(facts.name, n.to_string());
                    }
                });
            }
        });
        assert!(held(&seen) <= 2 * GENERATION_SIZE);
    }
}
