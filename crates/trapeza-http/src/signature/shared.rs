//! Authorities and the bank's seal as requests use them, which a reload replaces while the server runs.

use super::{Seal, SealAuthorities};
use std::sync::{Arc, PoisonError, RwLock};

/// The authorities of third parties' seals.
#[derive(Clone, Debug, Default)]
pub struct SharedAuthorities(Arc<RwLock<Arc<SealAuthorities>>>);

/// The bank's seal.
#[derive(Clone, Debug)]
pub struct SharedSeal(Arc<RwLock<Arc<Seal>>>);

impl SharedAuthorities {
    pub fn new(authorities: SealAuthorities) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(authorities))))
    }

    pub fn current(&self) -> Arc<SealAuthorities> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn replace(&self, authorities: SealAuthorities) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(authorities);
    }
}

impl SharedSeal {
    pub fn new(seal: Seal) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(seal))))
    }

    pub fn current(&self) -> Arc<Seal> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn replace(&self, seal: Seal) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(seal);
    }
}
