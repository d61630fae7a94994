//! How many answers there were and how long they took, by route, method and status.
//!
//! The counters are looked up once and kept: to make their labels anew for every answer would cost more than to count.

use axum::http::{Method, StatusCode};
use metrics::{Counter, Histogram, counter, histogram};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// The methods that somebody means. A caller may make up others, and must not make a series of each.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/// By route, since a route has a handful of methods and statuses.
#[derive(Default)]
pub struct Series(RwLock<HashMap<String, Vec<Answers>>>);

struct Answers {
    method: &'static str,
    status: StatusCode,
    count: Counter,
    seconds: Histogram,
}

impl Series {
    /// One more answer. The route is a template, never a path as sent.
    pub fn note(&self, route: &str, method: &Method, status: StatusCode, took: Duration) {
        let method = METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other");
        if !self.noted(route, method, status, took) {
            let answers = Answers::new(route, method, status);
            // Two that find nothing at once both add it: the counters behind are the same.
            let mut series = self.0.write().unwrap_or_else(PoisonError::into_inner);
            answers.note(took);
            series.entry(route.to_owned()).or_default().push(answers);
        }
    }

    fn noted(&self, route: &str, method: &'static str, status: StatusCode, took: Duration) -> bool {
        let series = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut of_route = series.get(route).into_iter().flatten();
        let found = of_route.find(|answers| answers.method == method && answers.status == status);
        found.inspect(|answers| answers.note(took)).is_some()
    }
}

impl Answers {
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

    fn note(&self, took: Duration) {
        self.count.increment(1);
        self.seconds.record(took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(series: &Series, route: &str) -> Vec<(&'static str, u16)> {
        let all = series.0.read().unwrap();
        all[route].iter().map(|answers| (answers.method, answers.status.as_u16())).collect()
    }

    #[test]
    fn each_kind_of_answer_is_looked_up_once() {
        let series = Series::default();
        for _ in 0..3 {
            series.note("/v1/a", &Method::GET, StatusCode::OK, Duration::ZERO);
            series.note("/v1/a", &Method::GET, StatusCode::NOT_FOUND, Duration::ZERO);
            series.note("/v1/b", &Method::PUT, StatusCode::OK, Duration::ZERO);
        }
        assert_eq!(kept(&series, "/v1/a"), [("GET", 200), ("GET", 404)]);
        assert_eq!(kept(&series, "/v1/b"), [("PUT", 200)]);
    }

    #[test]
    fn made_up_methods_are_one_series() {
        let series = Series::default();
        for name in ["BREW", "PROPFIND", "get"] {
            let method = Method::from_bytes(name.as_bytes()).unwrap();
            series.note("none", &method, StatusCode::NOT_FOUND, Duration::ZERO);
        }
        assert_eq!(kept(&series, "none"), [("other", 404)]);
    }
}
