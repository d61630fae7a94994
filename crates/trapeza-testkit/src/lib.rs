//! Fixtures for tests: a database per test on either engine, and a bank in it.
//!
//! Nothing here imitates a part of the bank: tests use a real store, and HTTP tests the same server and demo data as
//! `trapeza sandbox`.

pub mod api_client;
pub mod browser;
pub mod chromium;
pub mod database;
pub mod device_key;
pub mod identity_provider;
pub mod ledger_fixture;
pub mod merchant_fixture;
mod passkey;
pub mod portal_user;
pub mod process;
mod row_changes;
pub mod sca_fixture;
pub mod seal;
mod seeded_bank;
pub mod staff_user;
pub mod test_bank;
pub mod tpp_fixture;
pub mod webhook_receiver;

pub use api_client::{ApiClient, ApiResponse, Transcript};
pub use browser::{Browser, Download, Page};
pub use chromium::{Chromium, Screen};
pub use device_key::DeviceKey;
pub use passkey::{PasskeyFields, TestPasskey};
pub use portal_user::PortalUser;
pub use process::ServerProcess;
pub use row_changes::Rows;
pub use seal::TestSeal;
pub use staff_user::{ConsoleUser, StaffUser};
pub use test_bank::TestBank;
pub use webhook_receiver::{Delivery, Reply, WebhookReceiver};

/// The number of repetitions of a test: `usual`, multiplied in `cargo xtask stress`.
pub fn iterations(usual: usize) -> usize {
    let factor = std::env::var("TRAPEZA_TEST_FACTOR").ok().and_then(|text| text.parse().ok());
    usual * factor.unwrap_or(1)
}
