//! The handler of every operation, below the base of the dialect.

use crate::docs;
use crate::handler::card::CardResource;
use crate::handler::{account, authorisation, card, consent, funds, payment, refused, signing_basket};
use crate::operation as op;
use std::sync::{Arc, OnceLock};
use trapeza_domain::authorisation::TargetKind;
use trapeza_http::BerlinGroupSettings;
use trapeza_http::extract::handler;
use trapeza_http::operation::Operation;
use trapeza_http::router::{OperationHandler, Route};

/// All operations with their handlers.
pub fn routes(settings: &BerlinGroupSettings) -> Vec<Route> {
    relative_routes().into_iter().map(|(operation, handler)| (below(settings, operation), handler)).collect()
}

/// The operation with its path below the base. Operations live as long as the process: a server has one base.
fn below(settings: &BerlinGroupSettings, operation: &Operation) -> &'static Operation {
    let path: &'static str = [settings.base.as_str(), operation.path].concat().leak();
    Box::leak(Box::new(Operation { path, ..operation.clone() }))
}

#[rustfmt::skip]
fn relative_routes() -> Vec<(&'static Operation, OperationHandler)> {
    let mut routes: Vec<(&'static Operation, OperationHandler)> = vec![
        (&op::CONSENT_CREATE, handler(consent::create)),
        (&op::CONSENT_GET, handler(consent::get)),
        (&op::CONSENT_STATUS, handler(consent::status)),
        (&op::CONSENT_DELETE, handler(consent::delete)),
        (&op::ACCOUNT_LIST, handler(account::list)),
        (&op::ACCOUNT_DETAILS, handler(account::details)),
        (&op::ACCOUNT_BALANCES, handler(account::balances)),
        (&op::TRANSACTION_LIST, handler(account::transactions)),
        (&op::TRANSACTION_DETAILS, handler(account::transaction)),
        (&op::PAYMENT_INITIATE, handler(payment::initiate)),
        (&op::PAYMENT_GET, handler(payment::get)),
        (&op::PAYMENT_STATUS, handler(payment::status)),
        (&op::PAYMENT_EXTENDED_STATUS, handler(payment::extended_status)),
        (&op::PAYMENT_CANCEL, handler(payment::cancel)),
        (&op::SIGNING_BASKET_CREATE, handler(signing_basket::create)),
        (&op::SIGNING_BASKET_GET, handler(signing_basket::get)),
        (&op::SIGNING_BASKET_STATUS, handler(signing_basket::status)),
        (&op::SIGNING_BASKET_DELETE, handler(signing_basket::delete)),
        (&op::FUNDS_CONFIRMATION, handler(funds::confirm)),
        (&op::FUNDS_CONSENT_CREATE, handler(funds::create)),
        (&op::FUNDS_CONSENT_GET, handler(funds::get)),
        (&op::FUNDS_CONSENT_STATUS, handler(funds::status)),
        (&op::FUNDS_CONSENT_DELETE, handler(funds::delete)),
    ];
    let cards = [
        (CardResource::CardAccount, [&op::CARD_ACCOUNT_LIST, &op::CARD_ACCOUNT_DETAILS, &op::CARD_ACCOUNT_BALANCES, &op::CARD_ACCOUNT_TRANSACTIONS]),
        (CardResource::Card, [&op::CARD_LIST, &op::CARD_DETAILS, &op::CARD_BALANCES, &op::CARD_TRANSACTIONS]),
    ];
    for (resource, [list, details, balances, transactions]) in cards {
        routes.push((list, handler(move |request| card::list(request, resource))));
        routes.push((details, handler(move |request| card::details(request, resource))));
        routes.push((balances, handler(move |request| card::balances(request, resource))));
        routes.push((transactions, handler(move |request| card::transactions(request, resource))));
    }
    let authorisations = [
        (TargetKind::Consent, [&op::CONSENT_AUTHORISATION_START, &op::CONSENT_AUTHORISATION_LIST, &op::CONSENT_AUTHORISATION_GET, &op::CONSENT_AUTHORISATION_UPDATE]),
        (TargetKind::FundsConsent, [&op::FUNDS_CONSENT_AUTHORISATION_START, &op::FUNDS_CONSENT_AUTHORISATION_LIST, &op::FUNDS_CONSENT_AUTHORISATION_GET, &op::FUNDS_CONSENT_AUTHORISATION_UPDATE]),
        (TargetKind::Payment, [&op::PAYMENT_AUTHORISATION_START, &op::PAYMENT_AUTHORISATION_LIST, &op::PAYMENT_AUTHORISATION_GET, &op::PAYMENT_AUTHORISATION_UPDATE]),
        (TargetKind::Cancellation, [&op::CANCELLATION_AUTHORISATION_START, &op::CANCELLATION_AUTHORISATION_LIST, &op::CANCELLATION_AUTHORISATION_GET, &op::CANCELLATION_AUTHORISATION_UPDATE]),
        (TargetKind::SigningBasket, [&op::SIGNING_BASKET_AUTHORISATION_START, &op::SIGNING_BASKET_AUTHORISATION_LIST, &op::SIGNING_BASKET_AUTHORISATION_GET, &op::SIGNING_BASKET_AUTHORISATION_UPDATE]),
    ];
    for (kind, [start, list, get, update]) in authorisations {
        routes.push((start, handler(move |request| authorisation::start(request, kind))));
        routes.push((list, handler(move |request| authorisation::list(request, kind))));
        routes.push((get, handler(move |request| authorisation::get(request, kind))));
        routes.push((update, handler(move |request| authorisation::update(request, kind))));
    }
    routes.push((&op::BASE, handler(docs::base)));
    let rendered = Arc::new(OnceLock::new());
    routes.push((&op::OPENAPI, handler(move |request| docs::openapi(request, rendered.clone()))));
    routes.extend(op::REFUSED.iter().map(|operation| (operation, handler(refused::service))));
    routes
}
