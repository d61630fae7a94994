//! Gauges that need the database, and the ends of certificates: sampled every 15 seconds, so that reading the metrics never
//! waits for the database.

use crate::certificate_watch::CertificateWatch;
use crate::seal_files::SealExpiry;
use crate::tls_files::SharedTlsExpiry;
use ::metrics::gauge;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};
use trapeza_app::{App, Backlog, UseCaseError};
use trapeza_domain::time::Timestamp;
use trapeza_http::Reloadable;

const INTERVAL: Duration = Duration::from_secs(15);

pub struct Sampler {
    app: Arc<App>,
    tls: SharedTlsExpiry,
    seals: Reloadable<SealExpiry>,
    watch: CertificateWatch,
}

impl Sampler {
    pub fn new(app: Arc<App>, tls: SharedTlsExpiry, seals: Reloadable<SealExpiry>) -> Self {
        Self { app, tls, seals, watch: CertificateWatch::default() }
    }

    /// Samples for as long as the future lives.
    pub async fn run(mut self) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = self.sample().await {
                tracing::warn!(%error, "metrics: work that waits could not be counted, retrying");
            }
        }
    }

    async fn sample(&mut self) -> Result<(), UseCaseError> {
        // Certificates are valid by the system clock, not by that of the bank.
        let system_now = self.app.clock().system_now();
        self.sample_files(system_now);
        set_backlog(&self.app.backlog().await?, self.app.now());
        let applications = self.app.certificate_expiry_list().await?;
        if let Some((_, first)) = applications.first() {
            CertificateWatch::measure("application", *first, system_now);
        }
        // A sandbox has third parties whose certificates are out of date on purpose.
        if !self.app.is_sandbox() {
            for (application, end) in applications {
                self.watch.warn(&format!("application {application}"), end, system_now);
            }
        }
        Ok(())
    }

    fn sample_files(&mut self, now: Timestamp) {
        let (tls, seals) = (self.tls.current(), self.seals.current());
        for (kind, end) in [
            ("server", tls.certificate),
            ("client_ca", tls.client_ca),
            ("client_crl", tls.client_crl),
            ("seal", seals.seal),
            ("seal_ca", seals.authorities),
            ("seal_crl", seals.revocation_lists),
        ] {
            if let Some(end) = end {
                CertificateWatch::measure(kind, end, now);
                self.watch.warn(kind, end, now);
            }
        }
    }
}

fn set_backlog(backlog: &Backlog, now: Timestamp) {
    for (name, count) in [
        ("trapeza_sms_waiting_messages", backlog.sms_waiting),
        ("trapeza_callbacks_waiting_messages", backlog.callbacks_waiting),
        ("trapeza_callbacks_dead_messages", backlog.callbacks_dead),
    ] {
        gauge!(name).set(count as f64);
    }
    for (name, oldest) in [
        ("trapeza_sms_oldest_waiting_seconds", backlog.sms_oldest),
        ("trapeza_callbacks_oldest_waiting_seconds", backlog.callbacks_oldest),
        ("trapeza_clearing_oldest_unanswered_seconds", backlog.clearing_oldest),
        ("trapeza_sweep_lag_seconds", backlog.sweep_oldest),
    ] {
        let age = oldest.map_or(0, |oldest| now.since(oldest).0);
        gauge!(name).set(Duration::from_micros(u64::try_from(age).unwrap_or(0)));
    }
}
