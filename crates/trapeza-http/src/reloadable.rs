//! A value that a reload replaces while requests use it.

use std::sync::{Arc, PoisonError, RwLock};

#[derive(Debug, Default)]
pub struct Reloadable<T>(Arc<RwLock<Arc<T>>>);

impl<T> Reloadable<T> {
    pub fn new(value: T) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(value))))
    }

    pub fn current(&self) -> Arc<T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn replace(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
    }
}

// Derived, it would require a `T` that can be cloned.
impl<T> Clone for Reloadable<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
