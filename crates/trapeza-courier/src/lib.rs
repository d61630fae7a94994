//! What leaves the bank: claim, send, record. Text messages to an SMS gateway, and callbacks to merchants.
//!
//! A thing to be sent was written down with its cause. It is claimed in one transaction, sent outside of any, and recorded
//! in another, so it is sent at least once, and mostly once. What a message says is decided elsewhere.

pub mod callback;
mod post;
pub mod sms;

pub use callback::CallbackCourier;
pub use post::{Poster, Roots};
pub use sms::SmsGateway;
