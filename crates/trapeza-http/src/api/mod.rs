//! One file a capability: read the call, ask the app, write the answer. No decision is made here.

pub mod configuration;
pub mod consent;
pub mod funds_consent;
pub mod health;
pub mod sandbox;
