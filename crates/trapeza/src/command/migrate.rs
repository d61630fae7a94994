//! `trapeza migrate`: brings the tables to this version and ends. Starting a server does the same.

use super::{root_secret, runtime};
use crate::bootstrap::{self, DATABASE_FILE, RunMode};
use crate::cli::Migrate;
use crate::config::Config;
use crate::data_dir::DataDir;
use trapeza_store::MigrationStatus;

pub fn run(arguments: &Migrate) -> (String, bool) {
    match migrate(arguments) {
        Ok(text) => (text, true),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

fn migrate(arguments: &Migrate) -> Result<String, String> {
    let config = arguments.bank.sources().load().map_err(|error| error.to_string())?.config;
    if arguments.dry_run {
        return dry_run(&config);
    }
    let dir = DataDir::open(&config.data)?;
    let lock = dir.lock()?;
    let secret = root_secret(&config, &dir, &lock)?;
    let app = runtime()?.block_on(bootstrap::open(&config, dir.path(), &secret, RunMode::Production))?;
    app.store().close();
    Ok(format!("the database is at {}\n", newest(&status(&config)?)))
}

/// Needs neither the lock nor the root secret, and may run beside a server.
fn dry_run(config: &Config) -> Result<String, String> {
    let status = status(config)?;
    if status.pending.is_empty() {
        return Ok(format!("the database is at {}; nothing would be applied\n", newest(&status)));
    }
    Ok(status.pending.iter().map(|name| format!("would apply {name}\n")).collect())
}

fn status(config: &Config) -> Result<MigrationStatus, String> {
    let (url, database) = (bootstrap::database_url(config)?, config.data.join(DATABASE_FILE));
    let status = bootstrap::location(url.as_ref(), &database).migration_status();
    status.map_err(|error| format!("cannot read the database: {error}"))
}

/// The newest migration of the database, which may be newer than this program's.
fn newest(status: &MigrationStatus) -> &str {
    status.newest.as_deref().unwrap_or("none")
}
