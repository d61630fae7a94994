//! Dispatches a request to the operation, the page or the error response that answers it.

use crate::Bank;
use crate::call::Correlation;
use crate::error_response::{self, Context};
use crate::operation::Operation;
use crate::router::{Arrival, Found, Line, Table};
use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use std::sync::Arc;
use tower::Service as _;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use uuid::Uuid;

/// Everything that is served.
pub struct Routes {
    bank: Arc<Bank>,
    operations: Table,
    pages: Router,
}

impl Routes {
    pub fn new(bank: Arc<Bank>, operations: Vec<Line>, pages: Router<Arc<Bank>>) -> Self {
        let operations = Table::new(operations);
        let pages = if pages.has_routes() { pages.route_layer(from_fn(named)) } else { pages };
        let pages = pages
            .fallback(not_found)
            .method_not_allowed_fallback(page_not_allowed)
            // Done once here, the router need not turn its routes into services at every request.
            .with_state(bank.clone());
        Self { bank, operations, pages }
    }

    /// What a request is for. `Nothing` may still be a page.
    pub fn find(&self, request: &Request) -> Found<'_> {
        let path = request.uri().path();
        match self.operations.find(request.method(), path) {
            Found::Operation((operation, _)) if !is_of_group(operation, path) => Found::Nothing,
            found => found,
        }
    }

    /// Answers a request that was [found](Self::find) to be for this.
    pub async fn answer(&self, found: &Found<'_>, arrival: Arrival) -> Response {
        let only_head = arrival.request.method() == Method::HEAD;
        let response = match found {
            Found::Operation((operation, handler)) => handler(self.bank.clone(), operation, arrival).await,
            Found::OtherMethods { allow, .. } => {
                let mut response =
                    not_allowed(&Context::of_path(arrival.request.uri().path(), arrival.correlation));
                response.headers_mut().insert(header::ALLOW, (*allow).clone());
                response
            }
            Found::Nothing => {
                let Arrival { mut request, peer, correlation } = arrival;
                request.extensions_mut().insert(Correlation(correlation));
                request.extensions_mut().insert(peer);
                let Ok(response) = self.pages.clone().call(request).await;
                return response;
            }
        };
        if only_head { without_body(response) } else { response }
    }
}

/// The names of other groups are never a payment service: an unknown path below them is just that.
fn is_of_group(operation: &Operation, path: &str) -> bool {
    const OTHERS: [&str; 4] = ["accounts", "cards", "consents", "funds-confirmations"];
    let takes_service = operation.path.starts_with("/v1/{payment-service}/");
    !takes_service || !OTHERS.contains(&path.split('/').nth(2).unwrap_or_default())
}

/// The answer to HEAD: that to GET, with the length of a body that is not there.
fn without_body(mut response: Response) -> Response {
    if let Some(length) = response.body().size_hint().exact() {
        response.headers_mut().entry(header::CONTENT_LENGTH).or_insert_with(|| HeaderValue::from(length));
    }
    response.map(|_| Body::empty())
}

/// Leaves the answer the name of its page, to be counted under.
async fn named(request: Request, next: Next) -> Response {
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(matched) = matched {
        response.extensions_mut().insert(matched);
    }
    response
}

async fn not_found(request: Request) -> Response {
    let refusal = Refusal::new(RefusalReason::PathUnknown, "there is nothing at this path");
    error_response::refused(&context(&request), &refusal)
}

/// The router adds the `Allow` header.
async fn page_not_allowed(request: Request) -> Response {
    let mut response = not_allowed(&context(&request));
    if let Some(matched) = request.extensions().get::<MatchedPath>() {
        response.extensions_mut().insert(matched.clone());
    }
    response
}

fn not_allowed(context: &Context) -> Response {
    let refusal = Refusal::new(
        RefusalReason::MethodNotAllowed,
        "this path does not take this method; Allow lists those it takes",
    );
    error_response::refused(context, &refusal)
}

fn context(request: &Request) -> Context {
    let correlation = request.extensions().get::<Correlation>().map_or(Uuid::nil(), |id| id.0);
    Context::of_path(request.uri().path(), correlation)
}
