//! The sandbox's own world: what a first start fills an empty bank with.

pub mod authority;
pub mod bank;
mod card_acceptors;
pub mod clients;
mod customers;
mod exchange;
mod history;
mod iban_generator;
pub mod large_account;
mod rng;
pub mod sandbox_file;

use serde_json::Value;
use std::path::Path;
use trapeza_app::App;
use trapeza_domain::reference::Iban;

/// What an empty bank is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedOptions {
    /// The same customers, and the same lives of theirs, for the same seed.
    pub seed: u64,
    /// How far back the customers' history goes.
    pub days: i32,
    /// Adds an account of this many entries, for measuring.
    pub scale: Option<u64>,
}

impl Default for SeedOptions {
    fn default() -> Self {
        Self { seed: 1, days: 730, scale: None }
    }
}

/// Fills an empty bank; finds the sheet of one that is furnished already, or writes it anew with new keys.
pub async fn seed(app: &App, dir: &Path, base_url: &str, seed_options: SeedOptions) -> Result<Value, String> {
    let is_new = app.application_list().await.map_err(|stop| stop.to_string())?.is_empty();
    let mut sheet = match sandbox_file::read(dir) {
        Some(sheet) if !is_new => sheet,
        _ if is_new => {
            let psus = bank::build(app, seed_options.seed, seed_options.days).await;
            let mut psus = psus.map_err(|stop| {
                format!("the demo bank could not be made: {stop}; empty the data directory and try again")
            })?;
            if let Some(entries) = seed_options.scale {
                let scaled = large_account::grow(app, seed_options.seed, entries).await;
                let scaled = scaled.map_err(|stop| format!("the large account could not be made: {stop}"))?;
                psus.push(scaled.psu);
            }
            // Last, since they are what tells a furnished bank from a new one.
            let (tpps, merchants) = clients::register(app).await?;
            sandbox_file::new(base_url, tpps, sandbox_file::psus(&psus), merchants)
        }
        _ => {
            let (tpps, merchants) = clients::issue_again(app).await?;
            let psus = bank::describe(app).await.map_err(|stop| stop.to_string())?;
            sandbox_file::new(base_url, tpps, sandbox_file::psus(&psus), merchants)
        }
    };
    sheet["base_url"] = Value::String(base_url.to_owned());
    sandbox_file::write(dir, &sheet)?;
    Ok(sheet)
}

/// Whether an account number is one of the demo bank's, whoever has it.
pub fn is_own_iban(iban: &Iban) -> bool {
    iban_generator::Country::is_own(iban)
}
