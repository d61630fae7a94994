//! Arguments of the commands for the ledger.

use super::BankArgs;
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Ledger {
    /// Recompute every balance from its entries.
    Check(BankArgs),
    /// List the ledger accounts with their balances.
    Accounts(LedgerAccounts),
    /// Print an account with its newest entries.
    Account(LedgerAccountOne),
    /// Print the end-of-day report: balances, turnover, payments, suspense, holds, payouts and differences.
    Report(LedgerReportArgs),
    /// Post an amount by hand.
    Post(LedgerPost),
    /// Reverse a manual posting.
    Reverse(LedgerReverse),
    /// List the manual postings.
    Postings(LedgerPostings),
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LedgerAccounts {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Code of a kind of account, for example 2000 for accounts of customers.
    #[arg(long, value_name = "CODE")]
    pub kind: Option<i64>,
    /// List the accounts after this number.
    #[arg(long, value_name = "NUMBER")]
    pub after: Option<i64>,
    /// Maximum number of rows.
    #[arg(long, value_name = "N", default_value = "100")]
    pub limit: u32,
    #[arg(long, value_enum, default_value = "text")]
    pub format: LedgerFormat,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LedgerAccountOne {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The number of the account, as `ledger accounts` prints it.
    pub account: i64,
    /// Print the entries before this position.
    #[arg(long, value_name = "POSITION")]
    pub before: Option<i64>,
    /// Maximum number of entries.
    #[arg(long, value_name = "N", default_value = "50")]
    pub limit: u32,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LedgerReportArgs {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The day, for example 2026-11-16.
    #[arg(long)]
    pub date: String,
    #[arg(long, value_enum, default_value = "text")]
    pub format: LedgerFormat,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LedgerPost {
    #[command(flatten)]
    pub bank: BankArgs,
    /// A new UUID for the posting. The same posting with the same id is booked once.
    #[arg(long)]
    pub id: String,
    /// IBAN of a customer's account, or code of an account of the bank.
    #[arg(long)]
    pub debit: String,
    /// IBAN of a customer's account, or code of an account of the bank.
    #[arg(long)]
    pub credit: String,
    #[arg(long)]
    pub amount: String,
    #[arg(long, default_value = "EUR")]
    pub currency: String,
    /// The reason, which customers read on their statement: 1 to 140 characters.
    #[arg(long)]
    pub text: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LedgerReverse {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The id of the posting.
    pub id: String,
    /// The reason, which customers read on their statement: 1 to 140 characters.
    #[arg(long)]
    pub text: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LedgerPostings {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Maximum number of rows.
    #[arg(long, value_name = "N", default_value = "100")]
    pub limit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum LedgerFormat {
    Text,
    Csv,
}

impl Ledger {
    pub const fn bank(&self) -> &BankArgs {
        match self {
            Self::Check(bank) => bank,
            Self::Accounts(arguments) => &arguments.bank,
            Self::Account(arguments) => &arguments.bank,
            Self::Report(arguments) => &arguments.bank,
            Self::Post(arguments) => &arguments.bank,
            Self::Reverse(arguments) => &arguments.bank,
            Self::Postings(arguments) => &arguments.bank,
        }
    }
}
