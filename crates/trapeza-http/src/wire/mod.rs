//! The wire: JSON in and out, with the spec's spellings and numbers. The only place that knows them.

pub mod body;
pub mod configuration;
pub mod consent;
pub mod envelope;
pub mod funds;
pub mod json;
pub mod reference;
pub mod sandbox;
