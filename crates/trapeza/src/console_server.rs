//! The console of the bank's staff on a listener of its own.

use crate::config::{Config, Switch};
use std::sync::Arc;
use tokio::net::TcpListener;
use trapeza_http::{AppState, Settings};

/// The console of the bank's staff on a listener of its own.
pub struct ConsoleServer {
    pub listener: TcpListener,
    /// The same bank at the address of the console.
    pub bank: Arc<AppState>,
    /// Whether the listener has the TLS of the public one.
    pub has_tls: bool,
}

/// The console on a listener of its own: the same bank at another address, with rate limits of its own.
pub fn open(
    config: &Config,
    listener: Option<TcpListener>,
    bank: &Arc<AppState>,
) -> Result<Option<ConsoleServer>, String> {
    let Some(listener) = listener else { return Ok(None) };
    let bound = listener.local_addr().map_err(|error| error.to_string())?;
    let public_url = config.console_url(bound);
    tracing::info!(%bound, url = public_url, "console: listening");
    let settings = Settings { public_url, ..bank.settings.clone() };
    let public = bank.clone();
    let bank = AppState::new(bank.app.clone(), settings, move || public.metrics());
    Ok(Some(ConsoleServer { listener, bank, has_tls: config.console.tls == Switch::On }))
}
