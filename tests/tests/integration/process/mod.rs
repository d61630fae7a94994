//! The program as a process: commands, configuration, crashes, clearing files, several processes on one database.

mod backup;
mod callback_crash_recovery;
mod clearing_cluster;
mod clearing_files;
mod client;
mod commands;
mod crash_recovery;
mod deployment;
mod device;
mod documentation;
mod health;
mod import;
mod migrate;
mod monitoring;
mod personal_data;
mod production;
mod proxy;
mod registry_commands;
mod reload;
mod request_log;
mod rolling_upgrade;
mod root_secret;
mod sandbox_seed;
mod seal;
mod statistics;
mod trace;
