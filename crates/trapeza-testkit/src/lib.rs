//! What tests stand on: a database each, on either engine, and a bank that is made in it.
//!
//! Nothing here imitates a part of the bank. A test that needs the store opens a real one; a story talks HTTP to the
//! same server and the same demo bank that `trapeza sandbox` runs.

pub mod bank;
pub mod books;
pub mod browser;
pub mod caller;
pub mod chromium;
pub mod database;
pub mod phone_key;
pub mod program;
pub mod receiver;
pub mod shop;

pub use bank::TestBank;
pub use browser::{Browser, Page};
pub use caller::{Answer, Caller, Story};
pub use chromium::Chromium;
pub use phone_key::PhoneKey;
pub use program::Program;
pub use receiver::{Delivery, Receiver, Reply};

/// How often a test does what it repeats: `usual` times, and many times that in `cargo xtask trust`.
pub fn rounds(usual: usize) -> usize {
    let factor = std::env::var("TRAPEZA_TEST_FACTOR").ok().and_then(|text| text.parse().ok());
    usual * factor.unwrap_or(1)
}
