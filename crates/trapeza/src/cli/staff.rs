//! Arguments of the commands for the bank's staff.

use super::BankArgs;
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use trapeza_domain::staff::StaffRole;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum StaffCommand {
    /// Create a member of the staff; prints the enrolment link, which works once and expires after three days.
    Add(StaffAdd),
    /// List the staff.
    List(BankArgs),
    /// Confirm the enrolment of a person whose link an administrator has seen.
    Confirm(StaffConfirm),
    /// Disable a person: ends all sessions, and refuses the next sign-in.
    Disable(StaffOne),
    /// Enable a disabled person.
    Enable(StaffOne),
    /// Remove password, authenticator app and passkeys of a person; prints a new enrolment link.
    Reset(StaffOne),
    /// List the actions of staff with their parameters.
    Actions(BankArgs),
    /// Run an action of staff as an operator, without a second person.
    Run(StaffRun),
}

impl StaffCommand {
    pub fn bank(&self) -> &BankArgs {
        match self {
            Self::Add(arguments) => &arguments.bank,
            Self::List(bank) | Self::Actions(bank) => bank,
            Self::Run(arguments) => &arguments.bank,
            Self::Confirm(arguments) => &arguments.bank,
            Self::Disable(one) | Self::Enable(one) | Self::Reset(one) => &one.bank,
        }
    }
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct StaffAdd {
    #[command(flatten)]
    pub bank: BankArgs,
    #[arg(long, value_enum)]
    pub role: StaffRoleArg,
    /// The person's name.
    #[arg(long)]
    pub name: String,
    /// The person's e-mail address, with which they sign in.
    #[arg(long)]
    pub email: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct StaffRun {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The name of the action, for example loan.write_off.
    pub action: String,
    /// The parameters, for example loan=0190….
    #[arg(value_name = "NAME=VALUE")]
    pub parameters: Vec<String>,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct StaffConfirm {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The person's e-mail address or id.
    pub staff: String,
    /// The code that the person was shown at the end of the enrolment.
    #[arg(long)]
    pub code: String,
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct StaffOne {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The person's e-mail address or id.
    pub staff: String,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
pub enum StaffRoleArg {
    Support,
    Operations,
    Risk,
    Auditor,
    Administrator,
}

impl StaffRoleArg {
    pub const fn role(self) -> StaffRole {
        match self {
            Self::Support => StaffRole::Support,
            Self::Operations => StaffRole::Operations,
            Self::Risk => StaffRole::Risk,
            Self::Auditor => StaffRole::Auditor,
            Self::Administrator => StaffRole::Administrator,
        }
    }
}
