//! HTTP transport, shared by the JSON API and the pages: sockets and TLS, rate limits, request extraction, error responses.
//!
//! [`server`] accepts connections, [`service`] wraps every request, [`router`] finds the operation, [`extract`]
//! authenticates the caller and reads the request, [`error_response`] writes refusals. Which operations and pages exist is decided by `trapeza-api` and
//! `trapeza-web`.

pub mod berlin_group;
pub mod csrf;
mod error_context;
pub mod error_response;
pub mod extract;
pub mod message_code;
mod network;
pub mod operation;
mod proxy;
pub mod rate_limit;
mod reloadable;
pub mod request_log;
mod request_metrics;
pub mod response;
pub mod router;
mod routes;
pub mod schema;
pub mod server;
pub mod service;
pub mod session;
pub mod settings;
mod sign_in_budget;
pub mod signature;
pub mod transaction_writer;

pub use proxy::TrustedProxies;
pub use reloadable::Reloadable;
pub use routes::not_found;
pub use service::{HttpService, PageCall};
pub use settings::{
    BerlinGroupSettings, CamtVersion, CertificateMode, LinkForm, RateLimitSettings, Settings,
};

use crate::rate_limit::RateLimiter;
use crate::request_log::RequestLog;
use crate::request_metrics::RequestMetrics;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use trapeza_app::App;

/// Everything a handler may use.
pub struct AppState {
    pub app: Arc<App>,
    pub settings: Settings,
    /// Set when the process is about to end: `/readyz` fails while requests in progress are completed.
    pub draining: AtomicBool,
    /// Whether the last periodic write to the database succeeded: `/readyz` fails on a full disk.
    pub writable: AtomicBool,
    pub rate_limiter: RateLimiter,
    pub(crate) request_log: RequestLog,
    request_metrics: RequestMetrics,
    metrics: Box<dyn Fn() -> String + Send + Sync>,
}

impl AppState {
    pub fn new(
        app: Arc<App>,
        settings: Settings,
        metrics: impl Fn() -> String + Send + Sync + 'static,
    ) -> Arc<Self> {
        let rate_limiter = RateLimiter::new(settings.rate_limits);
        let request_log = RequestLog::new(settings.request_log.is_some());
        Arc::new(Self {
            app,
            settings,
            draining: AtomicBool::new(false),
            writable: AtomicBool::new(true),
            rate_limiter,
            request_log,
            request_metrics: RequestMetrics::default(),
            metrics: Box::new(metrics),
        })
    }

    /// The metrics of the process in the text format of Prometheus.
    pub fn metrics(&self) -> String {
        (self.metrics)()
    }

    /// Drops rate limit entries of callers that have been idle; called periodically, outside of requests.
    pub fn prune_rate_limits(&self) {
        self.rate_limiter.prune();
        self.request_log.prune();
        self.app.payee_budget_prune();
    }
}
