//! Callbacks to merchants and third parties: enqueued in the transaction of their cause, claimed and sent by the courier outside of any
//! transaction, and recorded. Sending is the courier's. A sandbox also lists them to the developers of the merchant (`feed`).

mod admin;
mod body;
mod feed;
mod signature;

pub(crate) use admin::replay_one;
pub use admin::{CallbackDetail, REPLAY_BATCH};
pub use body::{CallbackBody, event_name, topic_name};
pub(crate) use feed::FEED_RETENTION;
pub use feed::{CallbackFeed, FeedCallback, FeedCursor, MAX_FEED_ROWS};
use signature::notification_headers;
pub use signature::{USER_AGENT, delivery_headers};
pub use trapeza_store::{AttemptRecord, CallbackRecord};

use crate::trace::TraceContext;
use crate::{App, UseCaseError, audit};
use std::collections::HashMap;
use std::sync::Arc;
use trapeza_domain::application::MerchantUrls;
use trapeza_domain::audit_event::Actor;
pub use trapeza_domain::callback::CallbackEvent;
use trapeza_domain::callback::{
    Callback, CallbackEndpoint, CallbackState, CallbackTopic, Jitter, NewCallback,
};
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{CallbackClaim, CallbackTarget, SandboxCallback, StoreError, Tx};
use uuid::Uuid;

/// The default retention of delivered callbacks.
pub const DEFAULT_RETENTION: TimeDelta = TimeDelta::days(90);

/// What a use case creates before the transaction that may enqueue a callback.
#[derive(Clone, Copy, Debug)]
pub struct EnqueueContext {
    pub id: CallbackId,
    pub now: Timestamp,
    /// The trace of the request that causes the callback.
    pub trace: Option<TraceContext>,
    /// The system time in a sandbox, which lists every callback to developers; `None` in production.
    pub sandbox_system_time: Option<Timestamp>,
}

/// Enqueues a callback in the transaction of its cause. Returns false when neither the basket nor the application has an endpoint
/// for this kind of event; a sandbox lists it to developers all the same.
pub fn enqueue(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    event: &CallbackEvent,
    context: &EnqueueContext,
) -> Result<bool, StoreError> {
    let EnqueueContext { id, now, trace, sandbox_system_time } = *context;
    let body = body::render(event, now);
    let traceparent = trace.map(|trace| trace.to_string());
    if let Some(recorded_at) = sandbox_system_time {
        let (body, traceparent) = (body.clone(), traceparent.clone());
        let kind = event.kind;
        let listed =
            SandboxCallback { id, application, kind, body, created_at: now, recorded_at, traceparent };
        tx.sandbox_callback_insert(&listed)?;
    }
    if event.address.is_none() {
        let record = tx.application_find(application)?;
        if record.and_then(|record| address(record.urls, event.kind.endpoint())).is_none() {
            return Ok(false);
        }
    }
    let topic = CallbackTopic::Basket(event.kind);
    let (callback, note) = Callback::enqueue(NewCallback { id, application, topic, now });
    let (object_id, notification) = (event.public_basket.clone(), None);
    tx.callback_insert(&CallbackRecord {
        callback,
        object_id,
        notification,
        address: event.address.clone(),
        body,
        claim_token: None,
        traceparent,
    })?;
    audit::record(tx, now, Actor::Bank, &note)?;
    Ok(true)
}

/// A claimed callback with everything that sending it needs.
#[derive(Clone, Debug)]
pub struct DeliveryAttempt {
    pub id: CallbackId,
    pub application: ApplicationId,
    /// The basket's own endpoint, or the application's as of now, which may have been corrected since the last attempt; or the address
    /// of the notification.
    pub address: Option<String>,
    /// The signing secrets, newest first; two during a rotation.
    pub secrets: Arc<[Secret<String>]>,
    pub body: String,
    /// Whether it is a notification of a third party, which is not signed.
    pub is_notification: bool,
    /// A new span in the trace of the request that caused the callback, and the span of that request.
    pub trace: TraceContext,
    pub trace_parent: Option<[u8; 8]>,
    claim_token: Uuid,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    /// The receiver answered 410 Gone.
    Gone,
    Failed,
}

/// A finished attempt, to be recorded.
#[derive(Clone, Debug)]
pub struct AttemptResult {
    id: CallbackId,
    application: ApplicationId,
    claim_token: Uuid,
    pub outcome: AttemptOutcome,
    pub duration_ms: i64,
    /// The HTTP status, if there was a response.
    pub status: Option<i64>,
    /// The error for the operator, without anything that the receiver sent.
    pub error: Option<String>,
    /// The timestamp and the signature that were sent.
    pub signed: Option<(i64, String)>,
    /// Whether the receiver was slow.
    pub slow: bool,
}

impl AttemptResult {
    pub const fn application(&self) -> ApplicationId {
        self.application
    }
}

impl DeliveryAttempt {
    /// The headers with which it is sent now. `None` when the merchant has no usable secret.
    pub fn headers(&self, timestamp_seconds: i64) -> Option<Vec<(&'static str, String)>> {
        if self.is_notification {
            return Some(notification_headers(self.id, self.trace).into());
        }
        delivery_headers(&self.secrets, self.id, timestamp_seconds, &self.body, self.trace).map(Vec::from)
    }

    pub fn result(&self, outcome: AttemptOutcome) -> AttemptResult {
        let (id, application, claim_token) = (self.id, self.application, self.claim_token);
        AttemptResult {
            id,
            application,
            claim_token,
            outcome,
            duration_ms: 0,
            status: None,
            error: None,
            signed: None,
            slow: false,
        }
    }
}

