//! Pages for customers and shoppers: strong customer authentication behind `scaRedirect`, the bank's app, the checkout
//! behind `redirectUrl`, and the loans of shoppers without an account here. They use no external resources and are not part of the documented API.
//!
//! `page_request` reads a browser's request; `sca`, `app`, `checkout` and `loan` call the app and choose the page; `templates` holds
//! the context of each template. The texts are in `trapeza_texts::page`.

mod app;
mod brand;
mod checkout;
mod document;
mod events;
mod home;
mod language;
pub mod layout;
mod loan;
pub mod page_request;
mod price;
mod review;
#[cfg(test)]
mod samples;
mod sca;
pub mod script;
mod security_policy;
pub mod site;
mod statistics;
mod styleguide;
mod summary;
mod templates;
#[cfg(test)]
mod tests;

pub use home::error_page;
pub use statistics::csv as statistics_csv;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use layout::{Back, Layout, render, render_without_cookie};
use page_request::{APP_COOKIE, CHECKOUT_COOKIE, LOAN_COOKIE, PageRequest, SCA_COOKIE};
use std::sync::Arc;
use templates::Notice;
use trapeza_app::UseCaseError;
use trapeza_app::basket::parse_public_id as basket_parse;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::reference::CreditorReference;
use trapeza_domain::statistics::{Interface, MeasuredCall, Service};
use trapeza_http::AppState;
use trapeza_http::error_response::{self, ErrorContext};
use trapeza_http::extract::CorrelationId;
use trapeza_http::session::SessionCookie;
use trapeza_texts::page::PageTexts;

pub fn routes(state: &Arc<AppState>) -> Router<Arc<AppState>> {
    // The price widget has a parameter for its language, because shops embed it.
    let price = Router::new()
        .route("/price/{merchant}", get(price::page))
        .route("/price/{merchant}/image.svg", get(price::picture));
    pages().layer(middleware::from_fn_with_state(state.clone(), language::switch)).merge(price)
}

fn pages() -> Router<Arc<AppState>> {
    Router::new()
        .route("/", any(home::home))
        .route("/sandbox/messages", any(home::messages))
        .route("/app/", any(home::unknown))
        .route("/app/{*path}", any(home::unknown))
        .route("/sca/{token}", get(sca_page).post(sca_page))
        .route("/app", get(app_page).post(app_page))
        .route("/app/accounts", get(app_page))
        .route("/app/accounts/{account}", get(app_page))
        .route("/app/transactions/{account}/{entry}", get(app_page))
        .route("/app/statements/{account}/{file}", get(app_page))
        .route("/app/cards/{card}", get(app_page))
        .route("/app/cards/{card}/{entry}", get(app_page))
        .route("/app/pay", get(app_page).post(app_page))
        .route("/app/payments", get(app_page))
        .route("/app/payments/{payment}", get(app_page))
        .route("/app/payments/{payment}/receipt.pdf", get(app_page))
        .route("/app/payments/{payment}/cancellation", get(app_page).post(app_page))
        .route("/app/loans", get(app_page))
        .route("/app/loans/{loan}", get(app_page))
        .route("/app/loans/{loan}/{ending}", get(app_page).post(app_page))
        .route("/app/loans/{loan}/documents/{document}", get(app_page))
        .route("/app/permissions", get(app_page))
        .route("/app/permissions/{permission}", get(app_page).post(app_page))
        .route("/app/devices", get(app_page))
        .route("/app/devices/{device}", get(app_page).post(app_page))
        .route("/app/help", get(app_page))
        .route("/app/device", get(app_page).post(app_page))
        .route("/app/events", get(app_events))
        .route("/app/worker.js", get(events::worker))
        .route("/app/manifest.webmanifest", get(events::manifest))
        .route("/app/icon.svg", get(events::icon))
        .route("/checkout/{basket}", get(checkout_page).post(checkout_page))
        .route("/checkout/{basket}/qr.png", get(checkout_picture))
        .route("/checkout/{basket}/documents/{document}", get(checkout_document))
        .route("/loan", get(loan_find_page).post(loan_find_page))
        .route("/loan/{reference}", get(loan_page).post(loan_page))
        .route("/loan/{reference}/documents/{document}", get(loan_document))
        .route("/bank/{logo}", get(brand::logo))
        .route("/styleguide", get(styleguide::page))
        .route("/statistics", get(statistics::current))
        .route("/statistics/{quarter}", get(statistics::quarter))
}

/// How the page with a path is counted in the statistics: the customers' own interface is the app. Its events, which last as
/// long as a page is open, and its files are not counted, nor are the pages of the checkout and of third parties' requests.
pub fn measured_call(path: &str) -> Option<MeasuredCall> {
    let rest = path.strip_prefix("/app")?;
    let service = match rest.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or_default()) {
        None if rest.is_empty() => Service::Other,
        Some("accounts" | "cards" | "transactions" | "statements") => Service::AccountInformation,
        Some("pay" | "payments") => Service::PaymentInitiation,
        Some("loans" | "permissions" | "device" | "devices" | "help") => Service::Other,
        _ => return None,
    };
    Some(MeasuredCall { interface: Interface::Customer, service })
}

