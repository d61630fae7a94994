//! The typed settings. `defaults.toml` documents them; this module defines their types and limits.
//!
//! No other crate reads a file, a flag or the environment.

mod log_filter;
mod production;
mod resolved;
mod source;

pub use log_filter::log_filter;
pub use production::production_faults;
pub use resolved::Effective;
pub use source::{ConfigError, Mode, Origin, Sources};

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Deserializer, de::Error};
use std::fmt;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::Iban;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub listen: SocketAddr,
    #[serde(deserialize_with = "public_url")]
    pub public_url: Option<String>,
    #[serde(deserialize_with = "path")]
    pub data: PathBuf,
    #[serde(deserialize_with = "database")]
    pub database: Option<DatabaseUrl>,
    #[serde(deserialize_with = "optional_path")]
    pub secret_file: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub previous_secret_file: Option<PathBuf>,
    #[serde(deserialize_with = "zone")]
    pub zone: String,
    pub rate_limit: Switch,
    pub bank: Bank,
    pub rate: Rate,
    pub limits: Limits,
    pub timeouts: Timeouts,
    pub store: Store,
    pub tls: Tls,
    pub callers: Callers,
    pub sms: Sms,
    pub callback: Callback,
    pub backup: Backup,
    pub fees: FeeTable,
    pub clearing: ClearingFolders,
    pub payee_verification: PayeeVerification,
    pub log: Log,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    On,
    Off,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bank {
    #[serde(deserialize_with = "bank_name")]
    pub name: String,
    #[serde(deserialize_with = "iban")]
    pub collection_iban: Option<Iban>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    pub per_second: NonZeroU32,
    pub burst: NonZeroU32,
    pub failed_authentications_per_minute: NonZeroU32,
    pub payee_mismatches_per_hour: NonZeroU32,
    pub payee_mismatches_per_iban_per_hour: NonZeroU32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub body_bytes: NonZeroUsize,
    pub basket_body_bytes: NonZeroUsize,
    pub json_depth: NonZeroUsize,
    pub connections: NonZeroUsize,
    pub connections_per_address: NonZeroUsize,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    #[serde(rename = "header_seconds", deserialize_with = "seconds")]
    pub header: Duration,
    #[serde(rename = "body_seconds", deserialize_with = "seconds")]
    pub body: Duration,
    #[serde(rename = "request_seconds", deserialize_with = "seconds")]
    pub request: Duration,
    #[serde(rename = "drain_seconds", deserialize_with = "seconds")]
    pub drain: Duration,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Store {
    pub queue: NonZeroUsize,
    pub batch_jobs: NonZeroUsize,
    #[serde(rename = "batch_ms", deserialize_with = "milliseconds")]
    pub batch: Duration,
    pub postgres_threads: NonZeroUsize,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    #[serde(deserialize_with = "optional_path")]
    pub certificate: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub key: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub client_ca: Option<PathBuf>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callers {
    pub certificate_mode: CertificateMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CertificateMode {
    Mtls,
    Header,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sms {
    #[serde(deserialize_with = "text")]
    pub url: Option<String>,
    #[serde(deserialize_with = "optional_path")]
    pub token_file: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub ca_file: Option<PathBuf>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callback {
    #[serde(deserialize_with = "optional_path")]
    pub ca_file: Option<PathBuf>,
    #[serde(rename = "timeout_ms", deserialize_with = "milliseconds")]
    pub timeout: Duration,
    pub keep_days: NonZeroU32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    #[serde(deserialize_with = "optional_path")]
    pub postgres_programs: Option<PathBuf>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeeTable {
    #[serde(rename = "internal_transfers", deserialize_with = "cents")]
    pub internal_minor: i64,
    #[serde(rename = "sepa_credit_transfers", deserialize_with = "cents")]
    pub sepa_minor: i64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClearingFolders {
    #[serde(deserialize_with = "optional_path")]
    pub outgoing: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub incoming: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub done: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub routes: Option<PathBuf>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayeeVerification {
    #[serde(deserialize_with = "text")]
    pub url: Option<String>,
    #[serde(deserialize_with = "optional_path")]
    pub token_file: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub ca_file: Option<PathBuf>,
    #[serde(rename = "limit_ms", deserialize_with = "milliseconds")]
    pub limit: Duration,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    pub format: LogFormat,
    #[serde(deserialize_with = "log_level")]
    pub level: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Human,
    Json,
}

/// A PostgreSQL URL, possibly with a password: only [`reveal`](Self::reveal) returns it, everything else shows `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Ok(Self(text.to_owned()))
        } else {
            // The text is not repeated, because a mistyped URL still contains its password.
            Err("must begin with postgres://; leave it empty for SQLite in the data directory")
        }
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The URL without its password, and the password decoded, for programs whose arguments are visible to other users.
    pub fn split_password(&self) -> (String, Option<String>) {
        let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let (address, query) = self.0.split_once('?').unwrap_or((&self.0, ""));
        let (scheme, rest) = address.split_once("://").unwrap_or_default();
        let (mut password, address) = match rest.rsplit_once('@') {
            Some((account, host)) => match account.split_once(':') {
                Some((user, password)) => (Some(decode(password)), format!("{scheme}://{user}@{host}")),
                None => (None, address.to_owned()),
            },
            None => (None, address.to_owned()),
        };
        let mut parameters = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.strip_prefix("password=") {
                Some(text) => password = Some(decode(text)),
                None => parameters.push(parameter),
            }
        }
        let query = if parameters.is_empty() { String::new() } else { format!("?{}", parameters.join("&")) };
        (address + &query, password)
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Parameters may repeat the password (`?password=`), so they are hidden too.
        let (scheme, rest) = self.0.split_once("://").unwrap_or_default();
        let (rest, parameters) = rest.split_once('?').map_or((rest, ""), |(rest, _)| (rest, "?***"));
        match rest.rsplit_once('@') {
            Some((account, host)) => {
                let (user, password) =
                    account.split_once(':').map_or((account, ""), |(user, _)| (user, ":***"));
                write!(f, "{scheme}://{user}{password}@{host}{parameters}")
            }
            None => write!(f, "{scheme}://{rest}{parameters}"),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Config {
    /// The base URL without a trailing slash. `bound` is the actual listen address (port 0 selects a free port).
    pub fn base_url(&self, bound: SocketAddr) -> String {
        let scheme = if self.tls.certificate.is_some() { "https" } else { "http" };
        self.public_url.clone().unwrap_or_else(|| format!("{scheme}://{bound}"))
    }
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// A checkout URL based on it must fit a QR code of 251 bytes.
const PUBLIC_URL_LONGEST: usize = 200;

fn public_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let Some(url) = text(deserializer)? else { return Ok(None) };
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = host.map(|rest| rest.trim_end_matches('/')).unwrap_or_default();
    if host.is_empty() || host.contains(['/', '?', '#', ' ', '@']) {
        return Err(D::Error::custom("expected https://host or https://host:port, without a path"));
    }
    if url.len() > PUBLIC_URL_LONGEST {
        return Err(D::Error::custom(format!("expected at most {PUBLIC_URL_LONGEST} characters")));
    }
    Ok(Some(url.trim_end_matches('/').to_owned()))
}

fn optional_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    Ok(text(deserializer)?.map(PathBuf::from))
}

fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    optional_path(deserializer)?.ok_or(D::Error::custom("expected a path"))
}

fn database<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DatabaseUrl>, D::Error> {
    text(deserializer)?.map(|url| DatabaseUrl::parse(&url)).transpose().map_err(D::Error::custom)
}

/// An SMS begins with the name, so it must be short.
const BANK_NAME_LONGEST: usize = 35;

fn bank_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let fits = (1..=BANK_NAME_LONGEST).contains(&name.chars().count());
    if !fits || name.trim() != name || name.contains(char::is_control) {
        let text = format!("expected 1 to {BANK_NAME_LONGEST} characters without control characters");
        return Err(D::Error::custom(text));
    }
    Ok(name)
}

fn iban<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Iban>, D::Error> {
    let Some(number) = text(deserializer)? else { return Ok(None) };
    Iban::parse(&number).map(Some).map_err(|_| D::Error::custom("expected a valid IBAN without spaces"))
}

fn zone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    jiff::tz::TimeZone::get(&name)
        .map_err(|_| D::Error::custom("expected a time zone such as Europe/Athens"))?;
    Ok(name)
}

fn cents<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = String::deserialize(deserializer)?;
    Money::parse(&text, Currency::EUR).map(|fee| fee.minor).map_err(D::Error::custom)
}

fn log_level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let level = String::deserialize(deserializer)?;
    log_filter(&level).map_err(D::Error::custom)?;
    Ok(level)
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    NonZeroU64::deserialize(deserializer).map(|n| Duration::from_secs(n.get()))
}

fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    NonZeroU64::deserialize(deserializer).map(|n| Duration::from_millis(n.get()))
}

#[cfg(test)]
mod tests;
