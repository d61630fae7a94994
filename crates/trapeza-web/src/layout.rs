//! The layout of all pages and their response headers.

use super::brand::{BrandView, branded_policy};
use super::language::{self, LanguageLink};
pub use super::security_policy::content_security_policy;

use super::page_request::PageRequest;
use super::script::Script;
use askama::Template;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, LazyLock};
use trapeza_app::bank_profile::BankProfile;
use trapeza_http::AppState;
use trapeza_texts::page::PageTexts;

/// The style of all pages. Pages of other crates add their own rules to it.
pub const STYLE: &str = concat!(include_str!("../templates/pages.css"), include_str!("../templates/app.css"));

/// The layout of a page.
#[derive(Clone, Debug)]
pub struct Layout {
    pub texts: &'static PageTexts,
    pub bank_name: Arc<str>,
    pub brand: BrandView,
    /// How customers reach the bank: links with their labels.
    pub contact: Vec<Back>,
    /// The page in the bank's other languages.
    pub languages: Vec<LanguageLink>,
    pub title: String,
    pub style: &'static str,
    /// Shows the banner of the sandbox.
    pub sandbox: bool,
    /// The script of the page.
    pub script: Option<Script>,
}

/// The action and CSRF token of a form.
#[derive(Clone, Debug)]
pub struct Form {
    pub action: String,
    pub csrf: String,
}

/// A link that leaves the page.
#[derive(Clone, Debug)]
pub struct Back {
    pub href: String,
    pub label: String,
}

impl Layout {
    pub fn new(texts: &'static PageTexts, bank: &BankProfile, sandbox: bool, title: &str) -> Self {
        Self {
            texts,
            bank_name: bank.name.clone(),
            brand: BrandView::of(&bank.brand),
            contact: contact(bank),
            languages: language::links(&bank.languages, texts.language, ("", "")),
            title: title.to_owned(),
            style: STYLE,
            sandbox,
            script: None,
        }
    }

    pub fn of(request: &PageRequest, title: &str) -> Self {
        let state = &request.state;
        let bank = state.app.bank_profile();
        let languages =
            language::links(&bank.languages, request.texts.language, ("", request.query_string()));
        Self { languages, ..Self::new(request.texts, bank, state.settings.sandbox, title) }
    }

    pub fn with(self, script: Script) -> Self {
        Self { script: Some(script), ..self }
    }
}

impl Form {
    /// A form of the current page.
    pub fn of(request: &PageRequest) -> Self {
        Self::to(request, &request.page)
    }

    /// A form of another page.
    pub fn to(request: &PageRequest, page: &str) -> Self {
        Self { action: page.to_owned(), csrf: request.csrf_token(page) }
    }
}

fn contact(bank: &BankProfile) -> Vec<Back> {
    let contact = &bank.contact;
    let link = |scheme: &str, label: &str| Back { href: format!("{scheme}{label}"), label: label.to_owned() };
    let telephone = contact.telephone.as_ref().map(|phone| link("tel:", phone.as_str()));
    let email = contact.email.as_ref().map(|email| link("mailto:", email.as_str()));
    let website = contact.website.as_ref().map(|website| link("", website));
    [telephone, email, website].into_iter().flatten().collect()
}

/// Renders a page as a response.
pub fn render(request: &PageRequest, status: StatusCode, page: &impl Template) -> Response {
    let mut response = render_without_cookie(&request.state, status, page);
    if let Some(cookie) = request.new_session_cookie() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// The same without a session cookie, for a request that could not be read.
pub fn render_without_cookie(state: &AppState, status: StatusCode, page: &impl Template) -> Response {
    static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
        let scripts: Vec<&str> = Script::ALL.iter().map(|script| script.text()).collect();
        content_security_policy(STYLE, &scripts)
    });
    html_response(status, page, &branded_policy(&POLICY, state.app.bank_profile()))
}

/// Renders a page with its own content security policy, see [`content_security_policy`].
pub fn html_response(status: StatusCode, page: &impl Template, policy: &HeaderValue) -> Response {
    let html = page.render().expect("the template writes into a String, which cannot fail");
    let text = |value| HeaderValue::from_static(value);
    let headers = [
        (header::CONTENT_TYPE, text("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, policy.clone()),
        (header::REFERRER_POLICY, text("no-referrer")),
        (header::X_FRAME_OPTIONS, text("DENY")),
        (header::CACHE_CONTROL, text("no-store")),
        (header::VARY, text("Accept, Accept-Language, Cookie")),
    ];
    (status, headers, Body::from(html)).into_response()
}

/// Redirects to another page, so that a reload does not repeat the form.
pub fn redirect(address: &str) -> Response {
    let place = HeaderValue::from_str(address).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}
