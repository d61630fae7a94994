//! The service around every request: correlation id, timeout, panic handling, common headers, log line and metrics.

use crate::AppState;
use crate::error_response::{self, ErrorContext};
use crate::extract::header::SUBSCRIPTION_KEY;
use crate::extract::prefers_html;
use crate::operation::ApiFamily;
use crate::request_metrics::method_name;
use crate::router::{HandledRequest, IncomingRequest, Route, RouteMatch};
use crate::routes::Routes;
use crate::server::{Drained, Handler, Peer, ServerOptions, serve};
use crate::settings::CertificateMode;
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tracing::field::display;
use trapeza_app::StoreError;
use trapeza_app::trace::{self, Attribute, FinishedSpan, SpanKind, TraceContext};
use trapeza_domain::field::FieldPath;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::statistics::{CallResult, MeasuredCall};
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

/// Browsers use TLS only for this long.
const ONE_YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// All operations and pages as the server calls them. It is not a tower layer: those are boxed and cloned for every request.
pub struct HttpService {
    state: Arc<AppState>,
    routes: Routes,
    page_call: PageCall,
    error_page: Option<ErrorPage>,
}

/// How the page with a path is counted in the statistics.
pub type PageCall = fn(&str) -> Option<MeasuredCall>;

/// The page of an error with a status and a message, for the headers of a browser's request.
pub type ErrorPage = fn(&AppState, &HeaderMap, StatusCode, &str) -> Response;

/// The pages of a server.
pub struct Pages {
    pub router: Router<Arc<AppState>>,
    pub measured_call: PageCall,
    pub error_page: Option<ErrorPage>,
}

impl HttpService {
    pub fn new(state: Arc<AppState>, operations: Vec<Route>, pages: Pages) -> Self {
        let Pages { router, measured_call: page_call, error_page } = pages;
        Self { routes: Routes::new(state.clone(), operations, router), state, page_call, error_page }
    }

    /// Operations only.
    pub fn without_pages(state: Arc<AppState>, operations: Vec<Route>) -> Self {
        let pages = Pages { router: Router::new(), measured_call: |_| None, error_page: None };
        Self::new(state, operations, pages)
    }

    /// Serves until `shutdown` is ready, then lets running requests finish.
    pub fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        options: ServerOptions,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> Pin<Box<dyn Future<Output = Drained> + Send>> {
        serve_boxed(self, listener, options, Box::pin(shutdown))
    }
}

/// Neither generic nor `async`, so that the code of connections and requests is compiled with this crate: the program's own crate is
/// not optimised in the first build.
fn serve_boxed(
    service: Arc<HttpService>,
    listener: TcpListener,
    options: ServerOptions,
    shutdown: Pin<Box<dyn Future<Output = ()> + Send>>,
) -> Pin<Box<dyn Future<Output = Drained> + Send>> {
    Box::pin(serve(listener, service, options, shutdown))
}

/// Accepts paths of the Berlin Group's dialect with slashes that are too many.
fn remove_extra_slashes(state: &AppState, request: &mut Request) {
    let Some(dialect) = &state.settings.berlin_group else { return };
    let Some(path) = dialect.without_extra_slashes(request.uri().path()) else { return };
    let target = match request.uri().query() {
        Some(query) => [&path, "?", query].concat(),
        None => path,
    };
    if let Ok(uri) = Uri::try_from(target) {
        *request.uri_mut() = uri;
    }
}

