//! Metrics in Prometheus text format for `/metrics`.
//!
//! Other crates use the `metrics` macros; the recorder is installed here. Counters and histograms are updated as things happen,
//! gauges when the metrics are read ([`Metrics::render`]) or every few seconds ([`sampler`]). Labels are route templates,
//! statuses and kinds, never ids, so that the number of series is bounded.

mod catalogue;
mod process;
pub mod sampler;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::time::Duration;
use trapeza_store::Store;

/// Suffix of histograms in seconds.
const SECONDS_SUFFIX: &str = "_seconds";
/// Buckets from a cached read to the request timeout.
const SECONDS_BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// The recorder buffers samples until its upkeep runs; without it memory grows while nothing scrapes.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

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
        catalogue::describe();
        catalogue::register();
        process::record_start();
        let maintained = handle.clone();
        let thread = std::thread::Builder::new().name("metrics-upkeep".to_owned());
        let spawned = thread.spawn(move || {
            loop {
                std::thread::sleep(UPKEEP_INTERVAL);
                maintained.run_upkeep();
            }
        });
        spawned.map_err(|e| format!("cannot start the metrics' upkeep: {e}"))?;
        Ok(Self { handle })
    }

    /// The whole page, with the gauges of the store and the process as of now.
    pub fn render(&self, store: &Store) -> String {
        store.metrics_sample();
        process::sample();
        self.handle.render()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_metrics_are_rendered_with_their_help() {
        let page = Metrics::install().unwrap();
        ::metrics::counter!("trapeza_test_calls_total", "route" => "/v1/accounts").increment(2);
        ::metrics::histogram!("trapeza_test_seconds").record(0.003);
        process::sample();
        let text = page.handle.render();
        assert!(text.contains("trapeza_test_calls_total{route=\"/v1/accounts\"} 2"), "{text}");
        assert!(text.contains("trapeza_test_seconds_bucket{le=\"0.005\"} 1"), "{text}");
        let value = |name: &str| {
            let line =
                text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{text}"));
            line.trim().parse::<f64>().unwrap()
        };
        for name in ["process_resident_memory_bytes ", "process_open_fds ", "process_threads "] {
            assert!(value(name) >= 1.0, "{name}");
        }
        assert!(value("process_max_fds ") > value("process_open_fds "));
        assert!(text.contains("# HELP trapeza_build_info "), "{text}");
    }
}
