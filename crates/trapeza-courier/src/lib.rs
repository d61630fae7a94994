//! What leaves the bank, and what comes from others: text messages to an SMS gateway, callbacks to merchants, messages to
//! clearing and back, questions about payees' names.
//!
//! A thing to be sent was written down with its cause. It is claimed in one transaction, sent outside of any, and recorded
//! in another, so it is sent at least once, and mostly once. What a message says is decided elsewhere; how it is
//! written is decided here.

pub mod callback;
pub mod clearing;
mod json_client;
pub mod payee_verification;
pub mod sms;

pub use callback::CallbackCourier;
pub use clearing::{Clearing, SandboxClearingHouse, Spool};
pub use json_client::{JsonClient, Roots};
pub use payee_verification::HttpPayeeVerifier;
pub use sms::SmsGateway;
