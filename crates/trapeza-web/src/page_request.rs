//! A browser's request for a page: language, session, form fields and the CSRF check.

use super::language;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use trapeza_app::UseCaseError;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_domain::text::is_control_or_bidi;
use trapeza_http::extract::CorrelationId;
use trapeza_http::server::Peer;
use trapeza_http::session::SessionCookie;
use trapeza_http::{AppState, csrf};
use trapeza_texts::page::PageTexts;
use url::form_urlencoded;
use uuid::Uuid;

/// The largest form that is read.
const MAX_FORM_BYTES: usize = 16 * 1024;
/// The longest user name that is read.
const MAX_USER_NAME_CHARS: usize = 50;

/// The session of the redirect pages. `Lax`: the customer comes from the third party's site.
pub const SCA_COOKIE: SessionCookie = SessionCookie {
    name: "trapeza-sca",
    name_secure: "__Host-trapeza-sca",
    path: "/sca",
    attributes: "SameSite=Lax",
};

/// The session of the checkout. `Lax`: the shopper comes from the merchant's site.
pub const CHECKOUT_COOKIE: SessionCookie = SessionCookie {
    name: "trapeza-checkout",
    name_secure: "__Host-trapeza-checkout",
    path: "/checkout",
    attributes: "SameSite=Lax",
};

/// The session of a borrower's loan page. `Lax`: the borrower may follow a link.
pub const LOAN_COOKIE: SessionCookie = SessionCookie {
    name: "trapeza-loan",
    name_secure: "__Host-trapeza-loan",
    path: "/loan",
    attributes: "SameSite=Lax",
};

/// The session of the bank's app, which no other site links into. It lasts as long as a device stays enrolled.
pub const APP_COOKIE: SessionCookie = SessionCookie {
    name: "trapeza-app",
    name_secure: "__Host-trapeza-app",
    path: "/app",
    attributes: "SameSite=Strict; Max-Age=7776000",
};

pub struct PageRequest {
    pub state: Arc<AppState>,
    pub texts: &'static PageTexts,
    /// The session token: the one that the browser sent, or a new one that is set with the response.
    pub session: String,
    /// The path that CSRF tokens are bound to: the token of one page is invalid on another.
    pub page: String,
    pub cookie: SessionCookie,
    parts: Parts,
    form: Vec<(String, Secret<String>)>,
    has_session: bool,
}

impl PageRequest {
    /// Reads the request. `None` when the form was incomplete or too large.
    pub async fn read(
        state: Arc<AppState>,
        cookie: SessionCookie,
        page: String,
        request: Request,
    ) -> Option<Self> {
        let (parts, body) = request.into_parts();
        let body =
            if parts.method == Method::POST { to_bytes(body, MAX_FORM_BYTES).await.ok()? } else { "".into() };
        let form = form_urlencoded::parse(&body)
            .map(|(name, value)| (name.into_owned(), Secret::new(without_nul(&value))))
            .collect();
        let sent = cookie.token(&state.settings, &parts.headers);
        Some(Self {
            texts: language::texts(&state, &parts.headers),
            has_session: sent.is_some(),
            session: sent.unwrap_or_else(|| state.app.session_token_new()),
            page,
            cookie,
            parts,
            form,
            state,
        })
    }

    /// A field of the form without surrounding spaces; empty when it is absent.
    pub fn field(&self, name: &str) -> &str {
        let found = self.form.iter().find(|(other, _)| other == name);
        found.map_or("", |(_, value)| value.expose().trim())
    }

    /// The typed user name. Customers have none with control characters.
    pub fn user_name(&self) -> String {
        let readable =
            |letter: char| if is_control_or_bidi(letter) { char::REPLACEMENT_CHARACTER } else { letter };
        self.field("user").chars().take(MAX_USER_NAME_CHARS).map(readable).collect()
    }

    /// A field as it was typed, with its spaces.
    pub fn secret(&self, name: &str) -> Secret<String> {
        let found = self.form.iter().find(|(other, _)| other == name);
        found.map_or(Secret::new(String::new()), |(_, value)| value.clone())
    }

    /// The query of a page that was loaded; empty when a form was sent.
    pub fn query_string(&self) -> &str {
        if self.parts.method == Method::POST { "" } else { self.parts.uri.query().unwrap_or_default() }
    }

    pub fn query(&self, name: &str) -> Option<String> {
        let query = self.parts.uri.query().unwrap_or_default();
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(other, _)| other == name).map(|(_, value)| without_nul(&value))
    }

    /// The CSRF token for the forms of a page.
    pub fn csrf_token(&self, page: &str) -> String {
        csrf::token(&self.state.app, &self.session, page)
    }

    /// Whether the form was rendered by this page for this session.
    pub fn csrf_valid(&self) -> bool {
        self.has_session
            && csrf::token_is_valid(&self.state.app, &self.session, &self.page, self.field("csrf"))
            && csrf::is_same_origin(&self.state.settings, &self.parts.headers)
    }

    /// Whether the browser sent a session token.
    pub const fn has_session(&self) -> bool {
        self.has_session
    }

    /// Finds the log lines of the request.
    pub fn correlation(&self) -> Uuid {
        CorrelationId::of(&self.parts.extensions)
    }

    /// The `Set-Cookie` header for a browser without a session.
    pub fn new_session_cookie(&self) -> Option<HeaderValue> {
        if self.has_session { None } else { self.cookie.set(&self.state.settings, &self.session) }
    }

    /// Runs a step that verifies a password, within the budget of failed sign-ins of the browser's address. Only a wrong
    /// password uses up the budget.
    pub async fn within_sign_in_budget<T>(
        &self,
        step: impl Future<Output = Result<T, UseCaseError>>,
    ) -> Result<T, UseCaseError> {
        let peer = self.parts.extensions.get::<Peer>();
        let address = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.address.ip());
        let attempt = self.state.rate_limiter.begin_sign_in(address)?;
        let result = step.await;
        let wrong = matches!(&result, Err(UseCaseError::Refused(refusal))
            if refusal.reason == RefusalReason::CredentialsInvalid);
        if let Some(attempt) = attempt.filter(|_| !wrong) {
            attempt.refund();
        }
        result
    }
}

/// PostgreSQL accepts no NUL in a text.
fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
