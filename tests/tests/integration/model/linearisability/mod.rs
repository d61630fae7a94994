//! Concurrent histories of several callers whose answers must have an order: payments, balances, and consents with their counts.

mod consent;
mod payment;
mod search;

use super::history::Random;

/// The seed of a history; `TRAPEZA_TEST_SEED` gives the calls of one again, but not their timing.
fn seed(number: usize) -> u64 {
    let chosen = std::env::var("TRAPEZA_TEST_SEED").ok().and_then(|text| text.parse().ok());
    chosen.unwrap_or_else(|| Random::new(0x006c_696e_6561_7200 + number as u64).next())
}
