//! Export of spans to an OpenTelemetry collector: OTLP over HTTP with JSON bodies.
//!
//! Spans wait in a bounded queue and are sent in batches. A request never waits for the collector: spans that find the queue
//! full, or that the collector does not accept, are dropped and counted.

use crate::json_client::JsonClient;
use metrics::{Counter, counter};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};
use trapeza_app::trace::{Attribute, FinishedSpan, HexId, SpanKind, SpanSink};

/// Spans that may wait.
const QUEUE: usize = 4096;
/// Spans of one request to the collector.
const BATCH: usize = 512;
/// How long a span waits for others.
const BATCH_DELAY: Duration = Duration::from_secs(2);
/// How long the last batches may take when the program ends.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

const EXPORTED: &str = "trapeza_telemetry_spans_exported_total";
const DROPPED: &str = "trapeza_telemetry_spans_dropped_total";

enum Message {
    Span(Box<FinishedSpan>),
    /// Everything before it is to be sent; answered when it was.
    Flush(oneshot::Sender<()>),
}

/// The task that sends spans.
pub struct OtlpExporter {
    client: JsonClient,
    /// The service and its version.
    resource: Value,
    messages: mpsc::Receiver<Message>,
    exported: Counter,
    dropped: Counter,
    is_failing: bool,
}

/// The other end of the queue.
#[derive(Clone)]
pub struct OtlpSink {
    messages: mpsc::Sender<Message>,
    dropped: Counter,
}

impl SpanSink for OtlpSink {
    fn record(&self, span: FinishedSpan) {
        if self.messages.try_send(Message::Span(Box::new(span))).is_err() {
            self.dropped.increment(1);
        }
    }
}

impl OtlpSink {
    /// Waits until the spans that were recorded before are sent, for a few seconds at most.
    pub async fn flush(&self) {
        let (done, finished) = oneshot::channel();
        let flushed = async {
            if self.messages.send(Message::Flush(done)).await.is_ok() {
                let _ = finished.await;
            }
        };
        if timeout(FLUSH_TIMEOUT, flushed).await.is_err() {
            tracing::warn!("telemetry: the collector is too slow, the last spans are lost");
        }
    }
}

impl OtlpExporter {
    /// The exporter for a collector's URL of traces, and where spans are recorded.
    pub fn new(client: JsonClient, service: &str, version: &str) -> (Self, OtlpSink) {
        let (sender, messages) = mpsc::channel(QUEUE);
        let resource = json!({
            "attributes": [
                attribute("service.name", &Attribute::Text(service.to_owned())),
                attribute("service.version", &Attribute::Text(version.to_owned())),
            ],
        });
        let (exported, dropped) = (counter!(EXPORTED), counter!(DROPPED));
        let sink = OtlpSink { messages: sender, dropped: dropped.clone() };
        (Self { client, resource, messages, exported, dropped, is_failing: false }, sink)
    }

    /// Sends spans until every sink is dropped.
    pub async fn run(mut self) {
        let mut spans = Vec::new();
        while let Some(first) = self.messages.recv().await {
            let mut flushes = Vec::new();
            collect(first, &mut spans, &mut flushes);
            let deadline = Instant::now() + BATCH_DELAY;
            while spans.len() < BATCH && flushes.is_empty() {
                let Ok(Some(message)) = timeout_at(deadline, self.messages.recv()).await else { break };
                collect(message, &mut spans, &mut flushes);
            }
            self.send(&mut spans).await;
            for flush in flushes {
                // Who asked may be gone.
                let _ = flush.send(());
            }
        }
    }

    async fn send(&mut self, spans: &mut Vec<FinishedSpan>) {
        if spans.is_empty() {
            return;
        }
        let count = u64::try_from(spans.len()).unwrap_or(u64::MAX);
        let body = request(&self.resource, spans);
        spans.clear();
        let sent = self.client.post(body.to_string(), None).await;
        let has_failed = sent.is_err();
        match sent {
            Ok(()) => self.exported.increment(count),
            Err(error) => {
                self.dropped.increment(count);
                // Logged when it begins, so that a collector that is down does not flood the log.
                if !self.is_failing {
                    tracing::warn!(error, "telemetry: the collector did not accept spans, they are dropped");
                }
            }
        }
        if self.is_failing && !has_failed {
            tracing::info!("telemetry: the collector accepts spans again");
        }
        self.is_failing = has_failed;
    }
}

fn collect(message: Message, spans: &mut Vec<FinishedSpan>, flushes: &mut Vec<oneshot::Sender<()>>) {
    match message {
        Message::Span(span) => spans.push(*span),
        Message::Flush(done) => flushes.push(done),
    }
}

/// An ExportTraceServiceRequest in OTLP's JSON form: ids in hexadecimal digits, 64-bit integers as text.
fn request(resource: &Value, spans: &[FinishedSpan]) -> Value {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    let scope = json!({ "name": "trapeza" });
    json!({ "resourceSpans": [{ "resource": resource, "scopeSpans": [{ "scope": scope, "spans": spans }] }] })
}

fn span(span: &FinishedSpan) -> Value {
    let end = span.started.checked_add(span.took).unwrap_or(span.started);
    let attributes: Vec<Value> = span.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
    json!({
        "traceId": span.context.trace_id().to_string(),
        "spanId": span.context.span_id().to_string(),
        "parentSpanId": span.parent.map(|parent| HexId::new(&parent).to_string()).unwrap_or_default(),
        "name": span.name,
        "kind": match span.kind {
            SpanKind::Server => 2,
            SpanKind::Client => 3,
        },
        "startTimeUnixNano": nanoseconds(span.started),
        "endTimeUnixNano": nanoseconds(end),
        "attributes": attributes,
        "status": if span.has_failed { json!({ "code": 2 }) } else { json!({}) },
    })
}

fn attribute(name: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Text(text) => json!({ "stringValue": text }),
        Attribute::Number(number) => json!({ "intValue": number.to_string() }),
    };
    json!({ "key": name, "value": value })
}

fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}
