//! The program: commands, configuration, wiring, shutdown. The one place that knows every other crate.
//!
//! It decides nothing about banking. Others get values from here (a limit, a secret, a directory) and never look for
//! them themselves.

pub mod admin;
pub mod allocator;
pub mod bootstrap;
pub mod cli;
pub mod command;
pub mod config;
pub mod data_dir;
pub mod demo;
pub mod log;
pub mod metrics;
pub mod root_secret;
pub mod server;
