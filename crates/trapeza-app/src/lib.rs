//! The use cases of the bank: load, decide, save, one transaction each.

pub mod certificate;
