//! SIGHUP: reloads the TLS files and the log level without closing a connection.
//!
//! The configuration is read again, and from it only the paths of the TLS files and the level of the log are used; other
//! settings need a restart. What cannot be reloaded stays as it is, and the log has an error that names the file.

use crate::config::{Config, Sources};
use crate::{bootstrap, log::LogHandle};
use tokio::signal::unix::{Signal, SignalKind, signal};
use trapeza_http::server::SharedTlsConfig;

/// The signals that request a reload.
pub struct ReloadSignal(Signal);

impl ReloadSignal {
    /// Listens from now on. Before that the signal would end the process, so this comes first.
    pub fn listen() -> Result<Self, String> {
        let signal = signal(SignalKind::hangup());
        signal.map(Self).map_err(|error| format!("cannot install signal handlers: {error}"))
    }

    /// Reloads at each signal.
    pub async fn run(mut self, reloader: Reloader) {
        while self.0.recv().await.is_some() {
            tokio::task::block_in_place(|| reloader.reload());
        }
    }
}

/// What a reload changes.
pub struct Reloader {
    pub sources: Sources,
    /// The TLS configuration of the running server; `None` for plain HTTP.
    pub tls: Option<SharedTlsConfig>,
    pub log: LogHandle,
}

impl Reloader {
    fn reload(&self) {
        let config = match self.sources.load() {
            Ok(effective) => effective.config,
            Err(error) => {
                tracing::error!(%error, "reload: cannot load the configuration, all settings stay");
                return;
            }
        };
        match self.log.set_level(&config.log.level) {
            Ok(()) => tracing::info!(level = config.log.level, "reload: log level set"),
            Err(error) => tracing::error!(error, "reload: cannot set the log level, it stays"),
        }
        match self.reload_tls(&config) {
            Ok(()) => tracing::info!("reload: completed"),
            Err(error) => {
                tracing::error!(error, "reload: cannot use the TLS files, the old ones stay in use")
            }
        }
    }

    fn reload_tls(&self, config: &Config) -> Result<(), String> {
        match (&self.tls, bootstrap::tls(config)?) {
            (Some(shared), Some(tls)) => shared.replace(tls),
            (None, None) => {}
            _ => return Err("TLS cannot be turned on or off without a restart".to_owned()),
        }
        Ok(())
    }
}
