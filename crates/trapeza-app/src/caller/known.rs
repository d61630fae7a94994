//! Callers that were let in lately, for as long as nothing about who may call has changed.
//!
//! What is kept belongs to one edition of the tables it was read from (`Store::callers_edition`), and is never asked
//! about under another: a key that was retired, or a certificate that was blocked, is refused by the very next call.
//! Where other processes write to the same tables nothing is kept. Who was refused is not kept either.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use trapeza_domain::application::{Application, CertificateStanding};

/// More than this many pairs of a key and a certificate are not worth keeping.
const MOST: usize = 4096;

/// A key's hash, and the fingerprint of the certificate that came with it, if one did.
pub(super) type Shown = ([u8; 32], Option<[u8; 32]>);

/// What they opened.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub application: Arc<Application>,
    /// Of the certificate.
    pub standing: Option<CertificateStanding>,
}

#[derive(Debug, Default)]
pub(crate) struct KnownCallers(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    edition: u64,
    found: HashMap<Shown, Found>,
}

impl KnownCallers {
    pub(super) fn find(&self, edition: Option<u64>, shown: &Shown) -> Option<Found> {
        let kept = self.locked();
        (Some(kept.edition) == edition).then(|| kept.found.get(shown).cloned()).flatten()
    }

    /// Keeps what was read after `edition` was asked for.
    pub(super) fn keep(&self, edition: Option<u64>, shown: Shown, found: &Found) {
        let Some(edition) = edition else { return };
        let mut kept = self.locked();
        if kept.edition < edition || kept.found.len() >= MOST {
            *kept = Kept { edition, found: HashMap::new() };
        }
        // What was read under an older one may be wrong by now.
        if kept.edition == edition {
            kept.found.insert(shown, found.clone());
        }
    }

    fn locked(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::application::Holder;
    use trapeza_domain::id::ApplicationId;
    use uuid::Uuid;

    const SHOWN: Shown = ([1; 32], Some([2; 32]));

    fn found() -> Found {
        let id = ApplicationId::new(Uuid::from_u128(1));
        let name = "a third party".to_owned();
        let application = Application { id, holder: Holder::ThirdParty, name, sandbox: false };
        Found { application: Arc::new(application), standing: Some(CertificateStanding::Active) }
    }

    #[test]
    fn a_caller_is_known_in_its_edition_only() {
        let known = KnownCallers::default();
        known.keep(Some(3), SHOWN, &found());
        assert!(known.find(Some(3), &SHOWN).is_some());
        assert!(known.find(Some(3), &([1; 32], None)).is_none());
        assert!(known.find(Some(2), &SHOWN).is_none() && known.find(Some(4), &SHOWN).is_none());
    }

    #[test]
    fn what_was_read_too_early_is_not_kept() {
        let known = KnownCallers::default();
        known.keep(Some(4), ([9; 32], None), &found());
        known.keep(Some(3), SHOWN, &found());
        assert!(known.find(Some(3), &SHOWN).is_none() && known.find(Some(4), &SHOWN).is_none());
    }

    #[test]
    fn nothing_is_kept_where_others_write_too() {
        let known = KnownCallers::default();
        known.keep(None, SHOWN, &found());
        assert!(known.find(None, &SHOWN).is_none() && known.find(Some(0), &SHOWN).is_none());
    }

    #[test]
    fn there_is_a_most() {
        let known = KnownCallers::default();
        for number in 0..=MOST {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_be_bytes());
            known.keep(Some(1), (hash, None), &found());
        }
        assert!(known.locked().found.len() <= MOST);
    }
}
