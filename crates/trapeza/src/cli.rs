//! The command line. The commands themselves are in `command/`; their arguments are also the requests of the admin socket.

mod application;
mod clearing;
mod developer;
mod ledger;
mod pay_later;
mod portal;
mod registry;
mod staff;
mod supervision;

pub use application::{
    Application, ApplicationAdd, ApplicationCertificate, ApplicationKey, ApplicationRemoveKey,
    ApplicationSecret, ApplicationSet, ApplicationShow, CertificateStatusArg,
};

pub use clearing::{Clearing, IncomingStateArg, Suspense, SuspenseAssign, SuspenseList, SuspenseReturn};
pub use developer::{Listen, SandboxCaller, Trigger};

pub use ledger::{Ledger, LedgerAccountOne, LedgerAccounts, LedgerFormat};
pub use pay_later::{
    CallbackStateArg, Callbacks, CallbacksList, CallbacksReplay, CallbacksShow, LoanList, LoanOne,
    LoanRefundPayout, LoanStateArg, Loans,
};

pub use portal::{Portal, PortalInvite, PortalRole};

pub use registry::{
    AccountArgs, Import, ImportFormat, MerchantAdd, MerchantAddresses, MerchantSet, Merchants, MethodArg,
    Password, Phones, PsuAccounts, PsuAdd, Psus,
};

pub use staff::{StaffAdd, StaffCommand, StaffOne, StaffRoleArg, StaffRun};

pub use supervision::{Retention, RetentionApply, Statistics, StatisticsFormat};

use crate::config::{Mode, Sources, Switch};
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
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
    /// Run a demo bank with keys, customers and merchants, created at the first start.
    Sandbox(Sandbox),
    /// Run the bank in production. Refuses to start with an unsafe configuration.
    Serve(Serve),
    /// Migrate the database to this version's schema.
    Migrate(Migrate),
    /// Write a consistent copy of the database to a file, while the server runs.
    Backup(Backup),
    /// Restore a backup into an empty data directory or database, and verify it.
    Restore(Backup),
    /// Ask the running server whether it is ready; exits with 1 if it is not.
    Health(BankArgs),
    /// Print the OpenAPI document.
    Openapi,
    /// Print a documentation page that is generated from the code.
    #[command(hide = true)]
    Gen { page: Page },
    /// Rotate the root secret.
    #[command(subcommand)]
    Secret(Secrets),
    /// Check the configuration.
    #[command(subcommand)]
    Config(Config),
    /// Check the ledger; list its accounts, print the end-of-day report, post by hand.
    #[command(subcommand)]
    Ledger(Ledger),
    /// Verify the audit log.
    #[command(subcommand)]
    Audit(Audit),
    /// Inspect clearing: pending files, unanswered payments, transfers on the suspense account.
    #[command(subcommand)]
    Clearing(Clearing),
    /// Manage applications of third parties: keys and certificates.
    #[command(subcommand)]
    Application(Application),
    /// Manage merchants and their terms.
    #[command(subcommand)]
    Merchant(Merchants),
    /// Invite developers to the portal; list their organisations.
    #[command(subcommand)]
    Portal(Portal),
    /// Manage the bank's staff, who use the console.
    #[command(subcommand)]
    Staff(StaffCommand),
    /// Manage customers, their accounts and SCA methods.
    #[command(subcommand)]
    Psu(Psus),
    /// Manage telephone numbers of shoppers.
    #[command(subcommand)]
    Phone(Phones),
    /// List callbacks and replay dead ones.
    #[command(subcommand)]
    Callbacks(Callbacks),
    /// Print the callbacks of a running sandbox as they arise, and forward them to a local address.
    Listen(Listen),
    /// Make an event happen in a running sandbox, so that its callback follows.
    Trigger(Trigger),
    /// List loans; repay, withdraw from or write off a loan; pay out a refund.
    #[command(subcommand)]
    Loan(Loans),
    /// Print availability and performance of the interfaces in a quarter, as supervisors ask for them.
    Statistics(Statistics),
    /// Delete personal data whose legal period has ended.
    #[command(subcommand)]
    Retention(Retention),
    /// Import customers with their accounts and opening balances from a file.
    Import(Import),
    /// Simulate a customer's chip or photo device, in a sandbox.
    Device(Device),
}

/// Generated documentation pages; xtask/src/generate.rs maps them to files.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Page {
    /// Every operation with its refusals.
    Refusals,
    /// State transitions of an authorisation (SCA).
    StatesAuthorisation,
    /// State transitions of a consent.
    StatesConsent,
    /// State transitions of a payment.
    StatesPayment,
    /// State transitions of a basket.
    StatesBasket,
    /// State transitions of a loan.
    StatesLoan,
    /// State transitions of a signing basket.
    StatesSigningBasket,
    /// State transitions of a callback.
    StatesCallback,
    /// Roles and actions of the bank's staff.
    StaffActions,
    /// The OpenAPI document of the Berlin Group's dialect.
    OpenapiBerlinGroup,
}

