//! The application log: to standard error, for people or as JSON lines.
//!
//! A log line never contains a PAN, a full IBAN (at most its last four digits), a password, a code, a subscription key, a
//! certificate, a webhook secret, a cookie, a database URL with its password, a body, or anything that a customer typed.
//! It contains ids, counts, times, states and refusal reasons. A test plants secrets everywhere and searches the log.

use crate::config::{Log, LogFormat, log_filter};
use std::io::IsTerminal;

/// Starts logging for the whole process; can be called once.
pub fn start(settings: &Log) -> Result<(), String> {
    // A log that cannot be written (full disk) must not stop the bank: the library would report that on standard error, fail
    // there again, and panic.
    let builder = tracing_subscriber::fmt()
        .with_env_filter(log_filter(&settings.level)?)
        .with_writer(std::io::stderr)
        .log_internal_errors(false);
    let started = match settings.format {
        // Colours only on a terminal.
        LogFormat::Human => builder.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => {
            builder.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init()
        }
    };
    started.map_err(|e| format!("cannot start the log: {e}"))
}
