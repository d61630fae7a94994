//! `trapeza secret status|rotate`: which root secret protects the database, and the change to another one.

use super::{AdminRequest, describe_error, root_secret_read, run};
use crate::bootstrap::{self, DATABASE_FILE};
use crate::cli::{BankArgs, Secrets};
use crate::config::Config;
use crate::root_key::{RootSecrets, SealedWith};
use serde::{Deserialize, Serialize};
use trapeza_app::{App, format_timestamp};
use trapeza_domain::time::Timestamp;
use trapeza_store::{SealedRootKey, root_key_find};

/// The request to store the root key encrypted with another secret. It contains no secret.
#[derive(Debug, Serialize, Deserialize)]
pub struct RootKeyReplace {
    /// The ciphertext that is stored now.
    pub before: Vec<u8>,
    pub ciphertext: Vec<u8>,
    pub secret_check: [u8; 32],
}

const PREVIOUS_NOT_NEEDED: &str = "previous_secret_file is not needed any more: remove it from the configuration, \
                                   and store the file as long as backups that were made with it\n";

pub fn start(command: &Secrets) -> (String, bool) {
    let response = match command {
        Secrets::Status(bank) => status(bank),
        Secrets::Rotate(bank) => rotate(bank),
    };
    response.unwrap_or_else(|problem| (format!("{problem}\n"), false))
}

/// Reads the database beside the server.
fn status(bank: &BankArgs) -> Result<(String, bool), String> {
    let config = bank.sources().load().map_err(|error| error.to_string())?.config;
    let (secrets, sealed, at) = load(&config)?;
    let (_, with) = secrets.open(&sealed)?;
    let since = format_timestamp(at);
    Ok(match with {
        SealedWith::Current => {
            let advice = if secrets.has_previous() { PREVIOUS_NOT_NEEDED } else { "" };
            (format!("secret_file protects the database since {since}\n{advice}"), true)
        }
        SealedWith::Previous => {
            let text = "previous_secret_file still protects the database; run `trapeza secret rotate`, or restart a server\n";
            (text.to_owned(), false)
        }
    })
}

/// The root key is encrypted here, so that no secret passes the admin socket and the server need not read the new file.
fn rotate(bank: &BankArgs) -> Result<(String, bool), String> {
    let config = bank.sources().load().map_err(|error| error.to_string())?.config;
    let (secrets, before, _) = load(&config)?;
    let (root_key, with) = secrets.open(&before)?;
    if with == SealedWith::Current {
        let advice = if secrets.has_previous() { PREVIOUS_NOT_NEEDED } else { "" };
        return Ok((format!("secret_file protects the database already\n{advice}"), true));
    }
    let SealedRootKey { ciphertext, secret_check } = secrets.seal(&root_key);
    let request = RootKeyReplace { before: before.ciphertext, ciphertext, secret_check };
    Ok(run(bank, AdminRequest::RootKeyReplace(request)))
}

pub async fn execute(app: &App, request: &RootKeyReplace) -> Result<String, String> {
    let RootKeyReplace { before, ciphertext, secret_check } = request;
    let sealed = SealedRootKey { ciphertext: ciphertext.clone(), secret_check: *secret_check };
    if !app.root_key_replace(before.clone(), sealed).await.map_err(describe_error)? {
        return Err("another command has rotated the root secret; run `trapeza secret status`".to_owned());
    }
    tracing::info!("root secret: rotated, secret_file protects the database");
    Ok(format!("secret_file protects the database now\n{PREVIOUS_NOT_NEEDED}"))
}

fn load(config: &Config) -> Result<(RootSecrets, SealedRootKey, Timestamp), String> {
    let secrets = RootSecrets::load(config, &root_secret_read(config)?)?;
    let (url, database) = (bootstrap::database_url(config)?, config.data.join(DATABASE_FILE));
    let found = root_key_find(bootstrap::location(url.as_ref(), &database));
    let found = found.map_err(|error| format!("cannot read the database: {error}"))?;
    let (sealed, at) = found.ok_or("there is no bank in the database yet")?;
    Ok((secrets, sealed, at))
}
