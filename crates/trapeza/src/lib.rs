//! The program: commands, configuration, wiring, shutdown. The one place that knows every other crate.
//!
//! It decides nothing about banking. Others get values from here (a limit, a secret, a directory) and never look for
//! them themselves.

pub mod admin;
pub mod bank;
pub mod cli;
pub mod command;
pub mod config;
pub mod data_dir;
pub mod demo;
pub mod log;
pub mod memory;
pub mod metrics;
pub mod run;
pub mod secret;
