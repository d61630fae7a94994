//! The typed settings. `defaults.toml` documents them; this module defines their types and limits.
//!
//! No other crate reads a file, a flag or the environment.

mod bank;
mod berlin_group;
mod console;
mod database_url;
mod log_filter;
mod parse;
mod production;
mod resolved;
mod source;

pub use bank::Bank;
pub use berlin_group::BerlinGroup;
pub use console::{Console, IdentityProvider};
pub use database_url::DatabaseUrl;
pub use log_filter::log_filter;
pub use production::production_problems;
pub use resolved::Effective;
pub use source::{ConfigError, Mode, Origin, Sources};

use parse::{
    cents, database, log_days, log_level, millionths, milliseconds, optional_address, optional_path, path,
    public_url, seconds, text, trusted_proxies, unmatched, zone,
};
use serde::Deserialize;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;
use trapeza_domain::clearing::UnmatchedPolicy;
use trapeza_http::TrustedProxies;

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
    pub database_password_file: Option<PathBuf>,
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
    pub seal: Seal,
    pub berlin_group: BerlinGroup,
    pub email: Email,
    pub sms: Gateway,
    pub callback: Callback,
    pub request_log: RequestLog,
    pub backup: Backup,
    pub fees: FeeTable,
    pub clearing: ClearingFolders,
    pub instant_clearing: Gateway,
    pub payee_verification: PayeeVerification,
    pub log: Log,
    pub metrics: Metrics,
    pub console: Console,
    pub identity_provider: IdentityProvider,
    pub telemetry: Telemetry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    On,
    Off,
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
    #[serde(rename = "postgres_connect_timeout_seconds", deserialize_with = "seconds")]
    pub postgres_connect_timeout: Duration,
    #[serde(rename = "postgres_statement_timeout_seconds", deserialize_with = "seconds")]
    pub postgres_statement_timeout: Duration,
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
    #[serde(deserialize_with = "optional_path")]
    pub client_crl: Option<PathBuf>,
    pub expired_crl: ExpiredCrl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExpiredCrl {
    Accept,
    Refuse,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callers {
    pub certificate_mode: CertificateMode,
    #[serde(deserialize_with = "trusted_proxies")]
    pub trusted_proxies: TrustedProxies,
    pub signature: SignatureRequirement,
    #[serde(deserialize_with = "optional_path")]
    pub seal_ca: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub seal_crl: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignatureRequirement {
    Off,
    Optional,
    Required,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    #[serde(deserialize_with = "optional_path")]
    pub certificate: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub key: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CertificateMode {
    Mtls,
    Proxy,
    Header,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Email {
    #[serde(deserialize_with = "text")]
    pub url: Option<String>,
    #[serde(deserialize_with = "text")]
    pub from: Option<String>,
    #[serde(deserialize_with = "optional_path")]
    pub credentials_file: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub ca_file: Option<PathBuf>,
}

/// A service that is reached over HTTP.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gateway {
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
pub struct RequestLog {
    /// At most a year: 0 to 366.
    #[serde(deserialize_with = "log_days")]
    pub keep_days: u32,
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
    #[serde(deserialize_with = "unmatched")]
    pub unmatched: UnmatchedPolicy,
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

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    #[serde(deserialize_with = "optional_address")]
    pub listen: Option<SocketAddr>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    #[serde(deserialize_with = "text")]
    pub otlp_endpoint: Option<String>,
    #[serde(deserialize_with = "optional_path")]
    pub token_file: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub ca_file: Option<PathBuf>,
    /// In millionths.
    #[serde(rename = "sampling_ratio", deserialize_with = "millionths")]
    pub sampled_millionths: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Human,
    Json,
}

impl Config {
    /// The base URL without a trailing slash. `bound` is the actual listen address (port 0 selects a free port).
    pub fn base_url(&self, bound: SocketAddr) -> String {
        let scheme = if self.tls.certificate.is_some() { "https" } else { "http" };
        self.public_url.clone().unwrap_or_else(|| format!("{scheme}://{bound}"))
    }

    /// The address of the console whose listener is bound here.
    pub fn console_url(&self, bound: SocketAddr) -> String {
        let scheme = if self.console.tls == Switch::On { "https" } else { "http" };
        // A host name, because passkeys need one.
        self.console.url.clone().unwrap_or_else(|| format!("{scheme}://localhost:{}", bound.port()))
    }
}

#[cfg(test)]
mod tests;