impl Handler for HttpService {
    async fn handle(&self, mut request: Request, peer: &Peer) -> Response {
        let started = Instant::now();
        let state = &*self.state;
        let peer = match state.settings.certificates {
            CertificateMode::Proxy => state.settings.trusted_proxies.client(peer, request.headers_mut()),
            CertificateMode::Header | CertificateMode::Mtls => peer.clone(),
        };
        remove_extra_slashes(state, &mut request);
        let correlation = state.app.entropy().fast_uuid();
        let traceparent = request.headers().get(TRACEPARENT).and_then(|value| value.to_str().ok());
        let (trace, trace_parent) = TraceContext::of_request(traceparent, correlation);
        // Echoed as sent, but bounded.
        let echo = request.headers().get(REQUEST_ID).filter(|value| value.len() <= 128).cloned();
        let method = request.method().clone();
        let browser = self.error_page.and_then(|_| browser_headers(&request));
        let context = ErrorContext::of_request(&state.settings, request.uri().path(), correlation);
        let found = self.routes.find(&request);
        let measured_call = match &found {
            RouteMatch::Operation((operation, _)) => operation.measured_call(),
            RouteMatch::OtherMethods { .. } | RouteMatch::Nothing => (self.page_call)(request.uri().path()),
        };
        // With two hosts this server and another program on the way could each choose a different one.
        let is_ambiguous = request.headers().get_all(header::HOST).iter().count() > 1;

        let handling = async {
            if is_ambiguous {
                let refusal = Refusal::malformed(FieldPath::spelled("Host"), "must be sent once");
                return error_response::from_refusal(&context, &refusal).into();
            }
            self.routes.handle(&found, IncomingRequest { request, peer, correlation }).await
        };
        // Pinned, so that the functions around it hold a pointer: each would make the future of a request twice as large otherwise, and
        // hyper moves that future.
        let handling = pin!(handling);
        let handling = trace::scope(trace, catch_panic(handling));
        let handled = with_timeout(state.settings.request_timeout, handling).await;
        let HandledRequest { mut response, application } = match handled {
            Some(Some(handled)) => handled,
            Some(None) => {
                tracing::error!(%correlation, "request panicked");
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                error_response::with_status(&context, status, error_response::PERMANENT).into()
            }
            // The use case may still commit: the caller repeats the request with the same id.
            None => {
                let error = StoreError::outcome_unknown("the request timed out");
                error_response::from_store_error(&context, &error).into()
            }
        };

        if let (Some(page), Some(browser)) = (self.error_page, &browser) {
            response = Box::pin(show_error(state, page, browser, response)).await;
        }
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
        if state.settings.public_url.starts_with("https://") {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, ONE_YEAR);
        }
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));

        // Everything below the paths of third parties is signed, but the response to HEAD has no body to sign.
        if let Some(seal) = &state.settings.signature.seal
            && context.family != ApiFamily::PayLater
            && method != Method::HEAD
        {
            response = Box::pin(seal.current().sign(response, state.app.now())).await;
        }

        let (status, took) = (response.status(), started.elapsed());
        // The template, never the path as sent: ids would multiply the series, and secrets in URLs would reach the log.
        let page = response.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        let route = found.template().or(page).unwrap_or("none");
        let (code, micros) = (status.as_u16(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        let caller = application.map(display);
        let trace_id = trace.trace_id();
        tracing::info!(%correlation, trace = %trace_id, method = method_name(&method), route, application = caller, status = code, micros, "request completed");
        trace::record(trace, || request_span(trace, trace_parent, &method, route, status, application, took));
        state.request_metrics.record(route, &method, status, took);
        if let Some(call) = measured_call {
            state.app.call_record(call, call_result(status), took);
        }
        response
    }
}

/// The headers of a request whose response a browser shows. It cannot send a subscription key: a request with one comes from a program.
fn browser_headers(request: &Request) -> Option<HeaderMap> {
    let headers = request.headers();
    let is_shown = request.method() != Method::HEAD
        && prefers_html(headers)
        && matches!(SUBSCRIPTION_KEY.of(headers), Ok(None));
    is_shown.then(|| headers.clone())
}

/// The response with a page in the place of a JSON error. Its other headers stay.
async fn show_error(state: &AppState, page: ErrorPage, browser: &HeaderMap, response: Response) -> Response {
    let status = response.status();
    let media = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    if !(status.is_client_error() || status.is_server_error()) || !media.starts_with(b"application/json") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Error responses are whole in memory.
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let (page, body) = page(state, browser, status, &error_response::message_of(&body)).into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(page.headers);
    Response::from_parts(parts, body)
}

/// Errors of the bank are those of the class 5xx: a refusal (4xx) is caused by the caller.
fn call_result(status: StatusCode) -> CallResult {
    match status {
        _ if status.is_success() => CallResult::Answered,
        _ if status.is_server_error() => CallResult::Failed,
        _ => CallResult::Refused,
    }
}

/// The span of a request, by the semantic conventions of OpenTelemetry.
fn request_span(
    context: TraceContext,
    parent: Option<[u8; 8]>,
    method: &Method,
    route: &str,
    status: StatusCode,
    caller: Option<ApplicationId>,
    took: Duration,
) -> FinishedSpan {
    let mut attributes = vec![
        ("http.request.method", Attribute::Text(method_name(method).to_owned())),
        ("http.route", Attribute::Text(route.to_owned())),
        ("http.response.status_code", Attribute::Number(status.as_u16().into())),
    ];
    attributes.extend(caller.map(|caller| ("trapeza.application", Attribute::Text(caller.to_string()))));
    FinishedSpan {
        context,
        parent,
        name: format!("{} {route}", method_name(method)),
        kind: SpanKind::Server,
        started: SystemTime::now().checked_sub(took).unwrap_or(SystemTime::UNIX_EPOCH),
        took,
        attributes,
        has_failed: status.is_server_error(),
    }
}

/// `None` when the future is not ready in time. Most futures are ready at their first poll and need no timer.
async fn with_timeout<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    match poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await {
        Poll::Ready(value) => Some(value),
        Poll::Pending => timeout(limit, future).await.ok(),
    }
}

/// `None` when the future panicked.
async fn catch_panic<T>(future: impl Future<Output = T>) -> Option<T> {
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
    async fn timeout_returns_none_only_after_the_limit() {
        assert_eq!(with_timeout(Duration::ZERO, ready(1)).await, Some(1));
        let later = async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            2
        };
        assert_eq!(with_timeout(LONG, later).await, Some(2));
        assert_eq!(with_timeout(Duration::from_millis(1), pending::<()>()).await, None);
    }

    #[tokio::test]
    async fn panic_is_caught_at_the_first_and_at_later_polls() {
        let at_once = async { panic!("at once") };
        assert_eq!(with_timeout(LONG, catch_panic::<()>(at_once)).await, Some(None));
        let later = async {
            tokio::task::yield_now().await;
            panic!("later")
        };
        assert_eq!(with_timeout(LONG, catch_panic::<()>(later)).await, Some(None));
    }
}
