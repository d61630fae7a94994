//! All metrics with their help texts. docs/operations.md has the same names; a test compares them with what is served.

use ::metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

#[derive(Clone, Copy)]
enum Kind {
    Counter,
    Gauge,
    Histogram,
}

use Kind::{Counter, Gauge, Histogram};

/// The commit of the build, which packages set.
const COMMIT: &str = match option_env!("TRAPEZA_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

#[rustfmt::skip]
const ALL: &[(Kind, &str, &str)] = &[
    (Gauge, "trapeza_build_info", "Version and commit of the program; the value is 1."),
    (Counter, "trapeza_requests_total", "Requests by route, method and status."),
    (Histogram, "trapeza_request_seconds", "Time from a request's header to its response."),
    (Gauge, "trapeza_connections", "Open connections to the main port."),
    (Counter, "trapeza_request_log_skipped_total", "Requests that are not in the request log, because there were too many."),
    (Counter, "trapeza_rate_limited_total", "Requests that a rate limit has refused, by limit."),
    (Gauge, "trapeza_store_queue_jobs", "Jobs that wait for a writer (SQLite) or a connection (PostgreSQL), by priority."),
    (Histogram, "trapeza_store_queue_wait_seconds", "Time that a job has waited in the queue of the store."),
    (Counter, "trapeza_store_queue_rejected_total", "Jobs that a full queue has rejected; their requests got 503."),
    (Histogram, "trapeza_sqlite_sync_seconds", "Time of a sync of the WAL."),
    (Gauge, "trapeza_sqlite_wal_bytes", "Length of the WAL since its last restart."),
    (Histogram, "trapeza_sqlite_checkpoint_seconds", "Time of a checkpoint."),
    (Counter, "trapeza_sqlite_checkpoint_errors_total", "Checkpoints that have failed. See the log."),
    (Gauge, "trapeza_postgres_connections_max", "Size of the pool of connections (store.postgres_threads)."),
    (Gauge, "trapeza_postgres_connections", "Connections that are open, and those of them that are in use."),
    (Counter, "trapeza_postgres_retries_total", "Repeated transactions, after a serialisation conflict or a lost connection."),
    (Counter, "trapeza_postgres_errors_total", "Failed connection attempts, transactions that failed, and those given up after retries."),
    (Gauge, "trapeza_sweep_last_success_timestamp_seconds", "When the last complete sweep ended, as Unix time."),
    (Histogram, "trapeza_sweep_seconds", "Time of a sweep."),
    (Gauge, "trapeza_sweep_lag_seconds", "Age of the oldest deadline that has passed and was not processed."),
    (Gauge, "trapeza_sms_waiting_messages", "SMS that wait for the gateway."),
    (Gauge, "trapeza_sms_oldest_waiting_seconds", "Age of the oldest SMS that waits."),
    (Gauge, "trapeza_callbacks_waiting_messages", "Callbacks that wait for a delivery attempt."),
    (Gauge, "trapeza_callbacks_oldest_waiting_seconds", "Age of the oldest callback that waits."),
    (Gauge, "trapeza_callbacks_dead_messages", "Callbacks that were given up and not replayed."),
    (Counter, "trapeza_callback_attempts_total", "Attempts to deliver a callback, by outcome."),
    (Histogram, "trapeza_callback_seconds", "Time of an attempt to deliver a callback."),
    (Gauge, "trapeza_clearing_oldest_unanswered_seconds", "Age of the oldest payment that was submitted to clearing and has no status report."),
    (Counter, "trapeza_clearing_unanswered_total", "Payments without a status report from clearing for a day. Ask the clearing house."),
    (Counter, "trapeza_clearing_errors_total", "Clearing files that could not be written or read. See the log."),
    (Counter, "trapeza_clearing_mismatches_total", "Clearing reports that contradict the bank's books. See the log and `trapeza clearing list`."),
    (Gauge, "trapeza_certificate_left_days", "Days until the first certificate of a kind ends: server, client_ca, client_crl, seal, seal_ca, seal_crl, application."),
    (Counter, "trapeza_telemetry_spans_exported_total", "Spans that the collector has accepted."),
    (Counter, "trapeza_telemetry_spans_dropped_total", "Spans that were dropped: the queue was full, or the collector did not accept them."),
    (Gauge, "process_resident_memory_bytes", "Resident memory of the process."),
    (Gauge, "process_open_fds", "Open file descriptors of the process."),
    (Gauge, "process_max_fds", "Limit of open file descriptors of the process."),
    (Gauge, "process_threads", "Threads of the process."),
    (Counter, "process_cpu_seconds_total", "Processor time of the process, in whole seconds."),
    (Gauge, "process_start_time_seconds", "When the process started, as Unix time."),
];

/// Adds the help texts.
pub(super) fn describe() {
    for (kind, name, help) in ALL {
        match kind {
            Counter => describe_counter!(*name, *help),
            Gauge => describe_gauge!(*name, *help),
            Histogram => describe_histogram!(*name, *help),
        }
    }
}

/// Creates series that would otherwise appear with their first event: an alert on an increase needs the zero before it.
pub(super) fn register() {
    gauge!("trapeza_build_info", "version" => env!("CARGO_PKG_VERSION"), "commit" => COMMIT).set(1.0);
    for outcome in ["delivered", "failed", "gone"] {
        counter!("trapeza_callback_attempts_total", "outcome" => outcome).increment(0);
    }
    drop(histogram!("trapeza_callback_seconds"));
    for name in [
        "trapeza_clearing_unanswered_total",
        "trapeza_clearing_errors_total",
        "trapeza_clearing_mismatches_total",
        "trapeza_telemetry_spans_exported_total",
        "trapeza_telemetry_spans_dropped_total",
    ] {
        counter!(name).increment(0);
    }
    counter!("trapeza_rate_limited_total", "limit" => "payee_mismatches").increment(0);
}
