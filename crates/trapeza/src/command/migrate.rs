//! `trapeza migrate`: brings the tables to this version and ends. Starting a server does the same.

use super::{runtime, secret};
use crate::bank::{self, Play};
use crate::cli::Place;
use crate::data_dir::DataDir;

pub fn run(place: &Place) -> (String, bool) {
    match migrate(place) {
        Ok(text) => (text, true),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

fn migrate(place: &Place) -> Result<String, String> {
    let config = place.sources().load().map_err(|error| error.to_string())?.config;
    let dir = DataDir::open(&config.data)?;
    let lock = dir.lock()?;
    let secret = secret(&config, &dir, &lock)?;
    let app = runtime()?.block_on(bank::open(&config, dir.path(), &secret, Play::Production))?;
    app.store().close();
    let last = trapeza_store::migration_names().last().unwrap_or("none");
    Ok(format!("the database is at {last}\n"))
}
