//! Protection against cross-site request forgery: a token in every form, and the origin that the browser reports.

use crate::Settings;
use axum::http::{HeaderMap, HeaderName, header};
use trapeza_app::App;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The token for the forms of one page in one session.
pub fn token(app: &App, session: &str, page: &str) -> String {
    app.csrf_token(session, page)
}

/// Whether a form's token belongs to this session and page.
pub fn token_is_valid(app: &App, session: &str, page: &str, token: &str) -> bool {
    app.csrf_token_verify(session, page, token)
}

/// Whether the browser reports no foreign origin. `null` is accepted: browsers send it for pages with our referrer policy.
pub fn is_same_origin(settings: &Settings, headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let site = text(&SEC_FETCH_SITE).is_none_or(|site| matches!(site, "same-origin" | "none"));
    let own = settings.public_url.trim_end_matches('/');
    let host = text(&header::HOST).unwrap_or_default();
    let origin = text(&header::ORIGIN).is_none_or(|origin| {
        let origin_host = origin.split_once("://").map(|(_, host)| host);
        origin == "null" || origin == own || (!host.is_empty() && origin_host == Some(host))
    });
    site && origin
}
