//! Arguments of the commands for clearing.

use super::BankArgs;
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use trapeza_domain::clearing::IncomingState;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Clearing {
    /// List files not yet written, payments without a status report for a day, and files with problems.
    List(BankArgs),
    /// Record that you have looked at a problem of a file; it is not listed any more.
    Acknowledge(ClearingAcknowledge),
    /// Manage incoming transfers that could not be booked.
    #[command(subcommand)]
    Suspense(Suspense),
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Suspense {
    /// List incoming transfers that could not be booked, with the reason.
    List(SuspenseList),
    /// Return a suspended transfer to its sender with the next batch.
    Return(SuspenseReturn),
    /// Book a suspended transfer to an account or a loan.
    Assign(SuspenseAssign),
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct ClearingAcknowledge {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The number of the problem, as `clearing list` prints it.
    pub problem: i64,
    /// What you found: 1 to 140 characters.
    #[arg(long)]
    pub note: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct SuspenseList {
    #[command(flatten)]
    pub bank: BankArgs,
    #[arg(long, value_enum, default_value_t = IncomingStateArg::Suspended)]
    pub state: IncomingStateArg,
    /// The most transfers to list.
    #[arg(long, default_value_t = 100)]
    pub limit: u32,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct SuspenseReturn {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The id of the transfer, as `clearing suspense list` prints it.
    pub transfer: String,
    /// The ISO 20022 reason of the return; without it the reason for which the transfer was suspended.
    #[arg(long)]
    pub code: Option<String>,
}

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(group(ArgGroup::new("target").args(["iban", "loan"]).required(true)))]
pub struct SuspenseAssign {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The id of the transfer, as `clearing suspense list` prints it.
    pub transfer: String,
    /// The customer's account.
    #[arg(long)]
    pub iban: Option<String>,
    /// The id of the loan. What is more than its debt stays suspended.
    #[arg(long)]
    pub loan: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
pub enum IncomingStateArg {
    /// Waits for a decision.
    Suspended,
    /// Goes back with the next batch.
    Returning,
    Returned,
    Assigned,
}

impl IncomingStateArg {
    pub const fn state(self) -> IncomingState {
        match self {
            Self::Suspended => IncomingState::Suspended,
            Self::Returning => IncomingState::Returning,
            Self::Returned => IncomingState::Returned,
            Self::Assigned => IncomingState::Assigned,
        }
    }
}

impl Clearing {
    pub const fn bank(&self) -> &BankArgs {
        match self {
            Self::List(bank) => bank,
            Self::Acknowledge(arguments) => &arguments.bank,
            Self::Suspense(Suspense::List(arguments)) => &arguments.bank,
            Self::Suspense(Suspense::Return(arguments)) => &arguments.bank,
            Self::Suspense(Suspense::Assign(arguments)) => &arguments.bank,
        }
    }
}