impl App {
    /// The applications with due callbacks that are not claimed.
    pub async fn callback_due_applications(&self) -> Result<Vec<ApplicationId>, UseCaseError> {
        let (now, machine) = (self.now(), self.clock.system_now());
        self.store.read(move |tx| Ok(tx.callback_due_applications(now, machine)?)).await
    }

    /// Claims due callbacks for the time of the lease, up to a number per application. About 100 callbacks in one
    /// claim are a good size.
    pub async fn callback_claim(
        &self,
        limits: Vec<(ApplicationId, i64)>,
        lease: TimeDelta,
    ) -> Result<Vec<DeliveryAttempt>, UseCaseError> {
        let (now, machine) = (self.now(), self.clock.system_now());
        let claim =
            CallbackClaim { token: self.entropy.fast_uuid(), now: machine, until: machine.plus(lease) };
        let claimed = self.store.write_background(move |tx| {
            let mut claimed_records = Vec::new();
            for (application, limit) in &limits {
                let records = tx.callback_claim(*application, now, &claim, *limit)?;
                if !records.is_empty() {
                    claimed_records.push((*application, records));
                }
            }
            // In one query: two round trips per application would dominate a claim on PostgreSQL.
            let applications: Vec<_> = claimed_records.iter().map(|(application, _)| *application).collect();
            let mut targets = tx.callback_targets(&applications)?;
            let with_targets = claimed_records.into_iter().map(|(application, records)| {
                (application, targets.remove(&application).unwrap_or_default(), records)
            });
            Ok(with_targets.collect::<Vec<_>>())
        });
        let mut attempts = Vec::new();
        for (application, CallbackTarget { urls, secrets: sealed }, records) in claimed.await? {
            let secrets: Arc<[Secret<String>]> = self.webhook_open(application, sealed).into();
            attempts.extend(records.into_iter().map(|record| {
                let id = self.entropy.fast_uuid();
                let (trace, trace_parent) = TraceContext::of_request(record.traceparent.as_deref(), id);
                DeliveryAttempt {
                    id: record.callback.id,
                    application,
                    address: match &record.notification {
                        Some(notification) => Some(notification.uri.clone()),
                        None => record.address.or_else(|| {
                            let endpoint = record.callback.topic.endpoint()?;
                            address(urls.clone(), endpoint)
                        }),
                    },
                    is_notification: record.notification.is_some(),
                    secrets: secrets.clone(),
                    body: record.body,
                    trace,
                    trace_parent,
                    claim_token: claim.token,
                }
            }));
        }
        Ok(attempts)
    }

    /// Records attempts in one small job. A failure counts only while the claim is still held, because another
    /// courier may have claimed the callback since.
    pub async fn callback_record_attempts(
        &self,
        results: Arc<Vec<AttemptResult>>,
    ) -> Result<(), UseCaseError> {
        let now = self.now();
        // Each callback gets its own jitter.
        let jitters: Vec<Jitter> =
            results.iter().map(|_| Jitter(u16::from_be_bytes(self.entropy.bytes()))).collect();
        let job = self.store.write_background(move |tx| {
            let names: Vec<_> = results.iter().map(|one| (one.application, one.id)).collect();
            let found = tx.callback_lock_many(&names)?.into_iter();
            let mut found: HashMap<_, _> = found.map(|record| (record.callback.id, record)).collect();
            let mut dead = 0;
            for (one, jitter) in results.iter().zip(&jitters) {
                let Some(record) = found.get_mut(&one.id) else { continue };
                let changed = record_attempt(tx, record, one, now, *jitter)?;
                dead += usize::from(changed && matches!(record.callback.state, CallbackState::Dead { .. }));
            }
            Ok(dead)
        });
        let dead = job.await?;
        if dead > 0 {
            tracing::warn!(
                dead,
                "callbacks: deliveries failed after all attempts; see `trapeza callbacks list`"
            );
        }
        Ok(())
    }
}

/// Applies the result of an attempt to a locked record, unless the claim was lost. Returns whether the record
/// changed.
fn record_attempt(
    tx: &mut Tx<'_>,
    found: &mut CallbackRecord,
    result: &AttemptResult,
    now: Timestamp,
    jitter: Jitter,
) -> Result<bool, StoreError> {
    if result.outcome != AttemptOutcome::Delivered && found.claim_token != Some(result.claim_token) {
        return Ok(false);
    }
    let callback = found.callback.clone();
    let changed = match result.outcome {
        AttemptOutcome::Delivered => callback.deliver(now),
        AttemptOutcome::Gone => callback.disable(now),
        AttemptOutcome::Failed => callback.fail(now, jitter),
    };
    // The callback was delivered or disabled in the meantime.
    let Ok((callback, event)) = changed else { return Ok(false) };
    tx.callback_update(&callback)?;
    let attempt = AttemptRecord {
        number: callback.attempts,
        attempted_at: now,
        duration_ms: result.duration_ms,
        http_status: result.status,
        error: result.error.clone(),
        signed: result.signed.clone(),
    };
    tx.callback_attempt_insert(callback.id, &attempt)?;
    if let Some(event) = event {
        audit::record(tx, now, Actor::Bank, &event)?;
    }
    (found.callback, found.claim_token) = (callback, None);
    Ok(true)
}

fn address(urls: MerchantUrls, endpoint: CallbackEndpoint) -> Option<String> {
    match endpoint {
        CallbackEndpoint::Success => urls.success_callback,
        CallbackEndpoint::Fail => urls.fail_callback,
    }
}
