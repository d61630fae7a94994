//! The outermost layer: names the request, echoes the caller's id, counts and times it, and turns a panic into an answer.

use crate::Bank;
use crate::error_response::{self, Context};
use crate::router::{Arrival, Line};
use crate::routes::Routes;
use crate::server::{Answers, Peer};
use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::time::timeout;
use trapeza_app::StoreError;
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

/// The bank as the server meets it. Not a layer of the router's: those are boxed and cloned for every request.
pub struct Edge {
    bank: Arc<Bank>,
    routes: Routes,
}

impl Edge {
    pub fn new(bank: Arc<Bank>, operations: Vec<Line>, pages: Router<Arc<Bank>>) -> Self {
        Self { routes: Routes::new(bank.clone(), operations, pages), bank }
    }
}

impl Answers for Edge {
    async fn answer(&self, request: Request, peer: &Peer) -> Response {
        let started = Instant::now();
        let bank = &*self.bank;
        let correlation = bank.app.entropy().fast_uuid();
        // As it was sent, but not as much of it as somebody cares to send.
        let echo = request.headers().get(REQUEST_ID).filter(|value| value.len() <= 128).cloned();
        let method = request.method().clone();
        let context = Context::of_path(request.uri().path(), correlation);
        let found = self.routes.find(&request);

        let answering = self.routes.answer(&found, Arrival { request, peer: peer.clone(), correlation });
        let answered = within(bank.settings.request_timeout, unless_it_panics(answering)).await;
        let mut response = match answered {
            Some(Some(response)) => response,
            Some(None) => {
                tracing::error!(%correlation, "a request panicked");
                error_response::broken(
                    &context,
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "something is wrong on the bank's side",
                )
            }
            // What was begun may still be kept: the caller asks again with the same id.
            None => error_response::failed(
                &context,
                &StoreError::OutcomeUnknown("the request took too long".to_owned()),
            ),
        };

        let headers = response.headers_mut();
        if let Some(echo) = echo {
            headers.insert(REQUEST_ID, echo);
        }
        if let Ok(value) =
            HeaderValue::from_str(correlation.hyphenated().encode_lower(&mut Uuid::encode_buffer()))
        {
            headers.insert(CORRELATION_ID, value);
        }
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));

        let (status, took) = (response.status(), started.elapsed());
        // The template, never the path as sent: it would make a series of every id and a log of every secret in a URL.
        let page = response.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        let route = found.route().or(page).unwrap_or("none");
        let (code, micros) = (status.as_u16(), took.as_micros());
        tracing::info!(%correlation, %method, route, status = code, micros, "answered");
        bank.series.note(route, &method, status, took);
        response
    }
}

/// `None` when the future is not ready in time. Most answers are there at once, and need no timer.
async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    match poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await {
        Poll::Ready(value) => Some(value),
        Poll::Pending => timeout(limit, future).await.ok(),
    }
}

/// `None` when the future panicked.
async fn unless_it_panics<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(None),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn what_is_ready_in_time_is_taken_and_what_never_is_is_not_waited_for() {
        assert_eq!(within(Duration::ZERO, ready(1)).await, Some(1));
        let later = async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            2
        };
        assert_eq!(within(LONG, later).await, Some(2));
        assert_eq!(within(Duration::from_millis(1), pending::<()>()).await, None);
    }

    #[tokio::test]
    async fn a_panic_is_caught_at_once_and_later() {
        let at_once = async { panic!("at once") };
        assert_eq!(within(LONG, unless_it_panics::<()>(at_once)).await, Some(None));
        let later = async {
            tokio::task::yield_now().await;
            panic!("later")
        };
        assert_eq!(within(LONG, unless_it_panics::<()>(later)).await, Some(None));
    }
}
