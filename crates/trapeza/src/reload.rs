//! Reloads the files of TLS and of seals when they change, and on SIGHUP these files and the log level, without closing a
//! connection.
//!
//! On SIGHUP the configuration is read again, and from it only the paths of these files and the level of the log are used;
//! other settings need a restart. What cannot be reloaded stays as it is, and the log has an error that names the file.

use crate::config::{Config, Sources};
use crate::log::LogHandle;
use crate::seal_files::RunningSeals;
use crate::tls_files::RunningTls;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

/// How often the files are compared with those in use.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// The signals that request a reload.
pub struct ReloadSignal(Signal);

impl ReloadSignal {
    /// Listens from now on. Before that the signal would end the process, so this comes first.
    pub fn listen() -> Result<Self, String> {
        let signal = signal(SignalKind::hangup());
        signal.map(Self).map_err(|error| format!("cannot install signal handlers: {error}"))
    }

    /// Reloads at each signal and when a file has changed.
    pub async fn run(mut self, mut reloader: Reloader) {
        let mut poll = interval(POLL_INTERVAL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                received = self.0.recv() => match received {
                    Some(()) => tokio::task::block_in_place(|| reloader.reload()),
                    None => return,
                },
                _ = poll.tick() => tokio::task::block_in_place(|| reloader.reload_changed_files()),
            }
        }
    }
}

/// What a reload changes.
pub struct Reloader {
    pub sources: Sources,
    /// The last configuration that was loaded.
    pub config: Config,
    pub tls: RunningTls,
    pub seals: RunningSeals,
    pub log: LogHandle,
}

impl Reloader {
    fn reload(&mut self) {
        self.config = match self.sources.load() {
            Ok(effective) => effective.config,
            Err(error) => {
                tracing::error!(%error, "reload: cannot load the configuration, all settings stay");
                return;
            }
        };
        let level = &self.config.log.level;
        match self.log.set_level(level) {
            Ok(()) => tracing::info!(level, "reload: log level set"),
            Err(error) => tracing::error!(error, "reload: cannot set the log level, it stays"),
        }
        if let Err(error) = self.seals.reload(&self.config) {
            tracing::error!(error, "reload: cannot use the files of the seals, the old ones stay in use");
        }
        match self.tls.reload(&self.config) {
            Ok(()) => tracing::info!("reload: completed"),
            Err(error) => {
                tracing::error!(error, "reload: cannot use the TLS files, the old ones stay in use")
            }
        }
    }

    /// Files that cannot be used, such as a certificate whose key is not there yet, are loaded again when they change again.
    fn reload_changed_files(&mut self) {
        if self.seals.have_files_changed(&self.config) {
            match self.seals.reload(&self.config) {
                Ok(()) => tracing::info!("reload: the files of the seals have changed and are in use"),
                Err(error) => {
                    tracing::error!(
                        error,
                        "reload: cannot use the changed files of the seals, the old ones stay in use"
                    )
                }
            }
        }
        if !self.tls.have_files_changed(&self.config) {
            return;
        }
        match self.tls.reload(&self.config) {
            Ok(()) => tracing::info!("reload: the TLS files have changed and are in use"),
            Err(error) => {
                tracing::error!(error, "reload: cannot use the changed TLS files, the old ones stay in use")
            }
        }
    }
}
