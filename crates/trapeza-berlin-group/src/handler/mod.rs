//! Handlers: each reads its request, calls one use case and writes the response.

pub mod account;
pub mod authorisation;
pub mod card;
pub mod consent;
mod creation;
pub mod funds;
pub mod notification;
pub mod payment;
pub mod payment_path;
pub mod refused;
pub mod signing_basket;
