//! Arguments of the commands for merchants and customers, and of the import.

use super::BankArgs;
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use trapeza_domain::psu::MethodKind;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Merchants {
    /// Register a merchant with its terms; prints its X-Application-ID and, once, its key and webhook secret.
    Add(MerchantAdd),
    /// List all merchants with their terms.
    List(BankArgs),
    /// Change a merchant's terms; options that are not given stay unchanged.
    Set(MerchantSet),
    /// Pay the merchant's balance to its settlement account.
    Payout(MerchantPayout),
    /// List the payouts to a merchant, newest first.
    Payouts(MerchantPayouts),
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct MerchantPayout {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The merchant's code.
    pub code: String,
    /// Amount; the whole balance when not given.
    #[arg(long)]
    pub amount: Option<String>,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct MerchantPayouts {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The merchant's code.
    pub code: String,
    /// Maximum number of rows.
    #[arg(long, value_name = "N", default_value = "100")]
    pub limit: u32,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct MerchantAdd {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Name shown to shoppers.
    #[arg(long)]
    pub name: String,
    /// merchantCode: capital letters, digits and hyphens.
    #[arg(long)]
    pub code: String,
    /// merchantId.
    #[arg(long, value_name = "N")]
    pub number: i64,
    /// Currency of its baskets; cannot be changed later.
    #[arg(long, default_value = "EUR")]
    pub currency: String,
    /// Smallest basket value.
    #[arg(long, value_name = "AMOUNT")]
    pub minimum: String,
    /// Largest basket value.
    #[arg(long, value_name = "AMOUNT")]
    pub maximum: String,
    /// Number of installments, optionally with a yearly rate in percent: 3, 12:9.99. May be given several times; the first is
    /// the default.
    #[arg(long, value_name = "N[:RATE]", required = true)]
    pub plan: Vec<String>,
    /// Merchant discount in percent of each loan.
    #[arg(long, value_name = "PERCENT", default_value = "0")]
    pub discount: String,
    #[command(flatten)]
    pub urls: MerchantAddresses,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct MerchantSet {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The merchant's code.
    pub code: String,
    #[arg(long)]
    pub name: Option<String>,
    #[arg(long, value_name = "AMOUNT")]
    pub minimum: Option<String>,
    #[arg(long, value_name = "AMOUNT")]
    pub maximum: Option<String>,
    /// As for add; replaces all plans.
    #[arg(long, value_name = "N[:RATE]")]
    pub plan: Vec<String>,
    #[arg(long, value_name = "PERCENT")]
    pub discount: Option<String>,
    /// IBAN of the account to which the balance is paid; an empty value removes the account.
    #[arg(long, value_name = "IBAN")]
    pub settlement_iban: Option<String>,
    /// Name of that account's owner; the merchant's name when not given.
    #[arg(long, value_name = "NAME", requires = "settlement_iban")]
    pub settlement_name: Option<String>,
    /// BIC of that account's bank; without it the routing table decides.
    #[arg(long, value_name = "BIC", requires = "settlement_iban")]
    pub settlement_bic: Option<String>,
    #[command(flatten)]
    pub urls: MerchantAddresses,
}

/// An empty value removes the URL.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct MerchantAddresses {
    /// Callback URL for approvals.
    #[arg(long, value_name = "URL")]
    pub success_callback: Option<String>,
    /// Callback URL for declines and expiry.
    #[arg(long, value_name = "URL")]
    pub fail_callback: Option<String>,
    /// Where shoppers return after an approval.
    #[arg(long, value_name = "URL")]
    pub success_redirect: Option<String>,
    /// Where shoppers return otherwise.
    #[arg(long, value_name = "URL")]
    pub failure_redirect: Option<String>,
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Psus {
    /// Add a customer with accounts and SCA methods. The password is read from the first line of standard input.
    Add(PsuAdd),
    /// List all customers with their accounts and methods.
    List(BankArgs),
    /// Lift the blocks that wrong passwords and codes have caused.
    Unblock(PsuOne),
    /// Set a new password and sign out all devices. The password is read from the first line of standard input.
    ResetPassword(PsuResetPassword),
    /// Change the name or the telephone number; options that are not given stay unchanged.
    Set(PsuSet),
    /// Manage the accounts of a customer.
    #[command(subcommand)]
    Account(PsuAccounts),
    /// End the relationship with a customer whose accounts are empty and whose loans are repaid.
    Close(PsuOne),
    /// Print all personal data of a customer or former customer as one JSON document.
    Export(PsuOne),
    /// Erase the personal data of a former customer, except what the law requires the bank to retain.
    Erase(PsuOne),
}

impl Psus {
    pub fn bank(&self) -> &BankArgs {
        match self {
            Self::Add(arguments) => &arguments.bank,
            Self::List(bank) => bank,
            Self::Unblock(arguments)
            | Self::Close(arguments)
            | Self::Export(arguments)
            | Self::Erase(arguments) => &arguments.bank,
            Self::ResetPassword(arguments) => &arguments.bank,
            Self::Set(arguments) => &arguments.bank,
            Self::Account(PsuAccounts::Add(arguments)) => &arguments.bank,
        }
    }
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct PsuOne {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Login name: the PSU_ID.
    pub login: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct PsuResetPassword {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Login name: the PSU_ID.
    pub login: String,
    /// Read from standard input, so that it is not visible in the process list.
    #[arg(skip)]
    pub password: Password,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct PsuSet {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Login name: the PSU_ID.
    pub login: String,
    #[arg(long)]
    pub name: Option<String>,
    /// Telephone number in E.164, for example +306900000001.
    #[arg(long)]
    pub phone: Option<String>,
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum PsuAccounts {
    /// Open further accounts for a customer.
    Add(PsuAccountAdd),
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct PsuAccountAdd {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Login name: the PSU_ID.
    pub login: String,
    #[command(flatten)]
    pub accounts: AccountArgs,
}

/// The accounts that a command opens.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct AccountArgs {
    /// Account as IBAN or IBAN:CURRENCY; may be given several times.
    #[arg(long, value_name = "IBAN[:CURRENCY]", requires = "bic")]
    pub account: Vec<String>,
    /// The bank's BIC.
    #[arg(long)]
    pub bic: Option<String>,
    /// Product name of the accounts.
    #[arg(long, default_value = "Current account")]
    pub product: String,
    /// The customer is an organisation: payee verification then ignores a legal form at the end of the name.
    #[arg(long)]
    pub organisation: bool,
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Phones {
    /// Lift the blocks that wrong codes at checkouts have caused.
    Unblock(PhoneUnblock),
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct PhoneUnblock {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Telephone number in E.164, for example +306900000001.
    pub phone: String,
}

/// A password from standard input. It is sent over the admin socket and never printed.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Password(pub String);

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct PsuAdd {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Login name: the PSU_ID.
    #[arg(long)]
    pub login: String,
    #[arg(long)]
    pub name: String,
    /// Telephone number in E.164, for example +306900000001.
    #[arg(long)]
    pub phone: String,
    /// SCA method; may be given several times, in the order of preference.
    #[arg(long, value_enum, default_value = "sms")]
    pub method: Vec<MethodArg>,
    #[command(flatten)]
    pub accounts: AccountArgs,
    /// Read from standard input, so that it is not visible in the process list.
    #[arg(skip)]
    pub password: Password,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
pub enum MethodArg {
    Sms,
    Chip,
    Photo,
    App,
}

impl MethodArg {
    pub const fn kind(self) -> MethodKind {
        match self {
            Self::Sms => MethodKind::Sms,
            Self::Chip => MethodKind::Chip,
            Self::Photo => MethodKind::Photo,
            Self::App => MethodKind::Push,
        }
    }
}

#[derive(Debug, Args)]
pub struct Import {
    #[command(flatten)]
    pub bank: BankArgs,
    /// CSV with the names of the columns in its first line, or one JSON object per line.
    pub file: PathBuf,
    /// The format, where the file's name does not end in .csv, .jsonl or .ndjson.
    #[arg(long, value_enum)]
    pub format: Option<ImportFormat>,
    /// Validate the whole file, report every problem and change nothing.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ImportFormat {
    Csv,
    Jsonl,
}
