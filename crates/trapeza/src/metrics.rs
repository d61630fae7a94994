//! Metrics in Prometheus text format for `/metrics`.
//!
//! Other crates use the `metrics` macros; the recorder is installed here. Labels are route templates, statuses and kinds,
//! never ids, so that the number of series is bounded.

use ::metrics::{Unit, describe_counter, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::time::Duration;

/// Suffix of histograms in seconds.
const SECONDS_SUFFIX: &str = "_seconds";
/// Buckets from a cached read to the request timeout.
const SECONDS_BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// The recorder buffers samples until its upkeep runs; without it memory grows while nothing scrapes.
const UPKEEP: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
}

impl Metrics {
    /// Installs the recorder for the whole process; can be called once.
    pub fn install() -> Result<Self, String> {
        let broken = |e| format!("cannot install the metrics: {e}");
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix(SECONDS_SUFFIX.to_owned()), &SECONDS_BUCKETS)
            .map_err(broken)?;
        let handle = builder.install_recorder().map_err(broken)?;
        describe();
        let upkept = handle.clone();
        let thread = std::thread::Builder::new().name("metrics-upkeep".to_owned());
        let spawned = thread.spawn(move || {
            loop {
                std::thread::sleep(UPKEEP);
                upkept.run_upkeep();
            }
        });
        spawned.map_err(|e| format!("cannot start the metrics' upkeep: {e}"))?;
        Ok(Self { handle })
    }

    /// The whole page.
    pub fn render(&self) -> String {
        self.handle.render()
    }
}

/// The help texts.
fn describe() {
    describe_counter!("trapeza_requests_total", "Requests by route, method and status.");
    describe_histogram!(
        "trapeza_request_seconds",
        Unit::Seconds,
        "Time from a request's header to its response."
    );
    describe_counter!("trapeza_callback_attempts_total", "Attempts to deliver a callback, by outcome.");
    describe_histogram!(
        "trapeza_callback_seconds",
        Unit::Seconds,
        "Time of an attempt to deliver a callback."
    );
    describe_counter!(
        "trapeza_clearing_unanswered_total",
        "Payments without a status report from clearing for a day. Ask the clearing house."
    );
    describe_counter!(
        "trapeza_clearing_errors_total",
        "Clearing files that could not be written or read. See the log."
    );
    describe_counter!(
        "trapeza_clearing_mismatches_total",
        "Clearing reports that contradict the bank's books. See the log and `trapeza clearing list`."
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_metrics_are_rendered() {
        let page = Metrics::install().unwrap();
        ::metrics::counter!("trapeza_test_calls_total", "route" => "/v1/accounts").increment(2);
        ::metrics::histogram!("trapeza_test_seconds").record(0.003);
        let text = page.render();
        assert!(text.contains("trapeza_test_calls_total{route=\"/v1/accounts\"} 2"), "{text}");
        assert!(text.contains("trapeza_test_seconds_bucket{le=\"0.005\"} 1"), "{text}");
        ::metrics::counter!("trapeza_requests_total").increment(1);
        assert!(page.render().contains("# HELP trapeza_requests_total "), "{}", page.render());
    }
}
