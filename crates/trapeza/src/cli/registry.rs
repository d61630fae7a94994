//! What can be typed about merchants and customers.

use super::BankArgs;
use clap::{Args, Subcommand, ValueEnum};
use trapeza_domain::psu::MethodKind;

#[derive(Debug, Subcommand)]
pub enum Merchants {
    /// Register a merchant with its terms; prints its X-Application-ID and, once, its key and webhook secret.
    Add(MerchantAdd),
    /// Every merchant with its terms.
    List(BankArgs),
    /// Change a merchant's terms; what is not given stays as it is.
    Set(MerchantSet),
    /// Book that a merchant was paid what the bank owes it.
    Payout(MerchantPayout),
}

#[derive(Debug, Args)]
pub struct MerchantPayout {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The merchant's code.
    pub code: String,
    /// A part; without it, all.
    #[arg(long)]
    pub amount: Option<String>,
}

#[derive(Debug, Args)]
pub struct MerchantAdd {
    #[command(flatten)]
    pub bank: BankArgs,
    /// What customers know it by.
    #[arg(long)]
    pub name: String,
    /// A short name of capitals, digits and hyphens: its merchantCode.
    #[arg(long)]
    pub code: String,
    /// Its number: merchantId.
    #[arg(long, value_name = "N")]
    pub number: i64,
    /// What its baskets are in; it never changes.
    #[arg(long, default_value = "EUR")]
    pub currency: String,
    /// The smallest basket.
    #[arg(long, value_name = "AMOUNT")]
    pub minimum: String,
    /// The largest basket.
    #[arg(long, value_name = "AMOUNT")]
    pub maximum: String,
    /// Months, or months and a yearly rate in percent: 3, 12:9.99. May be given several times; the first is the default.
    #[arg(long, value_name = "N[:RATE]", required = true)]
    pub plan: Vec<String>,
    /// What it leaves the bank of each loan, in percent.
    #[arg(long, value_name = "PERCENT", default_value = "0")]
    pub discount: String,
    #[command(flatten)]
    pub urls: MerchantAddresses,
}

#[derive(Debug, Args)]
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
    /// As with add; all plans are replaced by those given.
    #[arg(long, value_name = "N[:RATE]")]
    pub plan: Vec<String>,
    #[arg(long, value_name = "PERCENT")]
    pub discount: Option<String>,
    #[command(flatten)]
    pub urls: MerchantAddresses,
}

/// An empty one takes an address away.
#[derive(Debug, Args)]
pub struct MerchantAddresses {
    /// Where approvals are told.
    #[arg(long, value_name = "URL")]
    pub success_callback: Option<String>,
    /// Where anything else is told.
    #[arg(long, value_name = "URL")]
    pub fail_callback: Option<String>,
    /// Where customers go after an approval.
    #[arg(long, value_name = "URL")]
    pub success_redirect: Option<String>,
    /// Where customers go otherwise.
    #[arg(long, value_name = "URL")]
    pub failure_redirect: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Psus {
    /// Take a customer on, with accounts and ways to prove themselves. The password is read from the first line of the
    /// standard input.
    Add(PsuAdd),
    /// Every customer with their accounts and methods.
    List(BankArgs),
}

#[derive(Debug, Args)]
pub struct PsuAdd {
    #[command(flatten)]
    pub bank: BankArgs,
    /// What they sign in with: the PSU_ID.
    #[arg(long)]
    pub login: String,
    #[arg(long)]
    pub name: String,
    /// Their telephone, as E.164 writes it: +306900000001.
    #[arg(long)]
    pub phone: String,
    /// A way to prove themselves; may be given several times, and they are offered in this order.
    #[arg(long, value_enum, default_value = "sms")]
    pub method: Vec<MethodArg>,
    /// An account: its IBAN, or IBAN:CURRENCY. May be given several times.
    #[arg(long, value_name = "IBAN[:CURRENCY]", requires = "bic")]
    pub account: Vec<String>,
    /// The bank's own BIC, for the accounts.
    #[arg(long)]
    pub bic: Option<String>,
    /// What the accounts are called.
    #[arg(long, default_value = "Current account")]
    pub product: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
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
