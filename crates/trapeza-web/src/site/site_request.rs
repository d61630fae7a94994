//! A request for a page of a site: who sends it, whether they may, and what happens to refusals and failures.

use super::Site;
use super::page::{Block, Head, Page};
use super::route::{Access, Method, PageResult, Route};
use crate::layout::redirect;
use crate::page_request::PageRequest;
use axum::extract::{RawPathParams, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use std::sync::Arc;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::AppState;

pub struct SiteRequest<S: Site> {
    pub web: PageRequest,
    caller: Option<S::Caller>,
    parameters: Vec<(String, String)>,
    browser: String,
}

/// Runs a route: the session, the role, the CSRF token of a form, then the page.
pub(super) async fn serve<S: Site>(
    state: Arc<AppState>,
    route: &'static Route<S>,
    parameters: RawPathParams,
    request: Request,
) -> Response {
    let parameters = parameters.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let page = request.uri().path().to_owned();
    let agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let browser = agent.unwrap_or_default().to_owned();
    let Some(web) = PageRequest::read(state.clone(), S::COOKIE, page, request).await else {
        let page = Page::new("The form was not understood");
        let page = page.with(Block::text("The form was incomplete or too large. Nothing was changed."));
        return page.respond_without_session(S::look(), &Head::default(), &state, StatusCode::BAD_REQUEST);
    };
    let mut request = SiteRequest { web, caller: None, parameters, browser };
    match run(&mut request, route).await {
        Ok(response) => response,
        Err(error) => error_page(&request, &error),
    }
}

async fn run<S: Site>(request: &mut SiteRequest<S>, route: &'static Route<S>) -> PageResult {
    if request.web.has_session() {
        request.caller = S::find_caller(request.app(), &request.web.session).await?;
    }
    if let Access::Role(role) = route.access {
        let Some(caller) = &request.caller else { return Ok(redirect(S::SIGN_IN)) };
        S::require(caller, role)?;
    }
    if route.method == Method::Post && !request.web.csrf_valid() {
        let text = "The form has expired or comes from another site. Nothing was changed. Go back, reload the page and send it again.";
        let page = Page::new("The form was not accepted").with(Block::text(text));
        return Ok(page.respond(request, StatusCode::FORBIDDEN));
    }
    (route.handler)(request).await
}

impl<S: Site> SiteRequest<S> {
    pub fn app(&self) -> &App {
        &self.web.state.app
    }

    pub fn public_url(&self) -> &str {
        self.web.state.settings.public_url.trim_end_matches('/')
    }

    /// The caller, if one is signed in.
    pub fn caller(&self) -> Option<&S::Caller> {
        self.caller.as_ref()
    }

    /// The caller of a route that requires a role.
    pub fn signed_in(&self) -> Result<&S::Caller, Refusal> {
        self.caller.as_ref().ok_or_else(|| Refusal::new(RefusalReason::RoleMissing, "sign in first"))
    }

    /// A parameter of the path; empty when the route has none of this name.
    pub fn parameter(&self, name: &str) -> &str {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// The id in the path. An id that does not parse belongs to no object.
    pub fn id<T>(&self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, Refusal> {
        parse(self.parameter(name))
            .ok_or_else(|| Refusal::new(RefusalReason::ResourceUnknown, "unknown object"))
    }

    /// What the browser says of itself.
    pub fn browser(&self) -> &str {
        &self.browser
    }

    /// A redirect with the cookie of a new session.
    pub fn redirect_with_session(&self, address: &str, token: &str) -> Response {
        self.with_session(redirect(address), token)
    }

    /// Replaces the session token of the browser, so that one that was planted before the sign-in is worthless.
    pub fn with_session(&self, mut response: Response, token: &str) -> Response {
        if let Some(cookie) = self.web.cookie.set(&self.web.state.settings, token) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }
}

/// Whether a form is shown again with the errors of a refusal.
pub fn is_form_error(refusal: &Refusal) -> bool {
    !matches!(refusal.reason, RefusalReason::ResourceUnknown | RefusalReason::RoleMissing)
}

fn error_page<S: Site>(request: &SiteRequest<S>, error: &UseCaseError) -> Response {
    let refusal = match error {
        UseCaseError::Refused(refusal) => refusal,
        UseCaseError::Failed(error) => {
            tracing::error!(%error, site = S::look().name, "page request failed with an internal error");
            let text = "Something failed on our side. Try again in a moment.";
            let page = Page::new("Not available now").with(Block::text(text));
            return page.respond(request, StatusCode::SERVICE_UNAVAILABLE);
        }
    };
    let (status, title) = match refusal.reason {
        RefusalReason::ResourceUnknown => (StatusCode::NOT_FOUND, "Not found"),
        RefusalReason::RoleMissing => (StatusCode::FORBIDDEN, "Not permitted"),
        RefusalReason::RateExceeded => (StatusCode::TOO_MANY_REQUESTS, "Too many attempts"),
        RefusalReason::StatusInvalid | RefusalReason::StepOutOfOrder => {
            (StatusCode::CONFLICT, "This is not possible now")
        }
        _ => (StatusCode::BAD_REQUEST, "The request was refused"),
    };
    let mut page = Page::new(title);
    for error in &refusal.errors {
        page = page.with(Block::text(&sentence(&error.text)));
    }
    let mut response = page.respond(request, status);
    if let Some(wait) = refusal.retry_after {
        let seconds = wait.0.max(0) / 1_000_000 + 1;
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// An error text as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
