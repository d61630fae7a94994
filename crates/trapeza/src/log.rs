//! The log: to standard error, for people or as one JSON object a line.
//!
//! What never goes into a log, at no level: a PAN, a full IBAN (its last four digits at most), a password, a code, a
//! challenge's answer, a subscription key, a client secret, a certificate's body, a webhook secret, a cookie, a
//! database URL with its password, a request's or an answer's body, and what a PSU typed. Ids, counts, times, states
//! and the kind of a refusal are what a log is made of. A test plants secrets everywhere and searches for them.

use crate::config::{Log, LogFormat, log_filter};
use std::io::IsTerminal;

/// Starts logging for the whole process; can be done once.
pub fn start(settings: &Log) -> Result<(), String> {
    // A log that cannot be written (its disk is full) must not take the bank with it: the library would report that on
    // standard error, fail there again, and panic.
    let builder = tracing_subscriber::fmt()
        .with_env_filter(log_filter(&settings.level)?)
        .with_writer(std::io::stderr)
        .log_internal_errors(false);
    let started = match settings.format {
        // Colours are for terminals: in a file they are noise.
        LogFormat::Human => builder.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => {
            builder.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init()
        }
    };
    started.map_err(|e| format!("cannot start the log: {e}"))
}
