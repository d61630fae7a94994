//! The use cases on a real store, on both engines.
//!
//! All suites are linked into one binary, because linking once is faster than linking for every file.

#![expect(clippy::unwrap_used, reason = "a test may unwrap: its panic is its result")]

mod callback;
mod consent;
mod device;
mod fixture;
mod income;
mod sca;
mod search;
