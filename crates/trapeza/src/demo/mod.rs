//! The demo bank: seed data for the first start of a sandbox.

pub mod authority;
pub mod bank;
mod card_acceptors;
pub mod clients;
mod customers;
mod exchange;
mod history;
pub mod large_account;
mod rng;
pub mod sandbox_file;

use authority::Authority;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use trapeza_app::App;
use trapeza_app::sandbox::{DemoBuilder, number_generator};
use trapeza_domain::clearing::{RoutingTable, sepa_countries};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::TimeDelta;

/// Options of the seed data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedOptions {
    /// The same customers and history for the same seed.
    pub seed: u64,
    /// Length of the history in days.
    pub days: i32,
    /// Adds an account with this many entries, for benchmarks.
    pub scale: Option<u64>,
}

impl Default for SeedOptions {
    fn default() -> Self {
        Self { seed: 1, days: 730, scale: None }
    }
}

/// The demo bank, for the resets of a sandbox.
pub fn source(options: SeedOptions) -> DemoBuilder {
    Arc::new(move |today| bank::content(options.seed, options.days, today))
}

/// Seeds an empty bank; for a seeded one returns its sandbox.json, or writes it again with new keys.
pub async fn seed(app: &App, dir: &Path, base_url: &str, seed_options: SeedOptions) -> Result<Value, String> {
    let is_new = app.application_list().await.map_err(|error| error.to_string())?.is_empty();
    let mut sandbox_file = match sandbox_file::read(dir) {
        Some(sandbox_file) if !is_new => sandbox_file,
        _ if is_new => {
            let psus = bank::build(app, seed_options.seed, seed_options.days).await;
            let mut psus = psus.map_err(|error| {
                format!("cannot seed the demo bank: {error}; empty the data directory and retry")
            })?;
            if let Some(entries) = seed_options.scale {
                let scaled = large_account::grow(app, seed_options.seed, entries).await;
                let scaled = scaled.map_err(|error| format!("cannot create the large account: {error}"))?;
                psus.push(scaled.psu);
            }
            // Clients come last, because their presence marks a seeded bank.
            let clients = clients::register(app, &authority(app, dir)?).await?;
            sandbox_file::new(base_url, clients, sandbox_file::psus(&psus))
        }
        _ => {
            let clients = clients::issue_again(app, &authority(app, dir)?).await?;
            let psus = bank::describe(app).await.map_err(|error| error.to_string())?;
            sandbox_file::new(base_url, clients, sandbox_file::psus(&psus))
        }
    };
    sandbox_file["base_url"] = Value::String(base_url.to_owned());
    sandbox_file::write(dir, &sandbox_file)?;
    Ok(sandbox_file)
}

/// The authority of the sandbox. Certificates are valid from yesterday, so that a slightly slow clock accepts them.
pub fn authority(app: &App, dir: &Path) -> Result<Authority, String> {
    Authority::open(dir, app.now().minus(TimeDelta::days(1)))
}

/// The sandbox's routing table: the demo bank's own codes, and a bank for all others of every SEPA country.
pub fn routing_table() -> RoutingTable {
    let mut table = RoutingTable::default();
    for country in sepa_countries() {
        let bic = Bic::parse(&format!("DEMO{country}2X")).expect("the code has the form of a BIC");
        table.add_route(country, None, bic);
    }
    for branch in number_generator::Country::ALL {
        let iban = branch.iban(0);
        let code = iban.bank_code().expect("the demo bank's countries have bank codes");
        table.add_own(iban.country(), &code);
        table.add_route(iban.country(), Some(&code), branch.bic());
    }
    table
}

/// The demo bank's collection account, a number that no demo customer has.
pub fn collection_iban() -> Iban {
    number_generator::Country::Greece.iban(9_000_000_000_000_001)
}

/// Whether an IBAN belongs to the demo bank.
pub fn is_own_iban(iban: &Iban) -> bool {
    number_generator::Country::is_own(iban)
}
