//! Captures requests of applications for their request log. Capturing copies headers and shares bodies; masking and storing happen
//! later, in [`flush`], outside of requests.

mod mask;

use crate::AppState;
use axum::body::{Body, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use bytes::Bytes;
use governor::{DefaultKeyedRateLimiter, Quota};
use metrics::{Counter, counter};
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use trapeza_app::UseCaseError;
use trapeza_app::request_log::{RequestRecord, RequestSummary};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// How many requests of an application are captured per second, and at once after a pause. More would cost more than a twentieth of
/// a fast read.
const PER_SECOND: NonZeroU32 = NonZeroU32::new(20).expect("not zero");
const BURST: NonZeroU32 = NonZeroU32::new(200).expect("not zero");
/// How many captured requests wait until they are stored.
const PENDING_MAX: usize = 2_000;

/// The requests that were captured and not stored yet.
pub struct RequestLog {
    /// `None` when no request is logged.
    budget: Option<DefaultKeyedRateLimiter<ApplicationId>>,
    pending: Mutex<Vec<CapturedRequest>>,
    skipped: Counter,
}

/// What was captured of a request before its handler runs.
pub(crate) struct RequestCapture {
    application: ApplicationId,
    started: Instant,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

struct CapturedRequest {
    request: RequestCapture,
    id: Uuid,
    recorded_at: Timestamp,
    correlation: Uuid,
    operation: &'static str,
    micros: i64,
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

impl RequestLog {
    pub fn new(is_enabled: bool) -> Self {
        Self {
            budget: is_enabled
                .then(|| DefaultKeyedRateLimiter::keyed(Quota::per_second(PER_SECOND).allow_burst(BURST))),
            pending: Mutex::default(),
            skipped: counter!("trapeza_request_log_skipped_total"),
        }
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.budget.is_some()
    }

    /// Captures a request, if the application's budget allows it.
    pub(crate) fn capture(
        &self,
        application: ApplicationId,
        started: Instant,
        parts: &Parts,
        body: &Bytes,
    ) -> Option<RequestCapture> {
        if self.budget.as_ref()?.check_key(&application).is_err() {
            self.skipped.increment(1);
            return None;
        }
        Some(RequestCapture {
            application,
            started,
            method: parts.method.clone(),
            uri: parts.uri.clone(),
            headers: parts.headers.clone(),
            body: body.clone(),
        })
    }

    /// Adds the response to a captured request and enqueues both. Returns the response unchanged.
    pub(crate) async fn enqueue(
        &self,
        state: &AppState,
        request: RequestCapture,
        operation: &'static str,
        correlation: Uuid,
        response: Response,
    ) -> Response {
        let (parts, body) = response.into_parts();
        // Responses of operations are whole in memory.
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        let now = state.app.now();
        let captured = CapturedRequest {
            id: state.app.entropy().uuid_v7(now),
            recorded_at: now,
            correlation,
            operation,
            micros: i64::try_from(request.started.elapsed().as_micros()).unwrap_or(i64::MAX),
            status: parts.status.as_u16(),
            headers: parts.headers.clone(),
            body: body.clone(),
            request,
        };
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.len() < PENDING_MAX {
            pending.push(captured);
        } else {
            self.skipped.increment(1);
        }
        drop(pending);
        Response::from_parts(parts, Body::from(body))
    }

    /// Drops the budgets of idle applications.
    pub(crate) fn prune(&self) {
        if let Some(budget) = &self.budget {
            budget.retain_recent();
        }
    }
}

/// Masks and stores what was captured. What cannot be stored is lost.
pub async fn flush(state: &AppState) -> Result<(), UseCaseError> {
    let pending =
        std::mem::take(&mut *state.request_log.pending.lock().unwrap_or_else(PoisonError::into_inner));
    if pending.is_empty() {
        return Ok(());
    }
    state.app.request_log_insert(pending.into_iter().map(CapturedRequest::masked).collect()).await
}

impl CapturedRequest {
    fn masked(self) -> RequestRecord {
        let request = self.request;
        RequestRecord {
            application: request.application,
            summary: RequestSummary {
                id: self.id,
                recorded_at: self.recorded_at,
                correlation: self.correlation,
                operation: self.operation.to_owned(),
                method: request.method.to_string(),
                target: mask::target(&request.uri),
                status: self.status.into(),
                micros: self.micros,
            },
            request_headers: mask::headers(&request.headers),
            request_body: mask::body(&request.body),
            response_headers: mask::headers(&self.headers),
            response_body: mask::body(&self.body),
        }
    }
}
