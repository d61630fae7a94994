//! HTTP transport, shared by the JSON API and the pages: sockets and TLS, rate limits, request extraction, error responses.
//!
//! [`server`] accepts connections, [`service`] wraps every request, [`router`] finds the operation, [`call`] authenticates
//! the caller, [`error_response`] writes refusals. Which operations and pages exist is decided by `trapeza-api` and
//! `trapeza-web`.

pub mod call;
pub mod error_response;
pub mod header;
pub mod json;
pub mod message_code;
pub mod operation;
mod path;
pub mod qr;
pub mod query;
pub mod rate_limit;
mod request_metrics;
pub mod response;
pub mod router;
mod routes;
pub mod server;
pub mod service;
pub mod settings;

pub use service::Edge;
pub use settings::{CertificateMode, Rates, Settings};

use crate::rate_limit::Limits;
use crate::request_metrics::Series;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use trapeza_app::App;

/// Everything a handler may use.
pub struct Bank {
    pub app: Arc<App>,
    pub settings: Settings,
    /// Set when the process is about to end: `/readyz` fails while requests in progress are completed.
    pub draining: AtomicBool,
    pub limits: Limits,
    series: Series,
    metrics: Box<dyn Fn() -> String + Send + Sync>,
}

impl Bank {
    pub fn new(
        app: Arc<App>,
        settings: Settings,
        metrics: impl Fn() -> String + Send + Sync + 'static,
    ) -> Arc<Self> {
        let limits = Limits::new(settings.rates);
        let (draining, series) = (AtomicBool::new(false), Series::default());
        Arc::new(Self { app, settings, draining, limits, series, metrics: Box::new(metrics) })
    }

    /// The metrics of the process in the text format of Prometheus.
    pub fn metrics(&self) -> String {
        (self.metrics)()
    }

    /// Drops rate limit entries of callers that have been idle; called periodically, outside of requests.
    pub fn tidy(&self) {
        self.limits.tidy();
    }
}
