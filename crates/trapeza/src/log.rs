//! The application log: to standard error, for people or as JSON lines.
//!
//! A log line never contains a PAN, a full IBAN (at most its last four digits), a password, a code, a subscription key, a
//! certificate, a webhook secret, a cookie, a database URL with its password, a body, or anything that a customer typed.
//! It contains ids, counts, times, states and refusal reasons. A test plants secrets everywhere and searches the log.

use crate::config::{Log, LogFormat, log_filter};
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Changes the level of the running log.
pub struct LogHandle(Box<dyn Fn(EnvFilter) -> Result<(), String> + Send + Sync>);

impl LogHandle {
    /// The new level of the log, as configured.
    pub fn set_level(&self, level: &str) -> Result<(), String> {
        (self.0)(log_filter(level)?)
    }
}

/// Starts logging for the whole process; can be called once.
pub fn start(settings: &Log) -> Result<LogHandle, String> {
    // A log that cannot be written (full disk) must not stop the bank: the library would report that on standard error, fail
    // there again, and panic.
    let builder = tracing_subscriber::fmt()
        .with_env_filter(log_filter(&settings.level)?)
        .with_writer(std::io::stderr)
        .log_internal_errors(false);
    // The two formats are two types.
    macro_rules! start {
        ($builder:expr) => {{
            let builder = $builder.with_filter_reloading();
            let handle = builder.reload_handle();
            let set = move |filter: EnvFilter| handle.reload(filter).map_err(|error| error.to_string());
            builder.try_init().map(|()| LogHandle(Box::new(set)))
        }};
    }
    let started = match settings.format {
        // Colours only on a terminal.
        LogFormat::Human => start!(builder.with_ansi(std::io::stderr().is_terminal())),
        LogFormat::Json => {
            start!(builder.json().flatten_event(true).with_current_span(true).with_span_list(false))
        }
    };
    started.map_err(|error| format!("cannot start the log: {error}"))
}
