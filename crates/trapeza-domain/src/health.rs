//! Figures of the health of the bank: which metrics they come from, and their course over the last days.

use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Interval of the samples.
pub const SAMPLE_INTERVAL: TimeDelta = TimeDelta::minutes(5);
/// How long before a period samples are read, to know what its counters began with.
pub const BASELINE: TimeDelta = TimeDelta::hours(1);
/// How long samples are stored.
pub const SAMPLE_TTL: TimeDelta = TimeDelta::days(8);

string_enum! {
    pub enum HealthFigure {
        Requests = "requests",
        ServerErrors = "server_errors",
        RateLimited = "rate_limited",
        QueueJobs = "queue_jobs",
        QueueRejected = "queue_rejected",
        WalBytes = "wal_bytes",
        PostgresConnections = "postgres_connections",
        PostgresRetries = "postgres_retries",
        SweepLag = "sweep_lag",
        SmsWaiting = "sms_waiting",
        CallbacksWaiting = "callbacks_waiting",
        CallbacksDead = "callbacks_dead",
        ClearingUnanswered = "clearing_unanswered",
        Memory = "memory",
    }
}

/// The value of a figure in a process at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthSample {
    pub process: Uuid,
    pub at: Timestamp,
    pub figure: HealthFigure,
    pub value: i64,
}

/// The course of a figure: the sum over all processes in each interval in which there was a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthSeries {
    pub figure: HealthFigure,
    pub points: Vec<(Timestamp, i64)>,
}

impl HealthFigure {
    pub const fn title(self) -> &'static str {
        match self {
            Self::Requests => "Requests",
            Self::ServerErrors => "Requests that failed on our side (5xx)",
            Self::RateLimited => "Requests refused by a rate limit",
            Self::QueueJobs => "Jobs that wait for the database",
            Self::QueueRejected => "Jobs rejected by a full queue",
            Self::WalBytes => "Length of the WAL (SQLite)",
            Self::PostgresConnections => "Connections in use (PostgreSQL)",
            Self::PostgresRetries => "Repeated transactions (PostgreSQL)",
            Self::SweepLag => "Lag of the sweep",
            Self::SmsWaiting => "SMS that wait",
            Self::CallbacksWaiting => "Callbacks that wait",
            Self::CallbacksDead => "Callbacks given up",
            Self::ClearingUnanswered => "Oldest payment without an answer of clearing",
            Self::Memory => "Memory",
        }
    }

    pub const fn unit(self) -> &'static str {
        match self {
            Self::WalBytes | Self::Memory => "bytes",
            Self::SweepLag | Self::ClearingUnanswered => "seconds",
            Self::PostgresConnections => "connections",
            Self::QueueJobs | Self::QueueRejected => "jobs",
            Self::Requests | Self::ServerErrors | Self::RateLimited => "requests in 5 minutes",
            Self::PostgresRetries => "in 5 minutes",
            Self::SmsWaiting | Self::CallbacksWaiting | Self::CallbacksDead => "messages",
        }
    }

    /// Counters only grow while a process runs; what counts is their growth.
    pub const fn is_counter(self) -> bool {
        matches!(
            self,
            Self::Requests
                | Self::ServerErrors
                | Self::RateLimited
                | Self::QueueRejected
                | Self::PostgresRetries
        )
    }

    /// The name of the metric, and what its labels must contain.
    const fn metric(self) -> (&'static str, &'static str) {
        match self {
            Self::Requests => ("trapeza_requests_total", ""),
            Self::ServerErrors => ("trapeza_requests_total", "status=\"5"),
            Self::RateLimited => ("trapeza_rate_limited_total", ""),
            Self::QueueJobs => ("trapeza_store_queue_jobs", ""),
            Self::QueueRejected => ("trapeza_store_queue_rejected_total", ""),
            Self::WalBytes => ("trapeza_sqlite_wal_bytes", ""),
            Self::PostgresConnections => ("trapeza_postgres_connections", "state=\"in_use\""),
            Self::PostgresRetries => ("trapeza_postgres_retries_total", ""),
            Self::SweepLag => ("trapeza_sweep_lag_seconds", ""),
            Self::SmsWaiting => ("trapeza_sms_waiting_messages", ""),
            Self::CallbacksWaiting => ("trapeza_callbacks_waiting_messages", ""),
            Self::CallbacksDead => ("trapeza_callbacks_dead_messages", ""),
            Self::ClearingUnanswered => ("trapeza_clearing_oldest_unanswered_seconds", ""),
            Self::Memory => ("process_resident_memory_bytes", ""),
        }
    }

    /// Whether the figure describes the database or the bank, which every process reports alike, and not the process.
    const fn is_shared(self) -> bool {
        matches!(
            self,
            Self::SweepLag
                | Self::SmsWaiting
                | Self::CallbacksWaiting
                | Self::CallbacksDead
                | Self::ClearingUnanswered
        )
    }
}

