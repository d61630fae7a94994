//! What is logged, as an operator writes it. What a log looks like is the log's own business.

use tracing_subscriber::EnvFilter;

/// A level, alone or with parts: `info,trapeza_store=debug`.
pub fn log_filter(level: &str) -> Result<EnvFilter, String> {
    if level.trim().is_empty() {
        return Err("expected error, warn, info, debug or trace".to_owned());
    }
    EnvFilter::builder().parse(level).map_err(|e| format!("expected error, warn, info, debug or trace: {e}"))
}
