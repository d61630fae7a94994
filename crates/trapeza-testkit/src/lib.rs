//! What tests stand on: a database each, on either engine, and a bank that is made in it.
//!
//! Nothing here imitates a part of the bank. A test that needs the store opens a real one; a story talks HTTP to the
//! same server and the same demo bank that `trapeza sandbox` runs.

pub mod api_client;
pub mod browser;
pub mod chromium;
pub mod database;
pub mod device_key;
pub mod ledger_fixture;
pub mod merchant_fixture;
pub mod process;
pub mod test_bank;
pub mod webhook_receiver;

pub use api_client::{ApiClient, ApiResponse, Transcript};
pub use browser::{Browser, Page};
pub use chromium::Chromium;
pub use device_key::DeviceKey;
pub use process::ServerProcess;
pub use test_bank::TestBank;
pub use webhook_receiver::{Delivery, Reply, WebhookReceiver};

/// How often a test does what it repeats: `usual` times, and many times that in `cargo xtask trust`.
pub fn iterations(usual: usize) -> usize {
    let factor = std::env::var("TRAPEZA_TEST_FACTOR").ok().and_then(|text| text.parse().ok());
    usual * factor.unwrap_or(1)
}