/// The figures of a page of metrics in Prometheus text format; without those of the other engine, which have no metric.
pub fn figures_of(page: &str) -> Vec<(HealthFigure, i64)> {
    let mut found: BTreeMap<HealthFigure, i64> = BTreeMap::new();
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        let Some((series, value)) = line.rsplit_once(' ') else { continue };
        // Parts of a second and of a byte do not matter.
        let whole = value.split('.').next().unwrap_or_default();
        let Ok(value) = whole.parse::<i64>() else { continue };
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        for figure in HealthFigure::ALL {
            let (metric, label) = figure.metric();
            if name == metric && labels.contains(label) {
                *found.entry(*figure).or_default() += value;
            }
        }
    }
    // No request has failed yet: the series does not exist.
    if found.contains_key(&HealthFigure::Requests) {
        found.entry(HealthFigure::ServerErrors).or_default();
    }
    found.into_iter().collect()
}

/// The course of each figure since a time. Samples are in the order of their times and begin by [`BASELINE`] earlier, so that a
/// counter that a process began before is shown by its growth and not by its value.
pub fn series(samples: &[HealthSample], since: Timestamp) -> Vec<HealthSeries> {
    let mut before: BTreeMap<(HealthFigure, Uuid), i64> = BTreeMap::new();
    let mut sums: BTreeMap<HealthFigure, BTreeMap<i64, i64>> = BTreeMap::new();
    for sample in samples {
        let value = match sample.figure.is_counter() {
            false => sample.value,
            true => match before.insert((sample.figure, sample.process), sample.value) {
                Some(last) => (sample.value - last).max(0),
                // A process that started later: what it has counted is its growth.
                None => sample.value,
            },
        };
        if sample.at < since {
            continue;
        }
        let interval = sample.at.0.div_euclid(SAMPLE_INTERVAL.0);
        let sum = sums.entry(sample.figure).or_default().entry(interval).or_default();
        *sum = if sample.figure.is_shared() { value.max(*sum) } else { *sum + value };
    }
    let at = |interval: i64| Timestamp(interval * SAMPLE_INTERVAL.0);
    let each = sums.into_iter().map(|(figure, sums)| HealthSeries {
        figure,
        points: sums.into_iter().map(|(interval, sum)| (at(interval), sum)).collect(),
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_sums_over_the_series_of_a_metric() {
        let page = "# HELP trapeza_requests_total Requests.\n\
            trapeza_requests_total{route=\"/a\",status=\"200\"} 7\n\
            trapeza_requests_total{route=\"/a\",status=\"503\"} 2\n\
            trapeza_requests_totals 100\n\
            trapeza_sweep_lag_seconds 1.6\n\
            trapeza_postgres_connections{state=\"open\"} 8\n\
            trapeza_postgres_connections{state=\"in_use\"} 3\n";
        assert_eq!(
            figures_of(page),
            [
                (HealthFigure::Requests, 9),
                (HealthFigure::ServerErrors, 2),
                (HealthFigure::PostgresConnections, 3),
                (HealthFigure::SweepLag, 1),
            ]
        );
    }

    #[test]
    fn series_has_the_growth_of_counters_and_the_sum_over_processes() {
        let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let sample = |process, minutes, figure, value| HealthSample {
            process,
            at: Timestamp(TimeDelta::minutes(minutes).0),
            figure,
            value,
        };
        let samples = [
            sample(first, 0, HealthFigure::Requests, 10),
            sample(second, 1, HealthFigure::Requests, 5),
            sample(first, 5, HealthFigure::Requests, 25),
            sample(second, 6, HealthFigure::Requests, 5),
            // A new process began at zero.
            sample(first, 10, HealthFigure::Requests, 3),
            sample(first, 0, HealthFigure::SmsWaiting, 4),
            sample(second, 0, HealthFigure::SmsWaiting, 4),
        ];
        let at = |minutes| Timestamp(TimeDelta::minutes(minutes).0);
        let requests = vec![(at(0), 15), (at(5), 15), (at(10), 0)];
        assert_eq!(
            series(&samples, at(0)),
            [
                HealthSeries { figure: HealthFigure::Requests, points: requests },
                HealthSeries { figure: HealthFigure::SmsWaiting, points: vec![(at(0), 4)] },
            ]
        );
        // What was counted before the period is not part of it.
        let requests = vec![(at(5), 15), (at(10), 0)];
        assert_eq!(
            series(&samples, at(5)),
            [HealthSeries { figure: HealthFigure::Requests, points: requests }]
        );
    }
}
