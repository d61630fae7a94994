//! What monitoring reads: work that waits, certificates that end, and the course of the bank's figures.

use crate::{App, UseCaseError};
use trapeza_domain::health::{BASELINE, HealthSample, HealthSeries, SAMPLE_TTL, figures_of, series};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::Backlog;

impl App {
    /// Work that waits, as of now.
    pub async fn backlog(&self) -> Result<Backlog, UseCaseError> {
        let now = self.now();
        self.store.read(move |tx| Ok(tx.backlog_find(now)?)).await
    }

    /// Stores the figures of this process from its page of metrics, and deletes old ones. By the system clock: that of a sandbox is
    /// moved, and days of real time are what the graphs show.
    pub async fn health_record(&self, metrics: &str) -> Result<(), UseCaseError> {
        let (process, at) = (self.process_id(), self.clock.system_now());
        let samples: Vec<HealthSample> = figures_of(metrics)
            .into_iter()
            .map(|(figure, value)| HealthSample { process, at, figure, value })
            .collect();
        self.store
            .write_background(move |tx| {
                for sample in &samples {
                    tx.health_sample_insert(sample)?;
                }
                Ok(tx.health_sample_purge(at.minus(SAMPLE_TTL))?)
            })
            .await
    }

    /// The course of the figures of the last days.
    pub async fn health_series(&self, period: TimeDelta) -> Result<Vec<HealthSeries>, UseCaseError> {
        let since = self.clock.system_now().minus(period);
        let first = since.minus(BASELINE);
        let samples = self.store.read(move |tx| Ok(tx.health_sample_list(first)?)).await?;
        Ok(series(&samples, since))
    }

    /// When the last active certificate of each third party ends, the first to end first.
    pub async fn certificate_expiry_list(&self) -> Result<Vec<(ApplicationId, Timestamp)>, UseCaseError> {
        self.store.read(|tx| Ok(tx.certificate_expiry_list()?)).await
    }
}
