//! The bank over HTTP: the only place that knows its wire forms.
//!
//! [`operation`] lists what there is, [`routes`] says which handler answers it, [`table`] finds it, [`call`] lets callers in, `api/` asks the
//! app, `wire/` reads and writes bodies, [`refuse`] says no. No SQL is known here and nothing is decided.

mod answer;
mod api;
mod call;
pub mod docs;
mod header;
mod layer;
mod limit;
pub mod message_code;
pub mod operation;
mod pages;
mod path;
mod query;
pub mod refuse;
mod routes;
pub mod server;
mod settings;
mod table;
mod wire;

pub use layer::Edge;
pub use settings::{CertificateMode, Rates, Settings};

use crate::limit::Limits;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use trapeza_app::App;

/// Everything a handler may reach.
pub struct Bank {
    pub app: Arc<App>,
    pub settings: Settings,
    /// Set when the process is about to end: not ready, while what is under way is finished.
    pub draining: AtomicBool,
    docs: docs::Served,
    limits: Limits,
    series: layer::Series,
    metrics: Box<dyn Fn() -> String + Send + Sync>,
}

impl Bank {
    pub fn new(
        app: Arc<App>,
        settings: Settings,
        metrics: impl Fn() -> String + Send + Sync + 'static,
    ) -> Arc<Self> {
        let limits = Limits::new(settings.rates);
        let draining = AtomicBool::new(false);
        let docs = docs::Served::default();
        let series = layer::Series::default();
        Arc::new(Self { app, settings, draining, docs, limits, series, metrics: Box::new(metrics) })
    }

    /// Housekeeping that no request should pay for.
    pub fn tidy(&self) {
        self.limits.tidy();
    }
}
