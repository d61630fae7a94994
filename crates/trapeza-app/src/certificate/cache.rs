//! A cache of parsed certificates, because the same few are sent with every request.
//!
//! It caches a pure function of the bytes, so entries cannot become outdated: status, registration and time are checked
//! by the caller every time. A certificate that cannot be parsed is not cached, so that garbage displaces nothing.

use super::{CertificateParseError, decode_header, parse};
use crate::authentication::PresentedCertificate;
use crate::cache::{BoundedCache, bounded_cache};
use std::sync::Arc;
use trapeza_domain::application::ParsedCertificate;

/// The number of cached certificates in each form.
const CAPACITY: usize = 512;

/// Certificates by their bytes as they were sent: the text of a header, or DER.
type ByBytes = BoundedCache<Box<[u8]>, Arc<ParsedCertificate>>;

/// Shared by all requests.
#[derive(Debug)]
pub struct CertificateCache {
    headers: ByBytes,
    ders: ByBytes,
}

impl Default for CertificateCache {
    fn default() -> Self {
        Self { headers: bounded_cache(CAPACITY), ders: bounded_cache(CAPACITY) }
    }
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
        if let Some(parsed) = self.get(certificate) {
            return Ok(parsed);
        }
        // Concurrent requests with the same bytes may parse them twice, with the same result.
        let (cache, bytes, parsed) = match certificate {
            PresentedCertificate::Header(text) => {
                (&self.headers, text.as_bytes(), parse(&decode_header(text)?)?)
            }
            PresentedCertificate::Der(der) => (&self.ders, der, parse(der)?),
        };
        let parsed = Arc::new(parsed);
        cache.insert(bytes.into(), Arc::clone(&parsed));
        Ok(parsed)
    }

    /// A certificate that was parsed before.
    pub fn get(&self, certificate: PresentedCertificate<'_>) -> Option<Arc<ParsedCertificate>> {
        match certificate {
            PresentedCertificate::Header(text) => self.headers.get(text.as_bytes()),
            PresentedCertificate::Der(der) => self.ders.get(der),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::time::Timestamp;

    fn parsed(name: usize) -> Arc<ParsedCertificate> {
        Arc::new(ParsedCertificate {
            fingerprint: [0; 32],
            organisation: "PSDGR-BOG-000001".into(),
            name: name.to_string(),
            host_names: [].into(),
            roles: Vec::new(),
            not_before: Timestamp(0),
            not_after: Timestamp(1),
        })
    }

    #[test]
    fn unparsable_certificate_is_not_cached() {
        let cache = CertificateCache::new();
        assert!(cache.parse(PresentedCertificate::Header("!")).is_err());
        assert!(cache.parse(PresentedCertificate::Der(b"!")).is_err());
        assert_eq!(cache.headers.len() + cache.ders.len(), 0);
    }

    #[test]
    fn header_and_der_entries_are_separate() {
        let cache = CertificateCache::new();
        cache.headers.insert((*b"same").into(), parsed(1));
        assert!(cache.get(PresentedCertificate::Header("same")).is_some());
        assert!(cache.get(PresentedCertificate::Der(b"same")).is_none());
    }

    #[test]
    fn full_cache_is_bounded_and_keeps_a_new_entry_that_is_used() {
        let cache = CertificateCache::new();
        let insert = |n: usize| cache.ders.insert(n.to_be_bytes().into(), parsed(n));
        (0..1_000).for_each(insert);
        insert(1_000);
        for n in 1_001..5_000 {
            let used = cache.get(PresentedCertificate::Der(&1_000_usize.to_be_bytes()));
            assert!(used.is_some(), "evicted by {n}");
            insert(n);
        }
        assert!(cache.ders.len() <= CAPACITY);
    }
}
