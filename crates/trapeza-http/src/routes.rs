//! The whole URL table on one screen. What each operation is called, needs and refuses stands in [`crate::operation`].
//!
//! Operations have a table of their own; axum's router keeps the pages, and what is nowhere.

use crate::Bank;
use crate::api::{
    account, authorisation, basket, card, configuration, consent, funds, funds_consent, health, loan,
    payment, refund, sandbox,
};
use crate::call::{Correlation, handler};
use crate::operation as op;
use crate::refuse::{self, Context};
use crate::table::{Arrival, Found, Line, Table};
use crate::{docs, pages};
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

#[rustfmt::skip]
fn lines(sandbox: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = vec![
        (&op::CONSENT_CREATE, handler(consent::create)),
        (&op::CONSENT_FETCH, handler(consent::fetch)),
        (&op::CONSENT_DELETE, handler(consent::delete)),
        (&op::CONSENT_STATUS, handler(consent::status)),
        (&op::CONSENT_AUTHORISATION_LIST, handler(authorisation::consent_list)),
        (&op::CONSENT_AUTHORISATION_START, handler(authorisation::consent_start)),
        (&op::CONSENT_AUTHORISATION_FETCH, handler(authorisation::consent_fetch)),
        (&op::CONSENT_AUTHORISATION_UPDATE, handler(authorisation::consent_update)),

        (&op::FUNDS_CONSENT_CREATE, handler(funds_consent::create)),
        (&op::FUNDS_CONSENT_FETCH, handler(funds_consent::fetch)),
        (&op::FUNDS_CONSENT_DELETE, handler(funds_consent::delete)),
        (&op::FUNDS_CONSENT_STATUS, handler(authorisation::funds_status)),
        (&op::FUNDS_AUTHORISATION_LIST, handler(authorisation::funds_list)),
        (&op::FUNDS_AUTHORISATION_START, handler(authorisation::funds_start)),
        (&op::FUNDS_AUTHORISATION_FETCH, handler(authorisation::funds_fetch)),
        (&op::FUNDS_AUTHORISATION_UPDATE, handler(authorisation::funds_update)),
        (&op::FUNDS_CONFIRMATION, handler(funds::confirm)),

        (&op::ACCOUNT_LIST, handler(account::list)),
        (&op::ACCOUNT_DETAILS, handler(account::details)),
        (&op::ACCOUNT_BALANCES, handler(account::balance_list)),
        (&op::TRANSACTION_LIST, handler(account::transactions)),
        (&op::TRANSACTION_DETAILS, handler(account::transaction)),
        (&op::CARD_LIST, handler(card::list)),
        (&op::CARD_DETAILS, handler(card::details)),
        (&op::CARD_BALANCES, handler(card::balance_list)),
        (&op::CARD_TRANSACTIONS, handler(card::transactions)),

        (&op::PAYMENT_INITIATE, handler(payment::initiate)),
        (&op::PAYMENT_FETCH, handler(payment::fetch)),
        (&op::PAYMENT_CANCEL, handler(payment::cancel)),
        (&op::PAYMENT_STATUS, handler(payment::status)),
        (&op::PAYMENT_AUTHORISATION_LIST, handler(authorisation::payment_list)),
        (&op::PAYMENT_AUTHORISATION_START, handler(authorisation::payment_start)),
        (&op::PAYMENT_AUTHORISATION_FETCH, handler(authorisation::payment_fetch)),
        (&op::PAYMENT_AUTHORISATION_UPDATE, handler(authorisation::payment_update)),
        (&op::CANCELLATION_AUTHORISATION_LIST, handler(authorisation::cancellation_list)),
        (&op::CANCELLATION_AUTHORISATION_START, handler(authorisation::cancellation_start)),
        (&op::CANCELLATION_AUTHORISATION_FETCH, handler(authorisation::cancellation_fetch)),
        (&op::CANCELLATION_AUTHORISATION_UPDATE, handler(authorisation::cancellation_update)),

        (&op::BASKET_CREATE, handler(basket::create)),
        (&op::BASKET_FIND, handler(basket::find)),
        (&op::BASKET_VOID, handler(refund::void)),
        (&op::LOAN_SIMULATE, handler(loan::simulate)),
        (&op::LOAN_FETCH, handler(loan::find)),
        (&op::LOAN_REFUND, handler(refund::refund)),
        (&op::CONFIGURATION, handler(configuration::fetch)),

        (&op::LIVEZ, handler(health::live)),
        (&op::READYZ, handler(health::ready)),
        (&op::METRICS, handler(health::metrics)),
        (&op::OPENAPI, handler(docs::openapi)),
        (&op::DOCS, handler(docs::page)),
    ];
    if sandbox {
        lines.extend::<[Line; 4]>([
            (&op::SANDBOX_CLOCK, handler(sandbox::clock_fetch)),
            (&op::SANDBOX_CLOCK_ADVANCE, handler(sandbox::clock_advance)),
            (&op::SANDBOX_MESSAGES, handler(sandbox::messages)),
            (&op::SANDBOX_APPLICATION, handler(sandbox::application_change)),
        ]);
    }
    lines
}

/// Everything that is served.
pub struct Routes {
    bank: Arc<Bank>,
    operations: Table,
    pages: Router,
}

impl Routes {
    pub fn new(bank: Arc<Bank>) -> Self {
        let operations = Table::new(lines(bank.settings.sandbox));
        let pages = pages::routes()
            .route_layer(from_fn(named))
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
fn is_of_group(operation: &op::Operation, path: &str) -> bool {
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
    refuse::refused(&context(&request), &refusal)
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
    refuse::refused(context, &refusal)
}

fn context(request: &Request) -> Context {
    let correlation = request.extensions().get::<Correlation>().map_or(Uuid::nil(), |id| id.0);
    Context::of_path(request.uri().path(), correlation)
}
