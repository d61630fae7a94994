//! Facts of certificates seen lately, because the same few are sent with every request.
//!
//! It only remembers a pure function of the sent bytes, so nothing in it can grow stale: standing, registration and
//! time are looked at anew each time by the caller. What cannot be read is not kept, so that garbage displaces nothing.

use super::{CertificateParseError, decode_header, parse};
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

/// What is used goes into the young half. When that is full it becomes the old one, and what the old one held, not
/// used since, is forgotten. That keeps what is in use without keeping an order.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<u64, Entry>,
    old: HashMap<u64, Entry>,
}

/// A certificate as it was sent, and what it says.
#[derive(Debug)]
struct Entry {
    bytes: Box<[u8]>,
    facts: Arc<ParsedCertificate>,
}

impl CertificateCache {
    pub fn new() -> Self {
        Self::default()
    }

    /// The facts of the certificate in a `Certificate` header.
    pub fn read_header(&self, text: &str) -> Result<Arc<ParsedCertificate>, CertificateParseError> {
        self.headers.read(text.as_bytes(), || parse(&decode_header(text)?))
    }

    /// The facts of a certificate in DER form, as the TLS handshake gives it.
    pub fn read_der(&self, der: &[u8]) -> Result<Arc<ParsedCertificate>, CertificateParseError> {
        self.ders.read(der, || parse(der))
    }

    /// The facts of a certificate that was read before, without reading one that was not.
    pub fn get_header(&self, text: &str) -> Option<Arc<ParsedCertificate>> {
        self.headers.find(text.as_bytes())
    }

    /// The same of one in DER form.
    pub fn get_der(&self, der: &[u8]) -> Option<Arc<ParsedCertificate>> {
        self.ders.find(der)
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
        // Outside the lock: two that parse the same at once come to the same.
        let facts = Arc::new(parse()?);
        let entry = Entry { bytes: bytes.into(), facts: Arc::clone(&facts) };
        self.locked().insert(self.slot(bytes), entry);
        Ok(facts)
    }

    fn find(&self, bytes: &[u8]) -> Option<Arc<ParsedCertificate>> {
        let slot = self.slot(bytes);
        self.locked().find(slot, bytes)
    }

    /// Where a certificate is looked for: its end is its signature, so hardly two have one slot. Who makes two that have
    /// only makes them displace each other, since the whole of it is compared.
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
    fn what_is_known_is_not_parsed_again() {
        let seen = Seen::default();
        let first = seen.read(b"one", || Ok(some(1))).unwrap();
        let second = seen.read(b"one", || panic!("parsed again")).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn what_cannot_be_read_is_not_kept() {
        let cache = CertificateCache::new();
        assert!(cache.read_header("!").is_err());
        assert!(cache.read_der(b"!").is_err());
        assert!(cache.get_header("!").is_none() && cache.get_der(b"!").is_none());
        assert_eq!(held(&cache.headers) + held(&cache.ders), 0);
    }

    #[test]
    fn the_same_bytes_are_two_things_in_two_forms() {
        let cache = CertificateCache::new();
        cache.headers.read(b"same", || Ok(some(1))).unwrap();
        assert!(cache.get_header("same").is_some() && cache.get_der(b"same").is_none());
    }

    /// As long as one another, with the same end: one of them was made by somebody who is up to something.
    #[test]
    fn two_in_one_slot_are_never_taken_for_each_other() {
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
    fn it_never_holds_more_than_its_bound_and_keeps_what_is_in_use() {
        let seen = Seen::default();
        for n in 0..5_000_usize {
            seen.read(&n.to_be_bytes(), || Ok(some(n))).unwrap();
            seen.read(&0_usize.to_be_bytes(), || Ok(some(usize::MAX))).unwrap();
            assert!(held(&seen) <= 2 * GENERATION_SIZE);
        }
        assert_eq!(seen.read(&0_usize.to_be_bytes(), || panic!("forgotten")).unwrap().name, "0");
        let again = seen.read(&1_usize.to_be_bytes(), || Ok(some(7))).unwrap();
        assert_eq!(again.name, "7", "long unused, so forgotten");
    }

    #[test]
    fn threads_share_it_and_each_gets_its_own_certificate() {
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
