//! Arguments of the commands for callbacks and loans.

use super::BankArgs;
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use trapeza_domain::callback::CallbackStatus;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Callbacks {
    /// List the newest callbacks in a state, and the number in each state.
    List(CallbacksList),
    /// Show one callback with its body and its last attempts.
    Show(CallbacksShow),
    /// Deliver a dead or disabled callback again.
    Replay(CallbacksReplay),
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct CallbacksList {
    #[command(flatten)]
    pub bank: BankArgs,
    #[arg(long, value_enum, default_value = "dead")]
    pub state: CallbackStateArg,
    /// Maximum number of rows.
    #[arg(long, value_name = "N", default_value = "100")]
    pub limit: u32,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct CallbacksShow {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Id of the callback: the webhook-id header.
    pub id: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct CallbacksReplay {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Id of the callback.
    #[arg(required_unless_present = "dead", conflicts_with = "dead")]
    pub id: Option<String>,
    /// Replay all dead callbacks.
    #[arg(long)]
    pub dead: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
pub enum CallbackStateArg {
    Waiting,
    Delivered,
    Dead,
    Disabled,
}

impl CallbackStateArg {
    pub const fn status(self) -> CallbackStatus {
        match self {
            Self::Waiting => CallbackStatus::Waiting,
            Self::Delivered => CallbackStatus::Delivered,
            Self::Dead => CallbackStatus::Dead,
            Self::Disabled => CallbackStatus::Disabled,
        }
    }
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Loans {
    /// List the loans in a state, the last changed first.
    List(LoanList),
    /// Show one loan with its installments and today's payoff amount.
    Show(LoanOne),
    /// Repay a loan from the customer's account, with interest up to today.
    Repay(LoanOne),
    /// Withdraw from a loan in its first fourteen days; interest for those days is due.
    Withdraw(LoanOne),
    /// Write off an overdue loan.
    WriteOff(LoanOne),
    /// Pay a refund that stayed payable to an account of the borrower, by SEPA credit transfer or inside the bank.
    RefundPayout(LoanRefundPayout),
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LoanList {
    #[command(flatten)]
    pub bank: BankArgs,
    #[arg(long, value_enum, default_value = "overdue")]
    pub state: LoanStateArg,
    /// Maximum number of rows.
    #[arg(long, value_name = "N", default_value = "100")]
    pub limit: u32,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LoanOne {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Id of the loan: the merchant's bnplRequestId.
    pub id: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LoanRefundPayout {
    #[command(flatten)]
    pub bank: BankArgs,
    /// Id of the loan: the merchant's bnplRequestId.
    pub id: String,
    /// IBAN of the borrower.
    #[arg(long)]
    pub iban: String,
    /// Name of the owner of that account.
    #[arg(long)]
    pub name: String,
    /// BIC of the borrower's bank; without it the routing table decides.
    #[arg(long)]
    pub bic: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
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
