//! What can be typed. Only shapes: what a command does stands in its own file under `command/`.

mod pay_later;
mod registry;

pub use pay_later::{
    CallbackStateArg, Callbacks, CallbacksList, CallbacksReplay, CallbacksShow, LoanList, LoanOne,
    LoanStateArg, Loans,
};

pub use registry::{MerchantAdd, MerchantAddresses, MerchantSet, Merchants, MethodArg, PsuAdd, Psus};

use crate::config::{Mode, Sources, Switch};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// An open-banking and pay-later server.
#[derive(Debug, Parser)]
#[command(name = "trapeza", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a demo bank: made at the first start, with keys, customers and merchants to play with.
    Sandbox(Sandbox),
    /// Run the bank in production. Refuses to start with anything unsafe in its configuration.
    Serve(Serve),
    /// Bring the database to this version's tables.
    Migrate(BankArgs),
    /// Print the OpenAPI document.
    Openapi,
    /// Print a page of the documentation that is made from the code.
    #[command(hide = true)]
    Gen { page: Page },
    /// Look at the configuration.
    #[command(subcommand)]
    Config(Config),
    /// Look at the ledger.
    #[command(subcommand)]
    Ledger(Ledger),
    /// Look at the audit chains.
    #[command(subcommand)]
    Audit(Audit),
    /// Look at what goes to other banks and what they owe an answer to.
    #[command(subcommand)]
    Clearing(Clearing),
    /// Let third parties in: register their applications, keys and certificates.
    #[command(subcommand)]
    Application(Application),
    /// Let merchants in: register them, and change their terms.
    #[command(subcommand)]
    Merchant(Merchants),
    /// Take customers on, with their accounts and ways to prove themselves.
    #[command(subcommand)]
    Psu(Psus),
    /// Look at what merchants were told, and have dead callbacks tried again.
    #[command(subcommand)]
    Callbacks(Callbacks),
    /// Look at what customers owe; repay a loan early, or withdraw from it, for one who asks.
    #[command(subcommand)]
    Loan(Loans),
    /// RunMode a customer's card reader or photo reader, in a sandbox.
    Device(Device),
}

/// The pages that are made from the code; xtask/src/generate.rs says which file each becomes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Page {
    /// Every operation with everything it may refuse.
    Refusals,
    /// What becomes of a consent, by every command in every state.
    StatesConsent,
    /// The same of a payment.
    StatesPayment,
    /// The same of a basket.
    StatesBasket,
    /// The same of a loan.
    StatesLoan,
    /// The same of a callback.
    StatesCallback,
}

#[derive(Debug, Args)]
pub struct Sandbox {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Where to listen; port 0 finds a free one.
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// The limit on calls a second; off to measure speed.
    #[arg(long, value_enum, value_name = "on|off")]
    pub rate_limit: Option<Switch>,
    /// Makes the same demo customers each time.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Adds an account of this many entries, to measure with.
    #[arg(long, value_name = "N")]
    pub scale: Option<NonZeroU64>,
}

#[derive(Debug, Args)]
pub struct Serve {
    /// The configuration.
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
}

/// Which bank: everything a command needs to find its data.
#[derive(Clone, Debug, Default, Args)]
pub struct BankArgs {
    /// The configuration; without it the defaults hold.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The data directory.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// A PostgreSQL URL instead of SQLite in the data directory. Others on this machine can see flags: a URL with a
    /// password is better given as TRAPEZA_DATABASE.
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Config {
    /// Print the settings as they come out, and what production would refuse.
    Check(BankArgs),
}

#[derive(Debug, Subcommand)]
pub enum Ledger {
    /// Add up every entry and compare the balances.
    Check(BankArgs),
}

#[derive(Debug, Subcommand)]
pub enum Clearing {
    /// Messages that are not out yet, and payments that nobody has answered for a day.
    List(BankArgs),
}

#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Verify every chain, and name a changed or missing row.
    Verify(Verify),
}

#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Heads logged earlier: chains that were cut off at their end are found only with these.
    #[arg(long, value_name = "FILE")]
    pub heads: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Application {
    /// Register a third party with its certificate; prints its ClientId and, once, its key.
    Add(ApplicationAdd),
    /// Every registered application.
    List(BankArgs),
    /// Issue a further key; two can be active, so that one is changed without a gap.
    Key(ApplicationKey),
    /// Issue a further webhook secret to a merchant; both sign until the older is retired.
    Secret(ApplicationSecret),
    /// Register a further certificate, or block or revoke one.
    Certificate(ApplicationCertificate),
}

