//! The style of the sandbox's pages, and the calls to the bank beside a page.

use crate::bank_client::Exchange;
use crate::callback::Callback;
use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::LazyLock;
use trapeza_http::AppState;
use trapeza_web::page_request::PageRequest;
use trapeza_web::site::{Form, Head, Input, Page, SiteStyle};

static SITE_STYLE: LazyLock<SiteStyle> = LazyLock::new(|| {
    SiteStyle::new("sandbox", "Sandbox", "sandbox", include_str!("../templates/sandbox.css"))
});

/// The calls to the bank, and what the bank has sent.
#[derive(Template)]
#[template(path = "sandbox/calls.html")]
pub struct Calls<'a> {
    pub calls: &'a [Exchange],
    pub callbacks: &'a [Callback],
}

pub fn respond(page: &Page, request: &PageRequest, status: StatusCode) -> Response {
    page.respond_with(&SITE_STYLE, &head(), request, status)
}

/// The response to a request that could not be read.
pub fn respond_without_session(page: &Page, state: &AppState, status: StatusCode) -> Response {
    page.respond_without_session(&SITE_STYLE, &head(), state, status)
}

/// A form that submits a step of its page.
pub fn step_form(request: &PageRequest, action: &str, step: &'static str, button: &str) -> Form {
    Form::new(request, action, button).prefix(step).field(Input::hidden("step", step))
}

fn head() -> Head {
    let tabs = vec![
        ("/", "Start"),
        ("/sandbox", "Sandbox"),
        ("/sample/tpp", "Third party"),
        ("/sample/shop", "Shop"),
        ("/docs", "Reference"),
    ];
    Head { caller: None, tabs }
}
