//! The sandbox's own world: what a first start fills an empty bank with.

pub mod authority;
pub mod bank;
mod chance;
mod exchange;
mod history;
mod number;
mod people;
pub mod scale;
mod shop;
