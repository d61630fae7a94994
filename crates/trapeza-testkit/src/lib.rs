//! What tests stand on: a database each, on either engine, and a bank that is made in it.
//!
//! Nothing here imitates a part of the bank. A test that needs the store opens a real one; a story talks HTTP to the
//! same server and the same demo bank that `trapeza sandbox` runs.

pub mod bank;
pub mod books;
pub mod browser;
pub mod caller;
pub mod database;
pub mod program;

pub use bank::TestBank;
pub use browser::{Browser, Page};
pub use caller::{Answer, Caller, Story};
pub use program::Program;
