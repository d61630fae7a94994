//! Spans of requests to other systems.

use std::time::{Instant, SystemTime};
use trapeza_app::trace::{self, Attribute, FinishedSpan, SpanKind, TraceContext};

/// Measures a request to another system.
pub(crate) struct ClientSpan {
    pub(crate) context: TraceContext,
    parent: Option<[u8; 8]>,
    name: &'static str,
    started: (SystemTime, Instant),
}

impl ClientSpan {
    pub(crate) fn start(name: &'static str, context: TraceContext, parent: Option<[u8; 8]>) -> Self {
        Self { context, parent, name, started: (SystemTime::now(), Instant::now()) }
    }

    /// Records the span. The status is that of the response, if there was one.
    pub(crate) fn finish(self, status: Option<i64>, has_failed: bool) {
        let Self { context, parent, name, started } = self;
        trace::record(context, || FinishedSpan {
            context,
            parent,
            name: name.to_owned(),
            kind: SpanKind::Client,
            started: started.0,
            took: started.1.elapsed(),
            attributes: status
                .map(|status| ("http.response.status_code", Attribute::Number(status)))
                .into_iter()
                .collect(),
            has_failed,
        });
    }
}
