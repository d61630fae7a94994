//! The log of an application's requests: what its developers see of their own calls. It is bounded in time and in rows, and it may
//! have gaps: a request is never delayed or refused for it.

use crate::{App, UseCaseError};
use std::sync::Arc;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::REQUEST_LOG_PURGE_ROWS;
use uuid::Uuid;

pub use trapeza_store::{RequestFilter, RequestRecord, RequestSummary};

/// How many rows of an application are stored.
const MAX_ROWS: i64 = 5_000;
/// How many rows one transaction inserts.
const BATCH: usize = 100;

impl App {
    /// Stores requests. Their order is that of their ids.
    pub async fn request_log_insert(&self, records: Vec<RequestRecord>) -> Result<(), UseCaseError> {
        let records: Arc<[RequestRecord]> = records.into();
        for start in (0..records.len()).step_by(BATCH) {
            let records = records.clone();
            let job = self.store.write_background(move |tx| {
                let mut batch = records.iter().skip(start).take(BATCH);
                Ok(batch.try_for_each(|record| tx.request_log_insert(record))?)
            });
            job.await?;
        }
        Ok(())
    }

    /// The requests of an application, newest first.
    pub async fn request_log_list(
        &self,
        application: ApplicationId,
        filter: RequestFilter,
        limit: i64,
    ) -> Result<Vec<RequestSummary>, UseCaseError> {
        self.store.read(move |tx| Ok(tx.request_log_list(application, &filter, limit)?)).await
    }

    /// The requests of an application with a correlation id.
    pub async fn request_log_by_correlation(
        &self,
        application: ApplicationId,
        correlation: Uuid,
    ) -> Result<Vec<RequestSummary>, UseCaseError> {
        self.store.read(move |tx| Ok(tx.request_log_by_correlation(application, correlation)?)).await
    }

    /// A request of an application with its headers and bodies.
    pub async fn request_log_find(
        &self,
        application: ApplicationId,
        id: Uuid,
    ) -> Result<Option<RequestRecord>, UseCaseError> {
        self.store.read(move |tx| Ok(tx.request_log_find(application, id)?)).await
    }

    /// Deletes requests that are older than `retention`, and the oldest of applications that have too many. Returns how many they were.
    pub async fn request_log_purge(&self, retention: TimeDelta) -> Result<usize, UseCaseError> {
        let expired = first_id_of(self.now().minus(retention));
        let applications = self.store.read(move |tx| Ok(tx.application_list()?)).await?;
        let mut purged = 0;
        for application in applications.iter().map(|record| record.application.id) {
            loop {
                let job = self.store.write_background(move |tx| {
                    let excess = tx.request_log_excess(application, MAX_ROWS)?;
                    Ok(tx.request_log_purge(application, excess.map_or(expired, |id| id.max(expired)))?)
                });
                let deleted = job.await?;
                purged += deleted;
                if deleted < REQUEST_LOG_PURGE_ROWS {
                    break;
                }
            }
        }
        Ok(purged)
    }
}

/// No id of a request at or after this time is smaller.
pub fn first_id_of(time: Timestamp) -> Uuid {
    let millis = u128::try_from(time.0 / 1_000).unwrap_or(0);
    Uuid::from_u128(millis << 80)
}
