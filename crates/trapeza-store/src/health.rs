//! Samples of the health of processes.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::health::{HealthFigure, HealthSample};
use trapeza_domain::time::Timestamp;

impl Tx<'_> {
    pub fn health_sample_insert(&mut self, sample: &HealthSample) -> Result<(), StoreError> {
        self.execute_deferred(
            "INSERT INTO health_sample (sampled_at, process, figure, value) VALUES ($1, $2, $3, $4)
             ON CONFLICT DO NOTHING",
            params![sample.at, sample.process, sample.figure.name(), sample.value],
        )
    }

    /// The samples of all processes since a time, in the order of their times.
    pub fn health_sample_list(&mut self, since: Timestamp) -> Result<Vec<HealthSample>, StoreError> {
        self.query(
            "SELECT process, sampled_at, figure, value FROM health_sample WHERE sampled_at >= $1 ORDER BY sampled_at",
            params![since],
            |row| {
                Ok(HealthSample {
                    process: row.read()?,
                    at: row.read()?,
                    figure: row.parse(HealthFigure::parse)?,
                    value: row.read()?,
                })
            },
        )
    }

    pub fn health_sample_purge(&mut self, before: Timestamp) -> Result<(), StoreError> {
        self.execute_deferred("DELETE FROM health_sample WHERE sampled_at < $1", params![before])
    }
}
