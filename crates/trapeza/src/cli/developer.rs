//! Arguments of the commands for developers, which use a running sandbox by its public interface.

use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Which sandbox a command calls, and as which merchant.
#[derive(Debug, Args)]
pub struct SandboxCaller {
    /// URL of the sandbox; without it that of sandbox.json.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// X-Application-ID of the merchant's application; without it the first merchant of sandbox.json.
    #[arg(long, value_name = "ID", requires = "key")]
    pub application: Option<String>,
    /// Subscription key of the application.
    #[arg(long, value_name = "KEY", requires = "application", allow_hyphen_values = true)]
    pub key: Option<String>,
    /// Data directory of a sandbox on this machine, in which sandbox.json is.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Listen {
    #[command(flatten)]
    pub caller: SandboxCaller,
    /// URL to which callbacks are forwarded, with the body and the headers that the bank sends.
    #[arg(long, value_name = "URL")]
    pub forward_to: Option<String>,
    /// Exit after this many callbacks: with 0 if each was answered with 2xx, otherwise with 1.
    #[arg(long, value_name = "N")]
    pub count: Option<NonZeroUsize>,
    /// Exit after one callback.
    #[arg(long, conflicts_with = "count")]
    pub once: bool,
    /// Print one JSON object per callback.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Trigger {
    #[command(flatten)]
    pub caller: SandboxCaller,
    /// The event, for example basket.approved.
    #[arg(required_unless_present = "list")]
    pub event: Option<String>,
    /// List the events.
    #[arg(long, conflicts_with = "event")]
    pub list: bool,
}
