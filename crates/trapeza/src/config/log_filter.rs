//! The log filter as configured.

use tracing_subscriber::filter::Targets;

const EXPECTED: &str =
    "expected error, warn, info, debug or trace, optionally per module: info,trapeza_store=debug";
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// A level, optionally per module: `info,trapeza_store=debug`. The filter's own syntax also accepts a module without a level;
/// that is refused here, because a misspelt level would be taken for a module and turn off the log.
pub fn log_filter(level: &str) -> Result<Targets, String> {
    let directives: Vec<&str> = level.split(',').map(str::trim).collect();
    for directive in &directives {
        let level = directive.rsplit_once('=').map_or(*directive, |(_, level)| level);
        if !LEVELS.contains(&level.to_ascii_lowercase().as_str()) {
            return Err(EXPECTED.to_owned());
        }
    }
    directives.join(",").parse().map_err(|e| format!("{EXPECTED}: {e}"))
}
