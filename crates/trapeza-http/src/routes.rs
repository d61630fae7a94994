//! The whole URL table on one screen. What each operation is called, needs and refuses stands in [`crate::operation`].

use crate::Bank;
use crate::api::{
    account, authorisation, basket, card, configuration, consent, funds, funds_consent, health, loan,
    payment, refund, sandbox,
};
use crate::call::{Correlation, route};
use crate::operation as op;
use crate::refuse::{self, Context};
use crate::{docs, pages};
use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use std::sync::Arc;
use trapeza_domain::refusal::{Reason, Refusal};
use uuid::Uuid;

pub fn router(bank: Arc<Bank>) -> Router {
    let mut router = Router::new()
        .route(op::CONSENT_CREATE.path, route(&op::CONSENT_CREATE, consent::create))
        .route(
            op::CONSENT_FETCH.path,
            route(&op::CONSENT_FETCH, consent::fetch).merge(route(&op::CONSENT_DELETE, consent::delete)),
        )
        .route(op::CONSENT_STATUS.path, route(&op::CONSENT_STATUS, consent::status))
        .route(op::FUNDS_CONSENT_CREATE.path, route(&op::FUNDS_CONSENT_CREATE, funds_consent::create))
        .route(
            op::FUNDS_CONSENT_FETCH.path,
            route(&op::FUNDS_CONSENT_FETCH, funds_consent::fetch)
                .merge(route(&op::FUNDS_CONSENT_DELETE, funds_consent::delete)),
        )
        .route(
            op::CONSENT_AUTHORISATION_LIST.path,
            route(&op::CONSENT_AUTHORISATION_LIST, authorisation::consent_list)
                .merge(route(&op::CONSENT_AUTHORISATION_START, authorisation::consent_start)),
        )
        .route(
            op::CONSENT_AUTHORISATION_FETCH.path,
            route(&op::CONSENT_AUTHORISATION_FETCH, authorisation::consent_fetch)
                .merge(route(&op::CONSENT_AUTHORISATION_UPDATE, authorisation::consent_update)),
        )
        .route(op::FUNDS_CONSENT_STATUS.path, route(&op::FUNDS_CONSENT_STATUS, authorisation::funds_status))
        .route(
            op::FUNDS_AUTHORISATION_LIST.path,
            route(&op::FUNDS_AUTHORISATION_LIST, authorisation::funds_list)
                .merge(route(&op::FUNDS_AUTHORISATION_START, authorisation::funds_start)),
        )
        .route(
            op::FUNDS_AUTHORISATION_FETCH.path,
            route(&op::FUNDS_AUTHORISATION_FETCH, authorisation::funds_fetch)
                .merge(route(&op::FUNDS_AUTHORISATION_UPDATE, authorisation::funds_update)),
        )
        .route(op::ACCOUNT_LIST.path, route(&op::ACCOUNT_LIST, account::list))
        .route(op::ACCOUNT_DETAILS.path, route(&op::ACCOUNT_DETAILS, account::details))
        .route(op::ACCOUNT_BALANCES.path, route(&op::ACCOUNT_BALANCES, account::balance_list))
        .route(op::TRANSACTION_LIST.path, route(&op::TRANSACTION_LIST, account::transactions))
        .route(op::TRANSACTION_DETAILS.path, route(&op::TRANSACTION_DETAILS, account::transaction))
        .route(op::CARD_LIST.path, route(&op::CARD_LIST, card::list))
        .route(op::CARD_DETAILS.path, route(&op::CARD_DETAILS, card::details))
        .route(op::CARD_BALANCES.path, route(&op::CARD_BALANCES, card::balance_list))
        .route(op::CARD_TRANSACTIONS.path, route(&op::CARD_TRANSACTIONS, card::transactions))
        .route(op::FUNDS_CONFIRMATION.path, route(&op::FUNDS_CONFIRMATION, funds::confirm))
        .merge(payments())
        .route(op::BASKET_CREATE.path, route(&op::BASKET_CREATE, basket::create))
        .route(op::BASKET_FIND.path, route(&op::BASKET_FIND, basket::find))
        .route(op::LOAN_SIMULATE.path, route(&op::LOAN_SIMULATE, loan::simulate))
        .route(op::LOAN_FETCH.path, route(&op::LOAN_FETCH, loan::find))
        .route(op::LOAN_REFUND.path, route(&op::LOAN_REFUND, refund::refund))
        .route(op::BASKET_VOID.path, route(&op::BASKET_VOID, refund::void))
        .route(op::CONFIGURATION.path, route(&op::CONFIGURATION, configuration::fetch))
        .route(op::LIVEZ.path, route(&op::LIVEZ, health::live))
        .route(op::READYZ.path, route(&op::READYZ, health::ready))
        .route(op::METRICS.path, route(&op::METRICS, health::metrics))
        .route(op::OPENAPI.path, route(&op::OPENAPI, docs::openapi))
        .route(op::DOCS.path, route(&op::DOCS, docs::page));
    if bank.settings.sandbox {
        router = router
            .route(
                op::SANDBOX_CLOCK.path,
                route(&op::SANDBOX_CLOCK, sandbox::clock_fetch)
                    .merge(route(&op::SANDBOX_CLOCK_ADVANCE, sandbox::clock_advance)),
            )
            .route(op::SANDBOX_MESSAGES.path, route(&op::SANDBOX_MESSAGES, sandbox::messages))
            .route(
                op::SANDBOX_APPLICATION.path,
                route(&op::SANDBOX_APPLICATION, sandbox::application_change),
            );
    }
    router
        .merge(pages::routes().route_layer(from_fn(named)))
        .fallback(not_found)
        .method_not_allowed_fallback(not_allowed)
        .with_state(bank)
}

