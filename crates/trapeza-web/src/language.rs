//! The language of a reader: the one they chose, which a cookie remembers, or else the one that the browser prefers.
//!
//! A link `?lang=el` on any page sets the cookie and leads back to the same page, so that a flow goes on where it was.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use trapeza_app::bank_profile::Languages;
use trapeza_http::AppState;
use trapeza_texts::Language;
use trapeza_texts::page::PageTexts;
use url::form_urlencoded;

const COOKIE: &str = "trapeza-language";
/// The cookie lasts a year. It contains the tag of a language and nothing about the reader.
const ATTRIBUTES: &str = "Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly";
const PARAMETER: &str = "lang";

/// A link that shows the page in another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageLink {
    pub tag: &'static str,
    /// The language's name in itself.
    pub name: &'static str,
    pub href: String,
}

/// The texts in the language of the reader.
pub fn texts(state: &AppState, headers: &HeaderMap) -> &'static PageTexts {
    let languages = &state.app.bank_profile().languages;
    let chosen = cookie(headers).and_then(|tag| languages.find(tag));
    PageTexts::of(chosen.unwrap_or_else(|| accepted(languages, headers)))
}

/// The texts in the language that the browser prefers, for responses that caches share.
pub fn accepted_texts(state: &AppState, headers: &HeaderMap) -> &'static PageTexts {
    PageTexts::of(accepted(&state.app.bank_profile().languages, headers))
}

fn accepted(languages: &Languages, headers: &HeaderMap) -> Language {
    let values = headers.get_all(header::ACCEPT_LANGUAGE).iter().filter_map(|value| value.to_str().ok());
    languages.accepted(values)
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// Links to a page with this query in the bank's other languages. An empty path is the page itself.
pub fn links(languages: &Languages, current: Language, (path, query): (&str, &str)) -> Vec<LanguageLink> {
    let rest = if query.is_empty() { String::new() } else { format!("&{query}") };
    let others = languages.as_slice().iter().filter(|language| **language != current);
    let link = |language: &Language| LanguageLink {
        tag: language.tag(),
        name: language.own_name(),
        href: format!("{path}?{PARAMETER}={}{rest}", language.tag()),
    };
    others.map(link).collect()
}

/// Remembers the language of a link `?lang=el` and redirects to the same page without it. The target is the request's own path,
/// which is one of the bank's pages.
pub async fn switch(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let is_read = *request.method() == Method::GET;
    let languages = &state.app.bank_profile().languages;
    let chosen = is_read.then(|| chosen(request.uri())).flatten().and_then(|tag| languages.find(&tag));
    let Some(language) = chosen else { return next.run(request).await };
    let secure = if state.settings.public_url.starts_with("https://") { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={}; {ATTRIBUTES}{secure}", language.tag());
    let headers = [(header::LOCATION, without_parameter(request.uri())), (header::SET_COOKIE, cookie)]
        .map(|(name, value)| (name, HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("/"))));
    (StatusCode::SEE_OTHER, headers).into_response()
}

fn chosen(uri: &Uri) -> Option<String> {
    let mut pairs = form_urlencoded::parse(uri.query()?.as_bytes());
    pairs.find(|(name, _)| name == PARAMETER).map(|(_, value)| value.into_owned())
}

fn without_parameter(uri: &Uri) -> String {
    let prefix = format!("{PARAMETER}=");
    let pairs = uri.query().unwrap_or_default().split('&');
    let rest: Vec<&str> = pairs.filter(|pair| !pair.is_empty() && !pair.starts_with(&prefix)).collect();
    // A path with two slashes at its beginning would be another host.
    let path = format!("/{}", uri.path().trim_start_matches('/'));
    if rest.is_empty() { path } else { format!("{path}?{}", rest.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirect_keeps_path_and_query_and_never_leaves_the_host() {
        for (uri, expected) in [
            ("/app/accounts/1?page=2&lang=el", "/app/accounts/1?page=2"),
            ("/sca/token?lang=el", "/sca/token"),
            ("/?lang=el", "/"),
            ("/?lang=el&lang=en&choose=1", "/?choose=1"),
            ("//evil.example/?lang=el", "/evil.example/"),
            ("http://evil.example/app?lang=el", "/app"),
        ] {
            assert_eq!(without_parameter(&uri.parse().unwrap()), expected, "{uri}");
        }
    }

    #[test]
    fn link_of_another_language_keeps_the_query() {
        let all = Languages::default();
        let href = |path: &str, query: &str| links(&all, Language::English, (path, query)).remove(0).href;
        assert_eq!(href("", "choose=1"), "?lang=el&choose=1");
        assert_eq!(href("/", ""), "/?lang=el");
        assert_eq!(links(&Languages::parse("el").unwrap(), Language::Greek, ("", "")), []);
    }
}
