//! Dispatches a request to its operation or page, or to the error response for an unknown path or method.

use crate::AppState;
use crate::error_response::{self, ErrorContext};
use crate::extract::{CorrelationId, prefers_html};
use crate::operation::ApiFamily;
use crate::router::{HandledRequest, IncomingRequest, OperationRouter, Route, RouteMatch};
use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use std::sync::Arc;
use tower::Service as _;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// The one operation that people open in a browser as well.
const PATH_WITH_PAGE: &str = "/sandbox/messages";

/// All operations and pages.
pub struct Routes {
    state: Arc<AppState>,
    operations: OperationRouter,
    pages: Router,
}

impl Routes {
    pub fn new(state: Arc<AppState>, operations: Vec<Route>, pages: Router<Arc<AppState>>) -> Self {
        let operations = OperationRouter::new(operations);
        let pages = if pages.has_routes() { pages.route_layer(from_fn(note_matched_path)) } else { pages };
        let pages = pages
            .fallback(not_found)
            .method_not_allowed_fallback(page_not_allowed)
            // With its state the router converts routes into services once, not at every request.
            .with_state(state.clone());
        Self { state, operations, pages }
    }

    /// The operation of a request. `Nothing` may still be a page.
    pub fn find(&self, request: &Request) -> RouteMatch<'_> {
        match self.operations.find(request.method(), request.uri().path()) {
            // The page of the same path answers browsers.
            RouteMatch::Operation((operation, _))
                if operation.path == PATH_WITH_PAGE && prefers_html(request.headers()) =>
            {
                RouteMatch::Nothing
            }
            found => found,
        }
    }

    /// Handles a request whose route was found by [`Self::find`].
    pub async fn handle(&self, found: &RouteMatch<'_>, incoming: IncomingRequest) -> HandledRequest {
        let head_only = incoming.request.method() == Method::HEAD;
        let mut handled = match found {
            RouteMatch::Operation((operation, handler)) => {
                handler(self.state.clone(), operation, incoming).await
            }
            RouteMatch::OtherMethods { allow, .. } => {
                let mut response = not_allowed(&self.context(&incoming));
                response.headers_mut().insert(header::ALLOW, (*allow).clone());
                response.into()
            }
            RouteMatch::Nothing if self.context(&incoming).family == ApiFamily::BerlinGroup => {
                let refusal = Refusal::new(RefusalReason::PathUnknown, "unknown path");
                error_response::from_refusal(&self.context(&incoming), &refusal).into()
            }
            RouteMatch::Nothing => {
                let IncomingRequest { mut request, peer, correlation } = incoming;
                request.extensions_mut().insert(CorrelationId(correlation));
                request.extensions_mut().insert(peer);
                // Boxed: the future of an operation would be as large as that of a page otherwise.
                let Ok(response) = Box::pin(self.pages.clone().call(request)).await;
                return response.into();
            }
        };
        if head_only {
            handled.response = without_body(handled.response);
        }
        handled
    }
}

impl Routes {
    fn context(&self, incoming: &IncomingRequest) -> ErrorContext {
        let path = incoming.request.uri().path();
        ErrorContext::of_request(&self.state.settings, path, incoming.correlation)
    }
}

/// The response to HEAD: that to GET without its body, but with its length.
fn without_body(mut response: Response) -> Response {
    if let Some(length) = response.body().size_hint().exact() {
        response.headers_mut().entry(header::CONTENT_LENGTH).or_insert_with(|| HeaderValue::from(length));
    }
    response.map(|_| Body::empty())
}

/// Copies the route template of a page into its response, for the metrics.
async fn note_matched_path(request: Request, next: Next) -> Response {
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(matched) = matched {
        response.extensions_mut().insert(matched);
    }
    response
}

/// The response of an unknown path.
pub async fn not_found(request: Request) -> Response {
    let refusal = Refusal::new(RefusalReason::PathUnknown, "unknown path");
    error_response::from_refusal(&context(&request), &refusal)
}

/// The router adds the `Allow` header.
async fn page_not_allowed(request: Request) -> Response {
    let mut response = not_allowed(&context(&request));
    if let Some(matched) = request.extensions().get::<MatchedPath>() {
        response.extensions_mut().insert(matched.clone());
    }
    response
}

fn not_allowed(context: &ErrorContext) -> Response {
    let refusal = Refusal::new(
        RefusalReason::MethodNotAllowed,
        "method not allowed; the header Allow lists the allowed methods",
    );
    error_response::from_refusal(context, &refusal)
}

fn context(request: &Request) -> ErrorContext {
    let correlation = CorrelationId::of(request.extensions());
    ErrorContext::of_path(request.uri().path(), correlation)
}
