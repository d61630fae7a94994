//! The handler of every operation. Access, path and refusals of each are in [`crate::operation`].

use crate::docs;
use crate::handler::{
    account, authorisation, basket, card, configuration, consent, funds, funds_consent, health, loan,
    payment, refund, sandbox, sandbox_bank,
};
use crate::operation as op;
use std::sync::{Arc, OnceLock};
use trapeza_http::extract::handler;
use trapeza_http::router::Route;

/// Metrics and health, for a listener of their own.
pub fn monitoring_routes() -> Vec<Route> {
    vec![
        (&op::LIVEZ, handler(health::live)),
        (&op::READYZ, handler(health::ready)),
        (&op::METRICS, handler(health::metrics)),
    ]
}

/// All operations with their handlers; those of the sandbox only where it is enabled.
#[rustfmt::skip]
pub fn routes(sandbox: bool, dialect: docs::DialectDocument) -> Vec<Route> {
    let openapi = Arc::new(OnceLock::new());
    let pages = Arc::new(docs::PageCache::new(dialect));
    let index_pages = pages.clone();
    let mut routes: Vec<Route> = vec![
        (&op::CONSENT_CREATE, handler(consent::create)),
        (&op::CONSENT_GET, handler(consent::get)),
        (&op::CONSENT_DELETE, handler(consent::delete)),
        (&op::CONSENT_STATUS, handler(consent::status)),

        (&op::FUNDS_CONSENT_CREATE, handler(funds_consent::create)),
        (&op::FUNDS_CONSENT_GET, handler(funds_consent::get)),
        (&op::FUNDS_CONSENT_DELETE, handler(funds_consent::delete)),
        (&op::FUNDS_CONSENT_STATUS, handler(authorisation::funds_status)),
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
        (&op::PAYMENT_GET, handler(payment::get)),
        (&op::PAYMENT_CANCEL, handler(payment::cancel)),
        (&op::PAYMENT_STATUS, handler(payment::status)),

        (&op::BASKET_CREATE, handler(basket::create)),
        (&op::BASKET_GET, handler(basket::get)),
        (&op::BASKET_VOID, handler(refund::void)),
        (&op::LOAN_SIMULATE, handler(loan::simulate)),
        (&op::LOAN_GET, handler(loan::get)),
        (&op::LOAN_REFUND, handler(refund::refund)),
        (&op::CONFIGURATION, handler(configuration::get)),

        (&op::LIVEZ, handler(health::live)),
        (&op::READYZ, handler(health::ready)),
        (&op::METRICS, handler(health::metrics)),
        (&op::OPENAPI, handler(move |call| docs::openapi(call, openapi.clone()))),
        (&op::DOCS, handler(move |call| docs::index_page(call, index_pages.clone()))),
        (&op::DOCS_PAGE, handler(move |call| docs::page(call, pages.clone()))),
    ];
    for operations in op::AUTHORISATIONS {
        let kind = operations.target;
        routes.extend::<[Route; 4]>([
            (&operations.start, handler(move |request| authorisation::start(request, kind))),
            (&operations.list, handler(move |request| authorisation::list(request, kind))),
            (&operations.get, handler(move |request| authorisation::get(request, kind))),
            (&operations.update, handler(move |request| authorisation::update(request, kind))),
        ]);
    }
    if sandbox {
        routes.extend::<[Route; 15]>([
            (&op::SANDBOX_CLOCK, handler(sandbox::clock_get)),
            (&op::SANDBOX_CLOCK_ADVANCE, handler(sandbox::clock_advance)),
            (&op::SANDBOX_MESSAGES, handler(sandbox::messages)),
            (&op::SANDBOX_APPLICATION, handler(sandbox::application_change)),
            (&op::SANDBOX_CALLBACKS, handler(sandbox::callback_list)),
            (&op::SANDBOX_OUTCOMES, handler(sandbox_bank::outcome_list)),
            (&op::SANDBOX_CUSTOMER_LIST, handler(sandbox_bank::customer_list)),
            (&op::SANDBOX_CUSTOMER, handler(sandbox_bank::customer_create)),
            (&op::SANDBOX_ACCOUNT, handler(sandbox_bank::account_create)),
            (&op::SANDBOX_CARD, handler(sandbox_bank::card_create)),
            (&op::SANDBOX_TRANSACTION, handler(sandbox_bank::transaction_create)),
            (&op::SANDBOX_TRANSACTION_LIST, handler(sandbox_bank::transaction_list)),
            (&op::SANDBOX_EXPORT, handler(sandbox_bank::bank_export)),
            (&op::SANDBOX_IMPORT, handler(sandbox_bank::bank_import)),
            (&op::SANDBOX_RESET, handler(sandbox_bank::bank_reset)),
        ]);
    }
    routes
}