/// The paths that begin with a payment service, which is a parameter.
fn payments() -> Router<Arc<Bank>> {
    Router::new()
        .route(op::PAYMENT_INITIATE.path, route(&op::PAYMENT_INITIATE, payment::initiate))
        .route(
            op::PAYMENT_FETCH.path,
            route(&op::PAYMENT_FETCH, payment::fetch).merge(route(&op::PAYMENT_CANCEL, payment::cancel)),
        )
        .route(op::PAYMENT_STATUS.path, route(&op::PAYMENT_STATUS, payment::status))
        .route(
            op::PAYMENT_AUTHORISATION_LIST.path,
            route(&op::PAYMENT_AUTHORISATION_LIST, authorisation::payment_list)
                .merge(route(&op::PAYMENT_AUTHORISATION_START, authorisation::payment_start)),
        )
        .route(
            op::PAYMENT_AUTHORISATION_FETCH.path,
            route(&op::PAYMENT_AUTHORISATION_FETCH, authorisation::payment_fetch)
                .merge(route(&op::PAYMENT_AUTHORISATION_UPDATE, authorisation::payment_update)),
        )
        .route(
            op::CANCELLATION_AUTHORISATION_LIST.path,
            route(&op::CANCELLATION_AUTHORISATION_LIST, authorisation::cancellation_list)
                .merge(route(&op::CANCELLATION_AUTHORISATION_START, authorisation::cancellation_start)),
        )
        .route(
            op::CANCELLATION_AUTHORISATION_FETCH.path,
            route(&op::CANCELLATION_AUTHORISATION_FETCH, authorisation::cancellation_fetch)
                .merge(route(&op::CANCELLATION_AUTHORISATION_UPDATE, authorisation::cancellation_update)),
        )
        .route_layer(from_fn(payments_only))
}

/// The names of other groups are never a payment service: an unknown path below them is just that.
async fn payments_only(request: Request, next: Next) -> Response {
    const OTHERS: [&str; 4] = ["accounts", "cards", "consents", "funds-confirmations"];
    let service = request.uri().path().split('/').nth(2).unwrap_or_default();
    if OTHERS.contains(&service) { not_found(request).await } else { next.run(request).await }
}

/// Leaves the answer the name of its route, as [`route`] does.
async fn named(request: Request, next: Next) -> Response {
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(matched) = matched {
        response.extensions_mut().insert(matched);
    }
    response
}

async fn not_found(request: Request) -> Response {
    let refusal = Refusal::new(Reason::PathUnknown, "there is nothing at this path");
    refuse::refused(&context(&request), &refusal)
}

/// The router adds the `Allow` header.
async fn not_allowed(request: Request) -> Response {
    let refusal = Refusal::new(
        Reason::MethodNotAllowed,
        "this path does not take this method; Allow lists those it takes",
    );
    let mut response = refuse::refused(&context(&request), &refusal);
    if let Some(matched) = request.extensions().get::<MatchedPath>() {
        response.extensions_mut().insert(matched.clone());
    }
    response
}

fn context(request: &Request) -> Context {
    let correlation = request.extensions().get::<Correlation>().map_or(Uuid::nil(), |id| id.0);
    Context::of_path(request.uri().path(), correlation)
}