#[derive(Debug, Args)]
pub struct ApplicationAdd {
    #[command(flatten)]
    pub bank: BankArgs,
    /// What the bank calls it.
    #[arg(long)]
    pub name: String,
    /// Its certificate, a PEM file.
    #[arg(long, value_name = "FILE")]
    pub certificate: PathBuf,
    /// Where its customers may be sent back to; may be given several times.
    #[arg(long, value_name = "URI")]
    pub redirect_uri: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ApplicationKey {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The application's ClientId.
    pub id: String,
    /// Retire all its keys first: they are refused from the very next call on.
    #[arg(long)]
    pub replace: bool,
}

#[derive(Debug, Args)]
pub struct ApplicationSecret {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The merchant's X-Application-ID.
    pub id: String,
    /// End the change: only the newest secret signs from now on.
    #[arg(long)]
    pub retire: bool,
}

#[derive(Debug, Args)]
pub struct ApplicationCertificate {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The application's ClientId.
    pub id: String,
    /// The certificate, a PEM file.
    #[arg(long, value_name = "FILE")]
    pub certificate: PathBuf,
    /// What holds for it from now on.
    #[arg(long, value_enum, default_value = "active")]
    pub standing: CertificateStatusArg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CertificateStatusArg {
    Active,
    Blocked,
    Revoked,
}

impl CertificateStatusArg {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Blocked => "blocked",
            Self::Revoked => "revoked",
        }
    }
}

#[derive(Debug, Args)]
pub struct Device {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The device's authenticationMethodId: one of CHIPOTP or PHOTOOTP in sandbox.json.
    #[arg(long, value_name = "ID")]
    pub method: String,
    /// The digits that the customer is shown.
    pub challenge: String,
}

impl Sandbox {
    pub fn sources(&self) -> Sources {
        let mut flags = self.bank.flags();
        flags.extend(self.listen.clone().map(|listen| ("listen", listen)));
        flags.extend(self.rate_limit.map(|switch| {
            let word = if switch == Switch::On { "on" } else { "off" };
            ("rate_limit", word.to_owned())
        }));
        Sources::new(Mode::Sandbox, self.bank.config.clone(), flags)
    }
}

impl Serve {
    pub fn sources(&self) -> Sources {
        Sources::new(Mode::Production, Some(self.config.clone()), Vec::new())
    }
}

impl BankArgs {
    pub fn sources(&self) -> Sources {
        Sources::new(Mode::Production, self.config.clone(), self.flags())
    }

    fn flags(&self) -> Vec<(&'static str, String)> {
        let data = self.data.as_ref().map(|dir| ("data", dir.to_string_lossy().into_owned()));
        let database = self.database.clone().map(|url| ("database", url));
        data.into_iter().chain(database).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_shapes_hold_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_sandbox_s_flags_become_settings() {
        let line = "trapeza sandbox --listen 127.0.0.1:0 --data d --rate-limit off --seed 7 --scale 3";
        let Command::Sandbox(sandbox) = Cli::try_parse_from(line.split(' ')).unwrap().command else {
            panic!("not a sandbox")
        };
        let effective = Sources { environment: Vec::new(), ..sandbox.sources() }.load().unwrap();
        assert_eq!(effective.config.listen.to_string(), "127.0.0.1:0");
        assert_eq!(effective.config.data, PathBuf::from("d"));
        assert_eq!(effective.config.rate_limit, Switch::Off);
        assert_eq!((sandbox.seed, sandbox.scale.map(NonZeroU64::get)), (Some(7), Some(3)));
    }

    #[test]
    fn a_device_takes_its_method_and_a_challenge() {
        let line = "trapeza device --data d --method m 12345678";
        let Command::Device(device) = Cli::try_parse_from(line.split(' ')).unwrap().command else {
            panic!("not a device")
        };
        assert_eq!((device.method.as_str(), device.challenge.as_str()), ("m", "12345678"));
        assert!(Cli::try_parse_from(["trapeza", "device", "12345678"]).is_err());
    }

    #[test]
    fn serve_needs_its_file_and_audit_takes_heads() {
        assert!(Cli::try_parse_from(["trapeza", "serve"]).is_err());
        assert!(Cli::try_parse_from(["trapeza", "sandbox", "--scale", "0"]).is_err());
        let audit = Cli::try_parse_from(["trapeza", "audit", "verify", "--heads", "h"]).unwrap().command;
        let Command::Audit(Audit::Verify(verify)) = audit else { panic!("not an audit") };
        assert_eq!(verify.heads, Some(PathBuf::from("h")));
    }
}
