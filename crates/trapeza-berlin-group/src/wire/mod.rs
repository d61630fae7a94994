//! Request and response bodies, with the names and values of the standard.

pub mod account;
pub mod address;
pub mod amount;
pub mod authorisation;
pub mod camt;
pub mod card;
pub mod consent;
pub mod field_name;
pub mod funds;
pub mod information;
pub mod pain;
pub mod payment;
pub mod reference;
pub mod request;
pub mod schema;
pub mod signing_basket;
pub mod text;
pub mod transaction;