async fn sca_page(
    State(state): State<Arc<AppState>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    // A malformed path is treated as an unknown link.
    let token = path.map(|Path(token)| token).unwrap_or_default();
    let sent = request.method() == Method::POST;
    let page = format!("/sca/{token}");
    let request = match read(state, SCA_COOKIE, page, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    if sent { sca::post(&request, &token).await } else { sca::get(&request, &token).await }
}

async fn app_page(State(state): State<Arc<AppState>>, request: Request) -> Response {
    let sent = request.method() == Method::POST;
    let page = request.uri().path().to_owned();
    let request = match read(state, APP_COOKIE, page, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    app::serve(&request, sent).await
}

async fn app_events(State(state): State<Arc<AppState>>, request: Request) -> Response {
    match read(state, APP_COOKIE, "/app".to_owned(), request).await {
        Ok(request) => events::events(&request).await,
        Err(response) => response,
    }
}

async fn checkout_page(
    State(state): State<Arc<AppState>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let basket = path.map(|Path(basket)| basket).unwrap_or_default();
    let sent = request.method() == Method::POST;
    // A malformed basket id is not echoed into the page.
    let page = basket_parse(&basket).map_or("/checkout".to_owned(), |basket| format!("/checkout/{basket}"));
    let request = match read(state, CHECKOUT_COOKIE, page, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    if sent { checkout::post(&request, &basket).await } else { checkout::get(&request, &basket).await }
}

async fn checkout_document(
    State(state): State<Arc<AppState>>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let (basket, document) = path.map(|Path(names)| names).unwrap_or_default();
    let page = basket_parse(&basket).map_or("/checkout".to_owned(), |basket| format!("/checkout/{basket}"));
    match read(state, CHECKOUT_COOKIE, page, request).await {
        Ok(request) => checkout::serve_document(&request, &basket, &document).await,
        Err(response) => response,
    }
}

async fn loan_find_page(State(state): State<Arc<AppState>>, request: Request) -> Response {
    let sent = request.method() == Method::POST;
    match read(state, LOAN_COOKIE, loan::PATH.to_owned(), request).await {
        Ok(request) => loan::find(&request, sent),
        Err(response) => response,
    }
}

async fn loan_page(
    State(state): State<Arc<AppState>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let reference = path.map(|Path(reference)| reference).unwrap_or_default();
    let sent = request.method() == Method::POST;
    // A malformed reference is not echoed into the page.
    let page =
        CreditorReference::find_in(&reference).map_or(loan::PATH.to_owned(), |found| loan::path(&found));
    let request = match read(state, LOAN_COOKIE, page, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    if sent { loan::post(&request, &reference).await } else { loan::get(&request, &reference).await }
}

/// Reads the request, or responds that its form cannot be read.
async fn read(
    state: Arc<AppState>,
    cookie: SessionCookie,
    page: String,
    request: Request,
) -> Result<PageRequest, Response> {
    let (bank, texts) = (state.clone(), language::texts(&state, request.headers()));
    PageRequest::read(state, cookie, page, request).await.ok_or_else(|| bad_form(&bank, texts))
}

async fn loan_document(
    State(state): State<Arc<AppState>>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let (reference, file) = path.map(|Path(names)| names).unwrap_or_default();
    match read(state, LOAN_COOKIE, loan::PATH.to_owned(), request).await {
        Ok(request) => loan::serve_document(&request, &reference, &file).await,
        Err(response) => response,
    }
}

/// The QR code of a checkout. It contains only the URL of the checkout.
async fn checkout_picture(
    State(state): State<Arc<AppState>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let basket = path.map(|Path(basket)| basket).unwrap_or_default();
    let found = match basket_parse(&basket) {
        Ok(public) => state.app.basket_exists(public).await.map(|()| public),
        Err(refusal) => Err(refusal.into()),
    };
    match found {
        Ok(public) => {
            let picture = trapeza_qr::png(&state.settings.checkout_url(public));
            let kind = HeaderValue::from_static("image/png");
            (StatusCode::OK, [(header::CONTENT_TYPE, kind)], Body::from(picture)).into_response()
        }
        Err(error) => {
            let correlation = CorrelationId::of(request.extensions());
            let context = ErrorContext::of_path(request.uri().path(), correlation);
            error_response::from_error(&ErrorContext { field_spelling: basket_spelling, ..context }, error)
        }
    }
}

/// The id of the basket is the only field of a checkout's path.
fn basket_spelling(path: &FieldPath) -> String {
    let is_basket = path.outermost() == Some(Field::BasketId);
    if is_basket { "basketId".to_owned() } else { String::new() }
}

/// The response to a form without a valid CSRF token or session.
fn csrf_failed(request: &PageRequest) -> Response {
    let layout = Layout::of(request, request.texts.form_title);
    let text = request.texts.form_text;
    render(request, StatusCode::FORBIDDEN, &Notice { layout, text, back: Some(back_link(request)) })
}

/// The response to an internal error, which is logged.
fn internal_error(request: &PageRequest, error: &UseCaseError) -> Response {
    if !error.is_overload() {
        tracing::error!(correlation = %request.correlation(), %error, "page request failed with an internal error");
    }
    let layout = Layout::of(request, request.texts.trouble_title);
    let text = request.texts.trouble_text;
    render(request, StatusCode::SERVICE_UNAVAILABLE, &Notice { layout, text, back: Some(back_link(request)) })
}

/// The response to an incomplete or oversized form.
fn bad_form(state: &AppState, texts: &'static PageTexts) -> Response {
    let layout = Layout::new(texts, state.app.bank_profile(), false, texts.trouble_title);
    render_without_cookie(
        state,
        StatusCode::BAD_REQUEST,
        &Notice { layout, text: texts.trouble_text, back: None },
    )
}

fn back_link(request: &PageRequest) -> Back {
    Back { href: request.page.clone(), label: request.texts.try_again.to_owned() }
}
