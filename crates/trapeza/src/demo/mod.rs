//! The sandbox's own world: what a first start fills an empty bank with.

pub mod authority;
