//! Integration tests of the whole program, on both engines where a database matters. The suites of one crate live in that crate.
//!
//! All suites are linked into one binary, because linking the server once is faster than linking it for every file.

mod authorisation;
mod browser;
mod callback_store;
mod concurrency;
mod consent_store;
mod device;
mod http;
mod process;
