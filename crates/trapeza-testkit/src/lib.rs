//! What tests stand on: a database each, on either engine, and a bank that is made in it.
//!
//! Nothing here imitates a part of the bank. A test that needs the store opens a real one.

pub mod database;
