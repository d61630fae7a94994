//! Request and response bodies, with the names and numbers of the specification.
//!
//! These types are the only place that says what a message looks like: their comments and attributes are the descriptions and
//! constraints of the OpenAPI document.

pub mod account;
pub mod amount;
pub mod authorisation;
pub mod basket;
pub mod card;
pub mod configuration;
pub mod consent;
pub mod envelope;
pub mod field_name;
pub mod funds;
pub mod loan;
pub mod payment;
pub mod reference;
pub mod refund;
pub mod request;
pub mod sandbox;
pub mod sandbox_bank;
pub mod sandbox_callback;
pub mod schema;
pub mod transaction;
