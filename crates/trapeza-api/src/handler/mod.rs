//! One file a capability: read the request, ask the app, write the answer. No decision is made here.

pub mod account;
pub mod authorisation;
pub mod basket;
pub mod card;
pub mod configuration;
pub mod consent;
pub mod funds;
pub mod funds_consent;
pub mod health;
pub mod loan;
pub mod payment;
pub mod refund;
pub mod sandbox;
pub mod sandbox_bank;
