//! Session cookies of the pages.

use crate::Settings;
use axum::http::{HeaderMap, HeaderValue, header};
use trapeza_app::device::is_session_token;

/// A session cookie: its name, its scope and its attributes.
#[derive(Clone, Copy, Debug)]
pub struct SessionCookie {
    pub name: &'static str,
    /// The name over TLS. With the prefix `__Host-` browsers accept the cookie from this host only.
    pub name_secure: &'static str,
    pub path: &'static str,
    pub attributes: &'static str,
}

impl SessionCookie {
    /// The session token that the browser sent, if it is well-formed.
    pub fn token(self, settings: &Settings, headers: &HeaderMap) -> Option<String> {
        let name = if is_secure(settings) { self.name_secure } else { self.name };
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let found = pairs.find(|(other, value)| *other == name && is_session_token(value));
        found.map(|(_, value)| value.to_owned())
    }

    /// The value of `Set-Cookie` for a session token.
    pub fn set(self, settings: &Settings, token: &str) -> Option<HeaderValue> {
        let text = if is_secure(settings) {
            format!("{}={token}; Path=/; Secure; HttpOnly; {}", self.name_secure, self.attributes)
        } else {
            format!("{}={token}; Path={}; HttpOnly; {}", self.name, self.path, self.attributes)
        };
        HeaderValue::try_from(text).ok()
    }
}

fn is_secure(settings: &Settings) -> bool {
    settings.public_url.starts_with("https://")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CertificateMode;
    use std::time::Duration;

    const COOKIE: SessionCookie =
        SessionCookie { name: "c", name_secure: "__Host-c", path: "/p", attributes: "SameSite=Lax" };

    fn settings(public_url: &str) -> Settings {
        Settings {
            public_url: public_url.to_owned(),
            certificates: CertificateMode::Header,
            trusted_proxies: Default::default(),
            signature: Default::default(),
            sandbox: true,
            berlin_group: None,
            body_bytes: 0,
            basket_body_bytes: 0,
            json_depth: 0,
            request_timeout: Duration::ZERO,
            rate_limits: None,
            request_log: None,
        }
    }

    #[test]
    fn cookie_over_tls_is_bound_to_the_host() {
        let set = |url: &str| COOKIE.set(&settings(url), "t").unwrap();
        assert_eq!(set("https://bank.example"), "__Host-c=t; Path=/; Secure; HttpOnly; SameSite=Lax");
        assert_eq!(set("http://127.0.0.1:8080"), "c=t; Path=/p; HttpOnly; SameSite=Lax");
    }

    /// A subdomain can plant a cookie without the prefix.
    #[test]
    fn token_over_tls_is_that_of_the_cookie_with_the_prefix() {
        let (bound, planted) = ("b".repeat(43), "p".repeat(43));
        let token = |url: &str, cookies: String| {
            let headers = HeaderMap::from_iter([(header::COOKIE, HeaderValue::try_from(cookies).unwrap())]);
            COOKIE.token(&settings(url), &headers)
        };
        let both = format!("c={planted}; __Host-c={bound}");
        assert_eq!(token("https://bank.example", both.clone()), Some(bound));
        assert_eq!(token("https://bank.example", format!("c={planted}")), None);
        assert_eq!(token("http://127.0.0.1:8080", both), Some(planted));
    }

    #[test]
    fn malformed_token_is_ignored() {
        let headers =
            HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_static("a=b; c=not-a-token"))]);
        assert_eq!(COOKIE.token(&settings("http://127.0.0.1"), &headers), None);
    }
}
