//! Dispatches a request to its operation or page, or to the error response for an unknown path or method.

use crate::AppState;
use crate::error_response::{self, ErrorContext};
use crate::extract::{CorrelationId, prefers_html};
use crate::operation::Operation;
use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::MethodRouter;
use std::sync::Arc;
use tower::Service as _;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use uuid::Uuid;

/// The one operation that people open in a browser as well.
const PATH_WITH_PAGE: &str = "/sandbox/messages";

/// An operation with its handler; [`crate::extract::route`] builds it.
pub struct Route {
    pub operation: &'static Operation,
    pub methods: MethodRouter<Arc<AppState>>,
}

/// The operation that gave a response, as an extension of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationExtension(pub &'static Operation);

/// All operations and pages.
pub(crate) struct Routes {
    /// Operations, and pages where no operation has the path.
    all: Router,
    pages: Router,
}

impl Routes {
    pub fn new(state: Arc<AppState>, operations: Vec<Route>, pages: Router<Arc<AppState>>) -> Self {
        let pages = if pages.has_routes() { pages.route_layer(from_fn(note_matched_path)) } else { pages };
        let pages = pages
            .fallback(not_found)
            .method_not_allowed_fallback(not_allowed)
            // With its state the router converts routes into services once, not at every request.
            .with_state(state.clone());
        let add = |router: Router<_>, route: Route| router.route(route.operation.path, route.methods);
        let all = operations.into_iter().fold(Router::new(), add);
        let all =
            all.method_not_allowed_fallback(not_allowed).fallback_service(pages.clone()).with_state(state);
        Self { all, pages }
    }

    pub async fn handle(&self, request: Request) -> Response {
        // The page of the same path answers browsers.
        let is_page = request.uri().path() == PATH_WITH_PAGE && prefers_html(request.headers());
        let router = if is_page { &self.pages } else { &self.all };
        let Ok(response) = router.clone().call(request).await;
        response
    }
}

/// The template of the route that gave a response.
pub(crate) fn template(response: &Response) -> &str {
    let extensions = response.extensions();
    let operation = extensions.get::<OperationExtension>().map(|given| given.0.path);
    operation.or_else(|| Some(extensions.get::<MatchedPath>()?.as_str())).unwrap_or("none")
}

/// Whether a path is one of an operation. The router decides on requests; this is for responses that do not name their operation.
pub(crate) fn is_path_of(operation: &Operation, path: &str) -> bool {
    let (mut template, mut path_segments) = (operation.path.split('/'), path.split('/'));
    let is_alike = loop {
        match (template.next(), path_segments.next()) {
            (None, None) => break true,
            (Some(expected), Some(given)) if expected == given => {}
            (Some(expected), Some(given)) if expected.starts_with('{') && !given.is_empty() => {}
            _ => break false,
        }
    };
    is_alike && is_payment_service(operation, path)
}

/// Whether the first segment can be a payment service. The names of other resources cannot: unknown paths below them are 404.
pub(crate) fn is_payment_service(operation: &Operation, path: &str) -> bool {
    const OTHERS: [&str; 4] = ["accounts", "cards", "consents", "funds-confirmations"];
    let takes_service = operation.path.starts_with("/v1/{payment-service}/");
    !takes_service || !OTHERS.contains(&path.split('/').nth(2).unwrap_or_default())
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
async fn not_allowed(request: Request) -> Response {
    let refusal = Refusal::new(
        RefusalReason::MethodNotAllowed,
        "method not allowed; the header Allow lists the allowed methods",
    );
    let mut response = error_response::from_refusal(&context(&request), &refusal);
    if let Some(matched) = request.extensions().get::<MatchedPath>() {
        response.extensions_mut().insert(matched.clone());
    }
    response
}

fn context(request: &Request) -> ErrorContext {
    let correlation = request.extensions().get::<CorrelationId>().map_or(Uuid::nil(), |id| id.0);
    ErrorContext::of_path(request.uri().path(), correlation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList};
    use axum::http::Method;
    use trapeza_domain::statistics::Service;

    fn operation(path: &'static str) -> Operation {
        Operation {
            id: "",
            method: Method::GET,
            path,
            name: "",
            family: ApiFamily::OpenBanking,
            message_codes: MessageCodeList::Payment,
            access: Access::Open,
            service: Service::Other,
            success: 200,
            body_limit: BodyLimit::Default,
            refusal_overrides: &[],
            error_key: ErrorKey::Field,
            field_spelling: |_| String::new(),
            refusals: &[],
        }
    }

    #[test]
    fn path_belongs_to_the_operation_with_its_segments() {
        let account = operation("/v1/accounts/{account-id}");
        assert!(is_path_of(&account, "/v1/accounts/1"));
        for other in
            ["/v1/accounts", "/v1/accounts/", "/v1/accounts/1/balances", "/v1/cards/1", "v1/accounts/1"]
        {
            assert!(!is_path_of(&account, other), "{other}");
        }
        let payment = operation("/v1/{payment-service}/{payment-product}");
        assert!(is_path_of(&payment, "/v1/payments/internal-transfers"));
        assert!(!is_path_of(&payment, "/v1/accounts/1"), "accounts are no payment service");
    }
}
