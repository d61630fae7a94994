//! The log filter as configured.

use tracing_subscriber::EnvFilter;

/// A level, optionally per module: `info,trapeza_store=debug`.
pub fn log_filter(level: &str) -> Result<EnvFilter, String> {
    if level.trim().is_empty() {
        return Err("expected error, warn, info, debug or trace".to_owned());
    }
    EnvFilter::builder().parse(level).map_err(|e| format!("expected error, warn, info, debug or trace: {e}"))
}
