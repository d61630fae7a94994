//! `trapeza migrate`: brings the tables to this version and ends. Starting a server does the same.

use super::{runtime, secret};
use crate::bootstrap::{self, RunMode};
use crate::cli::BankArgs;
use crate::data_dir::DataDir;

pub fn run(bank: &BankArgs) -> (String, bool) {
    match migrate(bank) {
        Ok(text) => (text, true),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

fn migrate(bank: &BankArgs) -> Result<String, String> {
    let config = bank.sources().load().map_err(|error| error.to_string())?.config;
    let dir = DataDir::open(&config.data)?;
    let lock = dir.lock()?;
    let secret = secret(&config, &dir, &lock)?;
    let app = runtime()?.block_on(bootstrap::open(&config, dir.path(), &secret, RunMode::Production))?;
    app.store().close();
    let last = trapeza_store::migration_names().last().unwrap_or("none");
    Ok(format!("the database is at {last}\n"))
}