/// Ten years.
const MAX_HISTORY_DAYS: i64 = 3650;

#[derive(Debug, Args)]
pub struct Sandbox {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Address to listen on; port 0 selects a free port.
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// Rate limit; off for benchmarks.
    #[arg(long, value_enum, value_name = "on|off")]
    pub rate_limit: Option<Switch>,
    /// Seed of the demo customers, for the same data each time.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Length of the demo customers' history in days; 730 unless it is given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=MAX_HISTORY_DAYS))]
    pub days: Option<i32>,
    /// Add an account with this many entries, for benchmarks.
    #[arg(long, value_name = "N")]
    pub scale: Option<NonZeroU64>,
}

#[derive(Debug, Args)]
pub struct Serve {
    /// Configuration file.
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
}

/// Which bank a command works on. It is resolved on the client and never sent over the admin socket.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
pub struct BankArgs {
    /// Configuration file; without it the defaults apply.
    #[serde(skip)]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Data directory.
    #[serde(skip)]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// PostgreSQL URL, instead of SQLite in the data directory. Flags are visible to other users of the machine: put a URL
    /// with a password into TRAPEZA_DATABASE.
    #[serde(skip)]
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
}

#[derive(Debug, Args)]
pub struct Migrate {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Only list the migrations that would be applied; nothing is changed.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct Backup {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The file of the backup.
    pub file: PathBuf,
}

#[derive(Debug, Subcommand)]
pub enum Secrets {
    /// Print which root secret protects the database, and since when.
    Status(BankArgs),
    /// Protect the database with secret_file instead of previous_secret_file, while the server runs.
    Rotate(BankArgs),
}

#[derive(Debug, Subcommand)]
pub enum Config {
    /// Print the resolved settings and what production would refuse.
    Check(BankArgs),
}

#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Verify every chain and report changed or missing rows.
    Verify(Verify),
}

#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Log file with audit heads; only with them a truncated chain is detected.
    #[arg(long, value_name = "FILE")]
    pub heads: Option<PathBuf>,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Device {
    #[command(flatten)]
    pub bank: BankArgs,
    /// authenticationMethodId of a CHIPOTP or PHOTOOTP method in sandbox.json.
    #[arg(long, value_name = "ID")]
    pub method: String,
    /// The challenge digits shown to the customer.
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
    fn command_line_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sandbox_flags_become_settings() {
        let line =
            "trapeza sandbox --listen 127.0.0.1:0 --data d --rate-limit off --seed 7 --days 30 --scale 3";
        let Command::Sandbox(sandbox) = Cli::try_parse_from(line.split(' ')).unwrap().command else {
            panic!("not a sandbox")
        };
        let effective = Sources { environment: Vec::new(), ..sandbox.sources() }.load().unwrap();
        assert_eq!(effective.config.listen.to_string(), "127.0.0.1:0");
        assert_eq!(effective.config.data, PathBuf::from("d"));
        assert_eq!(effective.config.rate_limit, Switch::Off);
        assert_eq!((sandbox.seed, sandbox.days), (Some(7), Some(30)));
        assert_eq!(sandbox.scale.map(NonZeroU64::get), Some(3));
    }

    #[test]
    fn key_may_begin_with_a_hyphen() {
        let line = "trapeza listen --application a --key -Ek --once";
        let Command::Listen(listen) = Cli::try_parse_from(line.split(' ')).unwrap().command else {
            panic!("not a listener")
        };
        assert_eq!((listen.caller.key.as_deref(), listen.once), (Some("-Ek"), true));
    }

    #[test]
    fn device_takes_method_and_challenge() {
        let line = "trapeza device --data d --method m 12345678";
        let Command::Device(device) = Cli::try_parse_from(line.split(' ')).unwrap().command else {
            panic!("not a device")
        };
        assert_eq!((device.method.as_str(), device.challenge.as_str()), ("m", "12345678"));
        assert!(Cli::try_parse_from(["trapeza", "device", "12345678"]).is_err());
    }

    #[test]
    fn serve_requires_config_and_audit_accepts_heads() {
        assert!(Cli::try_parse_from(["trapeza", "serve"]).is_err());
        for refused in [["--scale", "0"], ["--days", "0"], ["--days", "3651"]] {
            assert!(Cli::try_parse_from([["trapeza", "sandbox"], refused].concat()).is_err(), "{refused:?}");
        }
        let audit = Cli::try_parse_from(["trapeza", "audit", "verify", "--heads", "h"]).unwrap().command;
        let Command::Audit(Audit::Verify(verify)) = audit else { panic!("not an audit") };
        assert_eq!(verify.heads, Some(PathBuf::from("h")));
    }
}
