//! One delivery attempt: the URL is validated again, the body signed and posted, and the status evaluated.

use super::CallbackSettings;
use super::connect::EgressConnector;
use crate::client_span::ClientSpan;
use crate::http_client::{HttpClient, builder, describe};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Request, StatusCode};
use std::time::{Duration, Instant};
use tokio::time::timeout;
use trapeza_app::callback::{AttemptOutcome, AttemptResult, DeliveryAttempt};
use trapeza_app::external_url;
use trapeza_domain::egress::EgressPolicy;

/// Only the status of a response matters; a longer body costs the connection.
const MAX_RESPONSE_BYTES: usize = 16 * 1024;
/// Timeout for the rest of a response.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);
const SIGNATURE: &str = "webhook-signature";

pub(super) struct Sender {
    client: HttpClient<EgressConnector>,
    egress_policy: EgressPolicy,
    limit: Duration,
}

impl Sender {
    pub(super) fn parse(settings: CallbackSettings) -> Result<Self, &'static str> {
        let CallbackSettings { egress_policy, roots, limit, names } = settings;
        let client = builder().build(roots.https(EgressConnector { egress_policy, names })?);
        Ok(Self { client, egress_policy, limit })
    }

    pub(super) async fn send(&self, one: &DeliveryAttempt, timestamp_seconds: i64) -> AttemptResult {
        let started = Instant::now();
        let span = ClientSpan::start("POST callback", one.trace, one.trace_parent);
        let mut signed = None;
        let answer = match self.request(one, timestamp_seconds) {
            Err(error) => Err(error.to_owned()),
            Ok(request) => {
                let signature = request.headers().get(SIGNATURE).and_then(|value| value.to_str().ok());
                signed = signature.map(|signature| (timestamp_seconds, signature.to_owned()));
                self.exchange(request).await
            }
        };
        let outcome = match &answer {
            Ok(status) if status.is_success() => AttemptOutcome::Delivered,
            Ok(status) if *status == StatusCode::GONE => AttemptOutcome::Gone,
            _ => AttemptOutcome::Failed,
        };
        let took = started.elapsed();
        let mut result = one.result(outcome);
        result.signed = signed;
        result.duration_ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        result.slow = took > self.limit / 3;
        result.status = answer.as_ref().ok().map(|status| status.as_u16().into());
        result.error =
            answer.err().or_else(|| (outcome == AttemptOutcome::Failed).then(|| "not a 2xx".to_owned()));
        span.finish(result.status, outcome == AttemptOutcome::Failed);
        metrics::counter!("trapeza_callback_attempts_total", "outcome" => name(outcome)).increment(1);
        metrics::histogram!("trapeza_callback_seconds").record(took.as_secs_f64());
        result
    }

    fn request(
        &self,
        one: &DeliveryAttempt,
        timestamp_seconds: i64,
    ) -> Result<Request<Full<Bytes>>, &'static str> {
        let text = one.address.as_deref().ok_or("the merchant has no callback URL any more")?;
        let url = external_url::parse_callback(text, self.egress_policy)?;
        let headers = one.headers(timestamp_seconds).ok_or("the merchant has no usable webhook secret")?;
        // The parsed URL is used, so that what was validated is what is called.
        let mut request = Request::post(url.as_str());
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.body(Full::new(Bytes::from(one.body.clone()))).map_err(|_| "the URL cannot be called")
    }

    /// Redirects are not followed: they count as failures.
    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<StatusCode, String> {
        let answer = timeout(self.limit, self.client.request(request)).await;
        let answer = answer.map_err(|_| format!("no answer within {} ms", self.limit.as_millis()))?;
        let answer = answer.map_err(|error| describe(&error))?;
        let status = answer.status();
        // The body is read to its end, so that the connection can be reused; its content is ignored, and a missing end costs only
        // the connection.
        let rest = Limited::new(answer.into_body(), MAX_RESPONSE_BYTES).collect();
        let _ = timeout(BODY_TIMEOUT.min(self.limit), rest).await;
        Ok(status)
    }
}

const fn name(outcome: AttemptOutcome) -> &'static str {
    match outcome {
        AttemptOutcome::Delivered => "delivered",
        AttemptOutcome::Gone => "gone",
        AttemptOutcome::Failed => "failed",
    }
}
