//! Random bytes and ids. Secrets always come from the operating system; only the data of the demo bank comes from a
//! seed, so that it is the same on every machine.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

pub struct Entropy(Source);

enum Source {
    Os,
    Seeded(Box<Mutex<ChaCha20Rng>>),
}

thread_local! {
    /// For ids that protect nothing: a generator per thread, seeded by the operating system.
    static ID_GENERATOR: RefCell<ChaCha20Rng> = RefCell::new(ChaCha20Rng::from_seed(Entropy::os().bytes()));
}

impl Entropy {
    pub const fn os() -> Self {
        Self(Source::Os)
    }

    /// Reproducible, and therefore never for keys, OTPs or passwords.
    pub fn seeded(seed: u64) -> Self {
        Self(Source::Seeded(Box::new(Mutex::new(ChaCha20Rng::seed_from_u64(seed)))))
    }

    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match &self.0 {
            // Without randomness no key is safe, so the process must not continue.
            Source::Os => getrandom::fill(&mut bytes).expect("the machine gives random bytes"),
            Source::Seeded(rng) => {
                rng.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
            }
        }
        bytes
    }

    /// A random (version 4) UUID.
    pub fn uuid(&self) -> Uuid {
        uuid::Builder::from_random_bytes(self.bytes()).into_uuid()
    }

    /// A UUID of version 7: it begins with the time, so that rows inserted one after the other are near each other in an index.
    /// It identifies but protects nothing: a caller must be allowed to see the object that it names.
    pub fn uuid_v7(&self, now: Timestamp) -> Uuid {
        let millis = u64::try_from(now.0 / 1_000).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &self.id_bytes()).into_uuid()
    }

    /// A UUID that identifies but protects nothing, such as a correlation id.
    pub fn fast_uuid(&self) -> Uuid {
        uuid::Builder::from_random_bytes(self.id_bytes()).into_uuid()
    }

    /// Random bytes of an id that protects nothing. They need no system call.
    fn id_bytes<const N: usize>(&self) -> [u8; N] {
        match &self.0 {
            Source::Os => {
                let mut bytes = [0; N];
                ID_GENERATOR.with_borrow_mut(|rng| rng.fill_bytes(&mut bytes));
                bytes
            }
            Source::Seeded(_) => self.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn seeded_ids_repeat_and_system_ids_do_not() {
        assert_eq!(Entropy::seeded(1).uuid(), Entropy::seeded(1).uuid());
        assert_ne!(Entropy::seeded(1).uuid(), Entropy::seeded(2).uuid());
        assert_ne!(Entropy::os().uuid(), Entropy::os().uuid());
        assert_eq!(Entropy::os().uuid().get_version_num(), 4);
    }

    #[test]
    fn uuid_v7_sorts_by_time() {
        let entropy = Entropy::os();
        let ids: Vec<Uuid> = (1..50).map(|ms| entropy.uuid_v7(Timestamp(ms * 1_000))).collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
        assert_ne!(entropy.uuid_v7(Timestamp(1)), entropy.uuid_v7(Timestamp(1)));
    }

    #[test]
    fn fast_uuids_are_unique_across_threads() {
        let labels = || (0..100).map(|_| Entropy::os().fast_uuid()).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(labels)).collect();
        let all: HashSet<Uuid> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        assert_eq!(all.len(), 400);
        assert!(all.iter().all(|label| label.get_version_num() == 4));
    }
}
