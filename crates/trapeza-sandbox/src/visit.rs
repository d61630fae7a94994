//! A visit of a page: the session cookie, the CSRF token of a form, and whether a form or a return belongs to the visitor's walkthrough.

use crate::page::{respond, respond_without_session};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use std::sync::Arc;
use trapeza_http::AppState;
use trapeza_http::session::SessionCookie;
use trapeza_web::page_request::PageRequest;
use trapeza_web::site::{Block, Page};

/// The session of the samples. `Lax`: the visitor returns from the bank's pages.
pub const SAMPLE_COOKIE: SessionCookie = SessionCookie {
    name: "trapeza-sample",
    name_secure: "__Host-trapeza-sample",
    path: "/sample",
    attributes: "SameSite=Lax",
};

/// The session of the page that manages the sandbox.
pub const SANDBOX_COOKIE: SessionCookie = SessionCookie {
    name: "trapeza-sandbox",
    name_secure: "__Host-trapeza-sandbox",
    path: "/sandbox",
    attributes: "SameSite=Lax",
};

/// Reads a request of a page. `Err` is the page for a form that cannot be read or has no valid CSRF token.
pub async fn read(
    state: Arc<AppState>,
    cookie: SessionCookie,
    path: &str,
    request: Request,
) -> Result<PageRequest, Response> {
    let is_form = request.method() == Method::POST;
    let Some(request) = PageRequest::read(state.clone(), cookie, path.to_owned(), request).await else {
        let page = Page::new("The form was not understood");
        let page = page.with(Block::text("The form was incomplete or too large. Nothing was changed."));
        return Err(respond_without_session(&page, &state, StatusCode::BAD_REQUEST));
    };
    if is_form && !request.csrf_valid() {
        let text = "The form has expired or comes from another site. Nothing was changed. Reload the page and send it again.";
        let page = Page::new("The form was not accepted").with(Block::text(text));
        let back = path.strip_suffix("/import").unwrap_or(path);
        let page = page.with(Block::button(back, "Go back"));
        return Err(respond(&page, &request, StatusCode::FORBIDDEN));
    }
    Ok(request)
}

/// The page for a step of a walkthrough that has expired, or that this browser has never begun.
pub fn no_walkthrough(request: &PageRequest, path: &str) -> Response {
    let own = request.state.settings.public_url.trim_end_matches('/');
    let text = format!(
        "This browser has no walkthrough in progress. A walkthrough ends half an hour after its last step and when the sandbox restarts. \
         If you opened the sample under another host name, open it under {own} instead."
    );
    let page = Page::new("The walkthrough has ended").with(Block::Text(text));
    let page = page.with(Block::button(path, "Start a new walkthrough"));
    respond(&page, request, StatusCode::GONE)
}

/// The page for a step of a walkthrough that another one has replaced.
pub fn other_walkthrough(request: &PageRequest, path: &str) -> Response {
    let text = "Another tab of this browser has started a new walkthrough since. Nothing was changed.";
    let page = Page::new("Another walkthrough is in progress").with(Block::text(text));
    let page = page.with(Block::button(path, "Continue with the newer walkthrough"));
    respond(&page, request, StatusCode::CONFLICT)
}
