//! Counts and times responses by route, method and status.
//!
//! Metric handles are cached: building their labels for every response would cost more than counting.

use axum::http::{Method, StatusCode};
use foldhash::fast::RandomState;
use metrics::{Counter, Histogram, counter, histogram};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// The methods that get a series of their own. Callers can invent others, which share the label `other`.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/// The name of a method that the bank knows, otherwise `other`: a caller may send any word, of any length.
pub fn method_name(method: &Method) -> &'static str {
    METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

/// The handles by route; a route has a handful of methods and statuses.
#[derive(Default)]
pub struct RequestMetrics(RwLock<HashMap<String, Vec<RouteMetrics>, RandomState>>);

struct RouteMetrics {
    method: &'static str,
    status: StatusCode,
    count: Counter,
    seconds: Histogram,
}

impl RequestMetrics {
    /// Records one response. The route is a template, never the path as sent.
    pub fn record(&self, route: &str, method: &Method, status: StatusCode, took: Duration) {
        let method = method_name(method);
        if !self.record_cached(route, method, status, took) {
            let entry = RouteMetrics::new(route, method, status);
            // Two threads may both add an entry; their handles refer to the same counters.
            let mut series = self.0.write().unwrap_or_else(PoisonError::into_inner);
            entry.record(took);
            series.entry(route.to_owned()).or_default().push(entry);
        }
    }

    fn record_cached(&self, route: &str, method: &'static str, status: StatusCode, took: Duration) -> bool {
        let series = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut of_route = series.get(route).into_iter().flatten();
        let found = of_route.find(|entry| entry.method == method && entry.status == status);
        found.inspect(|entry| entry.record(took)).is_some()
    }
}

impl RouteMetrics {
    fn new(route: &str, method: &'static str, status: StatusCode) -> Self {
        let labels = [
            ("method", method.to_owned()),
            ("route", route.to_owned()),
            ("status", status.as_str().to_owned()),
        ];
        Self {
            method,
            status,
            count: counter!("trapeza_requests_total", &labels),
            seconds: histogram!("trapeza_request_seconds", &labels),
        }
    }

    fn record(&self, took: Duration) {
        self.count.increment(1);
        self.seconds.record(took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cached(metrics: &RequestMetrics, route: &str) -> Vec<(&'static str, u16)> {
        let all = metrics.0.read().unwrap();
        all[route].iter().map(|entry| (entry.method, entry.status.as_u16())).collect()
    }

    #[test]
    fn handles_are_cached_by_method_and_status() {
        let metrics = RequestMetrics::default();
        for _ in 0..3 {
            metrics.record("/v1/a", &Method::GET, StatusCode::OK, Duration::ZERO);
            metrics.record("/v1/a", &Method::GET, StatusCode::NOT_FOUND, Duration::ZERO);
            metrics.record("/v1/b", &Method::PUT, StatusCode::OK, Duration::ZERO);
        }
        assert_eq!(cached(&metrics, "/v1/a"), [("GET", 200), ("GET", 404)]);
        assert_eq!(cached(&metrics, "/v1/b"), [("PUT", 200)]);
    }

    #[test]
    fn unknown_methods_share_one_series() {
        let metrics = RequestMetrics::default();
        for name in ["BREW", "PROPFIND", "get"] {
            let method = Method::from_bytes(name.as_bytes()).unwrap();
            metrics.record("none", &method, StatusCode::NOT_FOUND, Duration::ZERO);
        }
        assert_eq!(cached(&metrics, "none"), [("other", 404)]);
    }
}
