//! What can be typed about callbacks and loans.

use super::BankArgs;
use clap::{Args, Subcommand, ValueEnum};
use trapeza_domain::callback::CallbackStatus;

#[derive(Debug, Subcommand)]
pub enum Callbacks {
    /// The newest callbacks in a state, and how many there are in each.
    List(CallbacksList),
    /// One callback with its body and its last tries.
    Show(CallbacksShow),
    /// Have a dead or turned-off callback tried again.
    Replay(CallbacksReplay),
}

#[derive(Debug, Args)]
pub struct CallbacksList {
    #[command(flatten)]
    pub bank: BankArgs,
    #[arg(long, value_enum, default_value = "dead")]
    pub state: CallbackStateArg,
    /// How many at most.
    #[arg(long, value_name = "N", default_value = "100")]
    pub limit: u32,
}

#[derive(Debug, Args)]
pub struct CallbacksShow {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The callback's id: the webhook-id that its receiver sees.
    pub id: String,
}

#[derive(Debug, Args)]
pub struct CallbacksReplay {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The callback's id.
    #[arg(required_unless_present = "dead", conflicts_with = "dead")]
    pub id: Option<String>,
    /// Every dead callback.
    #[arg(long)]
    pub dead: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CallbackStateArg {
    Waiting,
    Delivered,
    Dead,
    Disabled,
}

impl CallbackStateArg {
    pub const fn owed(self) -> CallbackStatus {
        match self {
            Self::Waiting => CallbackStatus::Waiting,
            Self::Delivered => CallbackStatus::Delivered,
            Self::Dead => CallbackStatus::Dead,
            Self::Disabled => CallbackStatus::Disabled,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Loans {
    /// The loans in a state that last changed.
    List(LoanList),
    /// One loan with its installments, and what it would cost to end it today.
    Show(LoanOne),
    /// Take all that is owed from the customer's account, with interest up to today.
    Repay(LoanOne),
    /// Take a loan back in its first fourteen days, at the price of their interest.
    Withdraw(LoanOne),
    /// Give up what is owed on an overdue loan: the bank's loss.
    WriteOff(LoanOne),
}

#[derive(Debug, Args)]
pub struct LoanList {
    #[command(flatten)]
    pub bank: BankArgs,
    #[arg(long, value_enum, default_value = "overdue")]
    pub state: LoanStateArg,
    /// How many at most.
    #[arg(long, value_name = "N", default_value = "100")]
    pub limit: u32,
}

#[derive(Debug, Args)]
pub struct LoanOne {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The loan's id: the bnplRequestId that its merchant sees.
    pub id: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LoanStateArg {
    Pending,
    Rejected,
    Active,
    Overdue,
    Repaid,
    Withdrawn,
    WrittenOff,
}

impl LoanStateArg {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Rejected => "rejected",
            Self::Active => "active",
            Self::Overdue => "overdue",
            Self::Repaid => "repaid",
            Self::Withdrawn => "withdrawn",
            Self::WrittenOff => "writtenOff",
        }
    }
}
