//! Metrics of the connections to PostgreSQL.

use metrics::{Counter, Gauge, counter, gauge};

/// The handles of all workers. A worker waits for a job and not a job for a connection, so the time in the queue is the wait
/// for a connection.
#[derive(Clone)]
pub(super) struct PostgresMetrics {
    pub(super) open: Gauge,
    pub(super) in_use: Gauge,
    pub(super) retries_conflict: Counter,
    pub(super) retries_disconnect: Counter,
    pub(super) errors_connect: Counter,
    pub(super) errors_retries_exhausted: Counter,
    pub(super) errors_transaction: Counter,
}

impl PostgresMetrics {
    pub(super) fn new(connections_max: usize) -> Self {
        gauge!("trapeza_postgres_connections_max").set(connections_max as f64);
        let retries = |reason: &'static str| counter!("trapeza_postgres_retries_total", "reason" => reason);
        let errors = |kind: &'static str| counter!("trapeza_postgres_errors_total", "kind" => kind);
        Self {
            open: gauge!("trapeza_postgres_connections", "state" => "open"),
            in_use: gauge!("trapeza_postgres_connections", "state" => "in_use"),
            retries_conflict: retries("conflict"),
            retries_disconnect: retries("disconnect"),
            errors_connect: errors("connect"),
            errors_retries_exhausted: errors("retries_exhausted"),
            errors_transaction: errors("transaction"),
        }
    }
}

/// Counts in a gauge as long as it is held.
pub(super) struct Counted(Gauge);

impl Counted {
    pub(super) fn new(gauge: &Gauge) -> Self {
        gauge.increment(1.0);
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}
