//! Limits the connections of one address, so that a single client cannot use up all of them.

use crate::network::network;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone)]
pub(super) struct AddressLimit {
    max: usize,
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One connection of an address, as long as it is held.
pub(super) struct AddressSlot {
    limit: AddressLimit,
    address: IpAddr,
}

impl AddressLimit {
    pub(super) fn new(max: usize) -> Self {
        Self { max, counts: Arc::default() }
    }

    /// `None` when the address has too many connections.
    pub(super) fn acquire(&self, address: IpAddr) -> Option<AddressSlot> {
        let address = network(address);
        let mut counts = self.lock();
        let count = counts.entry(address).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(AddressSlot { limit: self.clone(), address })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        // No operation under the lock can panic halfway.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut counts = self.limit.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_beyond_the_limit_of_an_address_are_refused_until_one_ends() {
        let limit = AddressLimit::new(2);
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let first = limit.acquire(one).unwrap();
        let second = limit.acquire(one).unwrap();
        assert!(limit.acquire(one).is_none());
        assert!(limit.acquire(other).is_some());
        drop(first);
        let third = limit.acquire(one).unwrap();
        drop((second, third));
        assert!(limit.lock().is_empty());
    }
}
