//! A seeded random number generator: the same values for the same seed on every machine.

use trapeza_app::Entropy;
use uuid::Uuid;

pub struct Rng(Entropy);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(Entropy::seeded(seed))
    }

    pub fn uuid(&self) -> Uuid {
        self.0.uuid()
    }

    /// A number from `low` to `high`, inclusive. The slight modulo bias does not matter here.
    pub fn between(&self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low).saturating_add(1);
        let thrown = u64::from_be_bytes(self.0.bytes()) % span;
        low.saturating_add_unsigned(thrown)
    }

    /// True with a probability of `percent` in a hundred.
    pub fn percent(&self, percent: i64) -> bool {
        self.between(1, 100) <= percent
    }

    pub fn one_of<'a, T>(&self, all: &'a [T]) -> &'a T {
        let last = i64::try_from(all.len()).unwrap_or(i64::MAX) - 1;
        let index = usize::try_from(self.between(0, last)).unwrap_or(0);
        &all[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_bounded_and_repeatable() {
        let (one, same) = (Rng::new(7), Rng::new(7));
        for _ in 0..1000 {
            let thrown = one.between(-3, 3);
            assert!((-3..=3).contains(&thrown));
            assert_eq!(thrown, same.between(-3, 3));
        }
        assert_eq!(one.between(5, 5), 5);
    }
}
