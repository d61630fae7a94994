//! A request for a page of a site, and who sends it.

use super::Site;
use crate::layout::redirect;
use crate::page_request::PageRequest;
use axum::http::header;
use axum::response::Response;
use trapeza_app::App;
use trapeza_domain::refusal::{Refusal, RefusalReason};

pub struct SiteRequest<S: Site> {
    pub web: PageRequest,
    pub(super) caller: Option<S::Caller>,
    pub(super) parameters: Vec<(String, String)>,
    pub(super) browser: String,
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
