//! The sandbox's own world: what a first start fills an empty bank with.

pub mod authority;
pub mod bank;
pub mod callers;
mod chance;
mod exchange;
mod history;
mod number;
mod people;
pub mod scale;
pub mod sheet;
mod shop;

use serde_json::Value;
use std::path::Path;
use trapeza_app::App;
use trapeza_domain::reference::Iban;

/// What an empty bank is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Furniture {
    /// The same customers, and the same lives of theirs, for the same seed.
    pub seed: u64,
    /// How far back the customers' history goes.
    pub days: i32,
    /// Adds an account of this many entries, for measuring.
    pub scale: Option<u64>,
}

impl Default for Furniture {
    fn default() -> Self {
        Self { seed: 1, days: 730, scale: None }
    }
}

/// Fills an empty bank; finds the sheet of one that is furnished already, or writes it anew with new keys.
pub async fn furnish(app: &App, dir: &Path, base_url: &str, furniture: Furniture) -> Result<Value, String> {
    let is_new = app.application_list().await.map_err(|stop| stop.to_string())?.is_empty();
    let mut sheet = match sheet::read(dir) {
        Some(sheet) if !is_new => sheet,
        _ if is_new => {
            let psus = bank::build(app, furniture.seed, furniture.days).await;
            let mut psus = psus.map_err(|stop| {
                format!("the demo bank could not be made: {stop}; empty the data directory and try again")
            })?;
            if let Some(entries) = furniture.scale {
                let scaled = scale::grow(app, furniture.seed, entries).await;
                let scaled = scaled.map_err(|stop| format!("the large account could not be made: {stop}"))?;
                psus.push(scaled.psu);
            }
            // Last, since they are what tells a furnished bank from a new one.
            let (tpps, merchants) = callers::register(app).await?;
            sheet::new(base_url, tpps, sheet::psus(&psus), merchants)
        }
        _ => {
            let (tpps, merchants) = callers::issue_again(app).await?;
            let psus = bank::describe(app).await.map_err(|stop| stop.to_string())?;
            sheet::new(base_url, tpps, sheet::psus(&psus), merchants)
        }
    };
    sheet["base_url"] = Value::String(base_url.to_owned());
    sheet::write(dir, &sheet)?;
    Ok(sheet)
}

/// Whether an account number is one of the demo bank's, whoever has it.
pub fn is_own_iban(iban: &Iban) -> bool {
    number::Country::is_own(iban)
}
