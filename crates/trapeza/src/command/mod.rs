//! What the commands do, one file each. They return what to print and how to exit; only `main` touches the terminal.

pub mod application;
pub mod audit_verify;
pub mod callbacks;
pub mod clearing_list;
pub mod config_check;
pub mod device;
pub mod generate;
pub mod ledger_check;
pub mod loan;
pub mod merchant;
pub mod migrate;
mod named;
pub mod openapi;
pub mod psu;
pub mod sandbox;
pub mod serve;

use crate::admin::{self, Answer, Command};
use crate::bootstrap::{self, RunMode};
use crate::cli::BankArgs;
use crate::config::Config;
use crate::data_dir::{DataDir, Lock};
use crate::root_secret::Secret;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::refusal::FieldError;

/// Runs work on a bank that may be open elsewhere: through a running server where there is one, else by opening the
/// data ourselves under the directory's lock, so that there is never a second writer.
fn on_the_bank(bank: &BankArgs, command: Command, work: impl FnOnce(&App) -> Answer) -> (String, bool) {
    let answer = (|| {
        let effective = bank.sources().load().map_err(|error| error.to_string())?;
        let config = effective.config;
        if let Some(answer) = admin::call(&config.data, &command)? {
            return Ok(answer);
        }
        if !config.data.is_dir() {
            return Err(format!("there is no data directory {}", config.data.display()));
        }
        let dir = DataDir::open(&config.data)?;
        let lock = dir.lock()?;
        let secret = secret(&config, &dir, &lock)?;
        let app = runtime()?.block_on(bootstrap::open(&config, dir.path(), &secret, RunMode::Production))?;
        let answer = work(&app);
        app.store().close();
        Ok(answer)
    })();
    let answer: Answer =
        answer.unwrap_or_else(|problem: String| Answer { text: format!("{problem}\n"), exit: 1 });
    (answer.text, answer.exit == 0)
}

/// The secret that the configuration names, or the data directory's own.
fn secret(config: &Config, dir: &DataDir, _: &Lock) -> Result<Secret, String> {
    match &config.secret_file {
        Some(file) => Secret::read(file),
        None => dir.secret_open(),
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| format!("threads cannot be started: {error}"))
}

/// What stopped a use case, in words for the operator.
fn told(stop: UseCaseError) -> String {
    match stop {
        UseCaseError::Refused(refusal) => {
            let each = refusal.errors.into_iter().map(|FieldError { path, text }| {
                if path.is_empty() { text } else { format!("{path}: {text}") }
            });
            each.collect::<Vec<_>>().join("; ")
        }
        UseCaseError::Failed(error) => error.to_string(),
    }
}
