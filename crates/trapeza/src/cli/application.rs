//! Arguments of the commands for applications of third parties and merchants.

use super::BankArgs;
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Application {
    /// Register a third party with its certificate; prints its ClientId and, once, its key.
    Add(ApplicationAdd),
    /// List all applications.
    List(BankArgs),
    /// Show an application with its redirect URIs and its keys: age, last use, status.
    Show(ApplicationShow),
    /// Issue an additional key; two can be active during a rotation.
    Key(ApplicationKey),
    /// Retire one key, for example a leaked one; it is refused from the next request on.
    RemoveKey(ApplicationRemoveKey),
    /// Issue an additional webhook secret to a merchant; both sign until the older one is retired.
    Secret(ApplicationSecret),
    /// Register, block or revoke a certificate.
    Certificate(ApplicationCertificate),
    /// Change the name or the redirect URIs; options that are not given stay unchanged.
    Set(ApplicationSet),
    /// Refuse all requests of an application, like those of an unknown one.
    Disable(ApplicationShow),
    /// Accept the requests of a disabled application again.
    Enable(ApplicationShow),
}

impl Application {
    pub fn bank(&self) -> &BankArgs {
        match self {
            Self::Add(arguments) => &arguments.bank,
            Self::List(bank) => bank,
            Self::Show(arguments) | Self::Disable(arguments) | Self::Enable(arguments) => &arguments.bank,
            Self::Key(arguments) => &arguments.bank,
            Self::RemoveKey(arguments) => &arguments.bank,
            Self::Secret(arguments) => &arguments.bank,
            Self::Certificate(arguments) => &arguments.bank,
            Self::Set(arguments) => &arguments.bank,
        }
    }
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct ApplicationAdd {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Display name.
    #[arg(long)]
    pub name: String,
    /// Certificate, a PEM file.
    #[arg(long, value_name = "FILE", value_parser = read_file)]
    pub certificate: String,
    /// Registered redirect URI; may be given several times.
    #[arg(long, value_name = "URI")]
    pub redirect_uri: Vec<String>,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct ApplicationShow {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The application's ClientId or X-Application-ID.
    pub id: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct ApplicationSet {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The application's ClientId or X-Application-ID.
    pub id: String,
    /// Display name.
    #[arg(long)]
    pub name: Option<String>,
    /// Redirect URI of a third party; may be given several times, and replaces all.
    #[arg(long, value_name = "URI")]
    pub redirect_uri: Vec<String>,
    /// Id of the organisation whose members manage the application in the portal; an empty value removes it.
    #[arg(long, value_name = "ID")]
    pub organisation: Option<String>,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct ApplicationKey {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The application's ClientId.
    pub id: String,
    /// Issue a key and retire all others; they are refused from the next request on.
    #[arg(long)]
    pub replace: bool,
    /// Issue no key, and retire all but the newest: the end of a rotation without a gap.
    #[arg(long, conflicts_with = "replace")]
    pub retire: bool,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct ApplicationRemoveKey {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The application's ClientId or X-Application-ID.
    pub id: String,
    /// The id of the key, as `application show` prints it.
    pub key: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct ApplicationSecret {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The merchant's X-Application-ID.
    pub id: String,
    /// Finish the rotation: only the newest secret signs from now on.
    #[arg(long)]
    pub retire: bool,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct ApplicationCertificate {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The application's ClientId.
    pub id: String,
    /// Certificate, a PEM file.
    #[arg(long, value_name = "FILE", value_parser = read_file)]
    pub certificate: String,
    /// New status of the certificate.
    #[arg(long, value_enum, default_value = "active")]
    pub status: CertificateStatusArg,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
pub enum CertificateStatusArg {
    Active,
    Blocked,
    Revoked,
}

/// Reads a file on the client, because the server may run as another user.
fn read_file(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}
