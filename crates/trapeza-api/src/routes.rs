//! The handler of every operation. Access, path and refusals of each are in [`crate::operation`].

use crate::docs;
use crate::handler::{
    account, authorisation, basket, card, configuration, consent, funds, funds_consent, health, loan,
    payment, refund, sandbox,
};
use crate::operation as op;
use std::sync::{Arc, OnceLock};
use trapeza_http::Route;
use trapeza_http::extract::route;

/// Metrics and health, for a listener of their own.
pub fn monitoring_routes() -> Vec<Route> {
    vec![
        route(&op::LIVEZ, health::live),
        route(&op::READYZ, health::ready),
        route(&op::METRICS, health::metrics),
    ]
}

/// All operations with their handlers; those of the sandbox only where it is enabled.
#[rustfmt::skip]
pub fn routes(sandbox: bool) -> Vec<Route> {
    let (openapi, page) = (Arc::new(OnceLock::new()), Arc::new(OnceLock::new()));
    let mut routes: Vec<Route> = vec![
        route(&op::CONSENT_CREATE, consent::create),
        route(&op::CONSENT_FETCH, consent::fetch),
        route(&op::CONSENT_DELETE, consent::delete),
        route(&op::CONSENT_STATUS, consent::status),

        route(&op::FUNDS_CONSENT_CREATE, funds_consent::create),
        route(&op::FUNDS_CONSENT_FETCH, funds_consent::fetch),
        route(&op::FUNDS_CONSENT_DELETE, funds_consent::delete),
        route(&op::FUNDS_CONSENT_STATUS, authorisation::funds_status),
        route(&op::FUNDS_CONFIRMATION, funds::confirm),

        route(&op::ACCOUNT_LIST, account::list),
        route(&op::ACCOUNT_DETAILS, account::details),
        route(&op::ACCOUNT_BALANCES, account::balance_list),
        route(&op::TRANSACTION_LIST, account::transactions),
        route(&op::TRANSACTION_DETAILS, account::transaction),
        route(&op::CARD_LIST, card::list),
        route(&op::CARD_DETAILS, card::details),
        route(&op::CARD_BALANCES, card::balance_list),
        route(&op::CARD_TRANSACTIONS, card::transactions),

        route(&op::PAYMENT_INITIATE, payment::initiate),
        route(&op::PAYMENT_FETCH, payment::fetch),
        route(&op::PAYMENT_CANCEL, payment::cancel),
        route(&op::PAYMENT_STATUS, payment::status),

        route(&op::BASKET_CREATE, basket::create),
        route(&op::BASKET_FIND, basket::find),
        route(&op::BASKET_VOID, refund::void),
        route(&op::LOAN_SIMULATE, loan::simulate),
        route(&op::LOAN_FETCH, loan::find),
        route(&op::LOAN_REFUND, refund::refund),
        route(&op::CONFIGURATION, configuration::fetch),

        route(&op::LIVEZ, health::live),
        route(&op::READYZ, health::ready),
        route(&op::METRICS, health::metrics),
        route(&op::OPENAPI, move |call| docs::openapi(call, openapi.clone())),
        route(&op::DOCS, move |call| docs::page(call, page.clone())),
    ];
    for operations in op::AUTHORISATIONS {
        let kind = operations.target;
        routes.extend::<[Route; 4]>([
            route(&operations.start, move |request| authorisation::start(request, kind)),
            route(&operations.list, move |request| authorisation::list(request, kind)),
            route(&operations.fetch, move |request| authorisation::fetch(request, kind)),
            route(&operations.update, move |request| authorisation::update(request, kind)),
        ]);
    }
    if sandbox {
        routes.extend::<[Route; 4]>([
            route(&op::SANDBOX_CLOCK, sandbox::clock_fetch),
            route(&op::SANDBOX_CLOCK_ADVANCE, sandbox::clock_advance),
            route(&op::SANDBOX_MESSAGES, sandbox::messages),
            route(&op::SANDBOX_APPLICATION, sandbox::application_change),
        ]);
    }
    routes
}
