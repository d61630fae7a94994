//! Pages for customers, in their language, without anything from elsewhere: strong authentication behind `scaRedirect`,
//! the bank's app, and the checkout behind `redirectUrl`. They are no part of the interface for programs, and so not in
//! its document.
//!
//! `visit` reads a browser's request, `sca` and `app` ask the app what becomes of it, `view` holds what each template is
//! given, `words` every text in both languages.

mod app;
mod checkout;
mod facts;
mod frame;
mod live;
#[cfg(test)]
mod samples;
mod sca;
mod script;
mod table;
#[cfg(test)]
mod tests;
mod view;
mod visit;
mod words;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use frame::{Back, Frame, bare, show};
use std::sync::Arc;
use trapeza_app::UseCaseError;
use trapeza_app::basket::parse_public_id as basket_parse;
use trapeza_http::Bank;
use trapeza_http::call::Correlation;
use trapeza_http::error_response::{self, Context};
use trapeza_http::qr;
use uuid::Uuid;
use view::Notice;
use visit::{APP_COOKIE, CHECKOUT_COOKIE, SCA_COOKIE, Visit};
use words::Words;

pub fn routes() -> Router<Arc<Bank>> {
    Router::new()
        .route("/sca/{token}", get(sca_page).post(sca_page))
        .route("/app", get(app_page).post(app_page))
        .route("/app/accounts", get(app_page))
        .route("/app/accounts/{account}", get(app_page))
        .route("/app/pay", get(app_page).post(app_page))
        .route("/app/loans", get(app_page).post(app_page))
        .route("/app/permissions", get(app_page).post(app_page))
        .route("/app/events", get(app_events))
        .route("/app/worker.js", get(live::worker))
        .route("/app/manifest.webmanifest", get(live::manifest))
        .route("/app/icon.svg", get(live::icon))
        .route("/checkout/{basket}", get(checkout_page).post(checkout_page))
        .route("/checkout/{basket}/qr.png", get(checkout_picture))
}

async fn sca_page(
    State(bank): State<Arc<Bank>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    // What cannot be read is a link that never was.
    let token = path.map(|Path(token)| token).unwrap_or_default();
    let (sent, words) = (request.method() == Method::POST, Words::of(request.headers()));
    let page = format!("/sca/{token}");
    let Some(visit) = Visit::read(bank, SCA_COOKIE, page, request).await else { return broken_off(words) };
    if sent { sca::act(&visit, &token).await } else { sca::look(&visit, &token).await }
}

async fn app_page(State(bank): State<Arc<Bank>>, request: Request) -> Response {
    let (sent, words) = (request.method() == Method::POST, Words::of(request.headers()));
    let page = request.uri().path().to_owned();
    let Some(visit) = Visit::read(bank, APP_COOKIE, page, request).await else { return broken_off(words) };
    app::serve(&visit, sent).await
}

async fn app_events(State(bank): State<Arc<Bank>>, request: Request) -> Response {
    let words = Words::of(request.headers());
    match Visit::read(bank, APP_COOKIE, "/app".to_owned(), request).await {
        Some(visit) => live::events(&visit),
        None => broken_off(words),
    }
}

async fn checkout_page(
    State(bank): State<Arc<Bank>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let basket = path.map(|Path(basket)| basket).unwrap_or_default();
    let (sent, words) = (request.method() == Method::POST, Words::of(request.headers()));
    // An address that names no basket is not repeated into the page.
    let page = basket_parse(&basket).map_or("/checkout".to_owned(), |basket| format!("/checkout/{basket}"));
    let read = Visit::read(bank, CHECKOUT_COOKIE, page, request).await;
    let Some(visit) = read else { return broken_off(words) };
    if sent { checkout::act(&visit, &basket).await } else { checkout::look(&visit, &basket).await }
}

/// The QR code of a checkout. It says no more than the address under which it was asked for.
async fn checkout_picture(
    State(bank): State<Arc<Bank>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let basket = path.map(|Path(basket)| basket).unwrap_or_default();
    let found = match basket_parse(&basket) {
        Ok(public) => bank.app.basket_exists(public).await.map(|()| public),
        Err(refusal) => Err(refusal.into()),
    };
    match found {
        Ok(public) => {
            let picture = qr::png(&bank.settings.checkout_url(public));
            let kind = HeaderValue::from_static("image/png");
            (StatusCode::OK, [(header::CONTENT_TYPE, kind)], Body::from(picture)).into_response()
        }
        Err(stop) => {
            let correlation = request.extensions().get::<Correlation>().map_or(Uuid::nil(), |id| id.0);
            error_response::stop(&Context::of_path(request.uri().path(), correlation), stop)
        }
    }
}

/// A form that is not ours, or has lost its cookie. Nothing was done.
fn not_ours(visit: &Visit) -> Response {
    let frame = Frame::of(visit, visit.words.form_title);
    let text = visit.words.form_text;
    show(visit, StatusCode::FORBIDDEN, &Notice { frame, text, back: Some(again(visit)) })
}

/// A failure of ours. What it was is for the log.
fn trouble(visit: &Visit, stop: &UseCaseError) -> Response {
    tracing::error!(%stop, "a page failed on our side");
    let frame = Frame::of(visit, visit.words.trouble_title);
    let text = visit.words.trouble_text;
    show(visit, StatusCode::SERVICE_UNAVAILABLE, &Notice { frame, text, back: Some(again(visit)) })
}

/// A form that did not arrive, or was larger than any of ours.
fn broken_off(words: &'static Words) -> Response {
    let frame = Frame::new(words, false, words.trouble_title);
    bare(StatusCode::BAD_REQUEST, &Notice { frame, text: words.trouble_text, back: None })
}

fn again(visit: &Visit) -> Back {
    Back { href: visit.page.clone(), label: visit.words.try_again.to_owned() }
}
