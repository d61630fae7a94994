//! Arguments of the commands for the developers' portal.

use super::BankArgs;
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use trapeza_domain::organisation::MemberRole;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum Portal {
    /// Invite a person; prints the link, which works once and expires after a week.
    Invite(PortalInvite),
    /// List the organisations.
    List(BankArgs),
}

impl Portal {
    pub fn bank(&self) -> &BankArgs {
        match self {
            Self::Invite(arguments) => &arguments.bank,
            Self::List(bank) => bank,
        }
    }
}

#[derive(Debug, Args, Serialize, Deserialize)]
pub struct PortalInvite {
    #[command(flatten)]
    pub bank: BankArgs,
    /// The person's e-mail address.
    pub email: String,
    /// Id of an organisation; without it the person creates one.
    #[arg(long, value_name = "ID")]
    pub organisation: Option<String>,
    #[arg(long, value_enum, default_value = "owner")]
    pub role: PortalRole,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
pub enum PortalRole {
    Owner,
    Developer,
    Viewer,
}

impl PortalRole {
    pub const fn role(self) -> MemberRole {
        match self {
            Self::Owner => MemberRole::Owner,
            Self::Developer => MemberRole::Developer,
            Self::Viewer => MemberRole::Viewer,
        }
    }
}
