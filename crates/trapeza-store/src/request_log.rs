//! The log of requests that applications have sent, for their developers. Secrets are masked before they are stored.
//!
//! Rows are clustered by application and time: an id begins with the time of its request.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// How many rows one purge deletes.
pub const REQUEST_LOG_PURGE_ROWS: usize = 500;

/// A request without its headers and bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSummary {
    /// A UUID of version 7.
    pub id: Uuid,
    pub recorded_at: Timestamp,
    pub correlation: Uuid,
    /// The id of the operation in the OpenAPI document.
    pub operation: String,
    pub method: String,
    /// Path and query.
    pub target: String,
    pub status: i64,
    pub micros: i64,
}

/// A request with its response. Headers are lines of `name: value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    pub application: ApplicationId,
    pub summary: RequestSummary,
    pub request_headers: String,
    /// `None` when there was none, or when it was too long to store.
    pub request_body: Option<String>,
    pub response_headers: String,
    pub response_body: Option<String>,
}

/// Which requests a list shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestFilter {
    /// An operation; all when it is empty.
    pub operation: String,
    /// An HTTP method; all when it is empty.
    pub method: String,
    /// The lowest and highest status.
    pub statuses: (i64, i64),
    /// No requests before this one.
    pub since: Uuid,
    /// Requests before this one only.
    pub before: Uuid,
}

impl Default for RequestFilter {
    fn default() -> Self {
        Self {
            operation: String::new(),
            method: String::new(),
            statuses: (0, 999),
            since: Uuid::nil(),
            before: Uuid::max(),
        }
    }
}

macro_rules! summary_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, recorded_at, correlation_id, operation, method, target, status, duration_micros",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn request_log_insert(&mut self, record: &RequestRecord) -> Result<(), StoreError> {
        let summary = &record.summary;
        self.execute_deferred(
            "INSERT INTO request_log (application, id, recorded_at, correlation_id, operation, method, target, status,
                duration_micros, request_headers, request_body, response_headers, response_body)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            params![
                record.application,
                summary.id,
                summary.recorded_at,
                summary.correlation,
                &summary.operation,
                &summary.method,
                &summary.target,
                summary.status,
                summary.micros,
                &record.request_headers,
                record.request_body.as_deref(),
                &record.response_headers,
                record.response_body.as_deref()
            ],
        )
    }

    /// The requests of an application, newest first.
    pub fn request_log_list(
        &mut self,
        application: ApplicationId,
        filter: &RequestFilter,
        limit: i64,
    ) -> Result<Vec<RequestSummary>, StoreError> {
        let (lowest, highest) = filter.statuses;
        self.query(
            summary_columns!(
                " FROM request_log WHERE application = $1 AND id < $2 AND id >= $3 AND ($4 = '' OR operation = $4)
                  AND ($5 = '' OR method = $5) AND status BETWEEN $6 AND $7 ORDER BY id DESC LIMIT $8"
            ),
            params![
                application,
                filter.before,
                filter.since,
                &filter.operation,
                &filter.method,
                lowest,
                highest,
                limit
            ],
            summary,
        )
    }

    /// The requests of an application with a correlation id.
    pub fn request_log_by_correlation(
        &mut self,
        application: ApplicationId,
        correlation: Uuid,
    ) -> Result<Vec<RequestSummary>, StoreError> {
        self.query(
            summary_columns!(
                " FROM request_log WHERE application = $1 AND correlation_id = $2 ORDER BY id DESC"
            ),
            params![application, correlation],
            summary,
        )
    }

    /// The operations that are in the log of an application, by name.
    pub fn request_log_operations(&mut self, application: ApplicationId) -> Result<Vec<String>, StoreError> {
        self.query(
            "SELECT DISTINCT operation FROM request_log WHERE application = $1 ORDER BY operation",
            params![application],
            |row| row.read(),
        )
    }

    pub fn request_log_find(
        &mut self,
        application: ApplicationId,
        id: Uuid,
    ) -> Result<Option<RequestRecord>, StoreError> {
        self.query_opt(
            summary_columns!(
                ", request_headers, request_body, response_headers, response_body
                 FROM request_log WHERE application = $1 AND id = $2"
            ),
            params![application, id],
            |row| {
                Ok(RequestRecord {
                    application,
                    summary: summary(row)?,
                    request_headers: row.read()?,
                    request_body: row.read()?,
                    response_headers: row.read()?,
                    response_body: row.read()?,
                })
            },
        )
    }

    /// The newest request of an application that is followed by at least `rows` newer ones.
    pub fn request_log_excess(
        &mut self,
        application: ApplicationId,
        rows: i64,
    ) -> Result<Option<Uuid>, StoreError> {
        self.query_opt(
            "SELECT id FROM request_log WHERE application = $1 ORDER BY id DESC LIMIT 1 OFFSET $2",
            params![application, rows],
            |row| row.read(),
        )
    }

    /// Deletes requests of an application up to an id, the oldest first. Returns how many they were, at most
    /// [`REQUEST_LOG_PURGE_ROWS`].
    pub fn request_log_purge(
        &mut self,
        application: ApplicationId,
        until: Uuid,
    ) -> Result<usize, StoreError> {
        let limit = i64::try_from(REQUEST_LOG_PURGE_ROWS).unwrap_or(i64::MAX);
        let deleted = self.execute(
            "DELETE FROM request_log WHERE application = $1 AND id IN (
                SELECT id FROM request_log WHERE application = $1 AND id <= $2 ORDER BY id LIMIT $3)",
            params![application, until, limit],
        )?;
        Ok(usize::try_from(deleted).unwrap_or(usize::MAX))
    }
}

fn summary(row: &mut RowReader<'_>) -> Result<RequestSummary, StoreError> {
    Ok(RequestSummary {
        id: row.read()?,
        recorded_at: row.read()?,
        correlation: row.read()?,
        operation: row.read()?,
        method: row.read()?,
        target: row.read()?,
        status: row.read()?,
        micros: row.read()?,
    })
}
