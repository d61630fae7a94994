//! A small value that a reload replaces while others read it.

use std::sync::{Arc, PoisonError, RwLock};

#[derive(Clone, Debug, Default)]
pub struct Shared<T>(Arc<RwLock<T>>);

impl<T: Copy> Shared<T> {
    pub fn current(&self) -> T {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn replace(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = value;
    }
}
