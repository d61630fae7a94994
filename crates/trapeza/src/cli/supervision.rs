//! Arguments of the commands that supervisors of the bank ask for: statistics of the interfaces, and the end of retention.

use super::BankArgs;
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

#[derive(Debug, Subcommand)]
pub enum Retention {
    /// Erase former customers, and the accounts from which ended loans were paid, after a number of years.
    Apply(RetentionApply),
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct RetentionApply {
    #[command(flatten)]
    pub bank: BankArgs,
    /// How many years the law requires the data after the end of the relationship or the loan.
    #[arg(long, value_name = "N")]
    pub years: u32,
    /// Only count what would be erased; nothing is changed.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Statistics {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The quarter, for example 2026Q4.
    #[arg(long)]
    pub quarter: String,
    #[arg(long, value_enum, default_value = "csv")]
    pub format: StatisticsFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
pub enum StatisticsFormat {
    Csv,
}
