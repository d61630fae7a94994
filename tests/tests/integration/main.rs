//! Integration tests of the whole program, on both engines where a database matters. The suites of one crate live in that crate.
//!
//! All suites are linked into one binary, because linking the server once is faster than linking it for every file.

mod audit;
mod browser;
mod concurrency;
mod console;
mod fuzz;
mod http;
mod model;
mod neighbour;
mod process;
mod staff;
