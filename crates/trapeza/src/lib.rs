//! The program: commands, configuration, bootstrap, shutdown. It is the only crate that depends on all others.
//!
//! It contains no business rules. Other crates receive values (limits, secrets, directories) and never read configuration.

pub mod admin;
pub mod allocator;
pub mod backup_file;
pub mod bootstrap;
pub mod certificate_watch;
pub mod cli;
pub mod command;
pub mod config;
mod console_server;
pub mod data_dir;
pub mod demo;
pub mod file_limit;
pub mod file_versions;
pub mod health_recorder;
mod hexadecimal;
pub mod instant_courier;
pub mod listeners;
pub mod log;
pub mod metrics;
pub mod postgres_tools;
pub mod reload;
pub mod request_log_recorder;
pub mod root_key;
pub mod root_secret;
pub mod routing;
pub mod seal_files;
pub mod server;
pub mod service_manager;
pub mod statistics_recorder;
pub mod tls_files;
