//! The application log: to standard error, for people or as JSON lines.
//!
//! A log line never contains a PAN, a full IBAN (at most its last four digits), a password, a code, a subscription key, a
//! certificate, a webhook secret, a cookie, a database URL with its password, a body, or anything that a customer typed.
//! It contains ids, counts, times, states and refusal reasons. A test plants secrets everywhere and searches the log.

use crate::config::{Log, LogFormat, log_filter};
use std::io::IsTerminal;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt, reload};

/// Changes the level of the running log.
pub struct LogHandle(reload::Handle<Targets, Registry>);

impl LogHandle {
    /// The new level of the log, as configured.
    pub fn set_level(&self, level: &str) -> Result<(), String> {
        self.0.reload(log_filter(level)?).map_err(|error| error.to_string())
    }
}

/// Starts logging for the whole process; can be called once.
pub fn start(settings: &Log) -> Result<LogHandle, String> {
    let (filter, handle) = reload::Layer::new(log_filter(&settings.level)?);
    // A log that cannot be written (full disk) must not stop the bank: the library would report that on standard error, fail
    // there again, and panic.
    let lines = fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    let lines = match settings.format {
        // Colours only on a terminal.
        LogFormat::Human => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => {
            lines.json().flatten_event(true).with_current_span(true).with_span_list(false).boxed()
        }
    };
    let started = tracing_subscriber::registry().with(filter).with(lines).try_init();
    started.map(|()| LogHandle(handle)).map_err(|error| format!("cannot start the log: {error}"))
}
