//! The outermost layer: names the request, echoes the caller's id, counts and times it, and turns a panic into an answer.

use crate::Bank;
use crate::call::Correlation;
use crate::refuse::{self, Context};
use crate::routes;
use crate::server::Answers;
use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use std::convert::Infallible;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;
use tokio::time::timeout;
use tower::Service as _;
use trapeza_app::StoreError;
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

/// The bank as the server meets it. Not a layer of the router's: those are boxed and cloned for every request.
pub struct Edge {
    bank: Arc<Bank>,
    router: Router,
}

impl Edge {
    pub fn new(bank: Arc<Bank>) -> Self {
        // Done once here, the router need not turn its routes into services at every request.
        let router = routes::router(bank.clone()).with_state(());
        Self { bank, router }
    }
}

impl Answers for Edge {
    async fn answer(&self, request: Request) -> Response {
        edge(&self.bank, request, |request| self.router.clone().call(request)).await
    }
}

async fn edge<F: Future<Output = Result<Response, Infallible>>>(
    bank: &Bank,
    mut request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    let started = Instant::now();
    let correlation = bank.app.entropy().label();
    request.extensions_mut().insert(Correlation(correlation));
    // As it was sent, but not as much of it as somebody cares to send.
    let echo = request.headers().get(REQUEST_ID).filter(|value| value.len() <= 128).cloned();
    let method = request.method().clone();
    let context = Context::of_path(request.uri().path(), correlation);

    let answered = timeout(bank.settings.request_timeout, unless_it_panics(next(request))).await;
    let mut response = match answered {
        Ok(Some(Ok(response))) => response,
        Ok(None) => {
            tracing::error!(%correlation, "a request panicked");
            refuse::broken(
                &context,
                StatusCode::INTERNAL_SERVER_ERROR,
                "something is wrong on the bank's side",
            )
        }
        // What was begun may still be kept: the caller asks again with the same id.
        Err(_) => refuse::failed(&context, &StoreError::Unknown("the request took too long".to_owned())),
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
    let route = response.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str);
    let (code, micros) = (status.as_u16(), took.as_micros());
    tracing::info!(%correlation, %method, route, status = code, micros, "answered");
    bank.series.note(route, &method, status, took);
    response
}

/// `None` when the future panicked.
async fn unless_it_panics<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    std::future::poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(None),
    })
    .await
}
