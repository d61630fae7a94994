//! Somebody's browser at one of our pages: its language, its cookie, its form, and whether the form is really ours.
//! Which page it is, and what a form means, is not known here.

use super::words::Words;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, header};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use trapeza_app::device::is_session_token;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::secret::Secret;
use trapeza_http::Bank;
use trapeza_http::server::Peer;
use url::form_urlencoded;

/// The largest form. A password of any sense is shorter.
const FORM_BYTES: usize = 16 * 1024;
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A cookie of ours.
#[derive(Clone, Copy, Debug)]
pub struct Cookie {
    name: &'static str,
    /// The same where only TLS may carry it: browsers let nobody but this very host set such a name.
    name_secure: &'static str,
    path: &'static str,
    rest: &'static str,
}

/// For pages behind a link. `Lax`: the customer comes here from the third party's site.
pub const SCA_COOKIE: Cookie =
    Cookie { name: "trapeza-sca", name_secure: "__Host-trapeza-sca", path: "/sca", rest: "SameSite=Lax" };

/// For the checkout. `Lax`: the customer comes here from the shop.
pub const CHECKOUT_COOKIE: Cookie = Cookie {
    name: "trapeza-checkout",
    name_secure: "__Host-trapeza-checkout",
    path: "/checkout",
    rest: "SameSite=Lax",
};

/// For the bank's app, which nobody else's site leads into. It lasts as long as a browser is remembered.
pub const APP_COOKIE: Cookie = Cookie {
    name: "trapeza-app",
    name_secure: "__Host-trapeza-app",
    path: "/app",
    rest: "SameSite=Strict; Max-Age=7776000",
};

pub struct Visit {
    pub bank: Arc<Bank>,
    pub words: &'static Words,
    /// The browser's mark: the one it brought, or a new one that goes out with the answer.
    pub browser: String,
    /// What the form's mark is bound to: one page's form is no good on another.
    pub page: String,
    pub cookie: Cookie,
    parts: Parts,
    form: Vec<(String, Secret<String>)>,
    brought: bool,
}

impl Visit {
    /// `None` when the form did not arrive whole.
    pub async fn read(bank: Arc<Bank>, cookie: Cookie, page: String, request: Request) -> Option<Self> {
        let (parts, body) = request.into_parts();
        let body =
            if parts.method == Method::POST { to_bytes(body, FORM_BYTES).await.ok()? } else { "".into() };
        let form = form_urlencoded::parse(&body)
            .map(|(name, value)| (name.into_owned(), Secret::new(value.into_owned())))
            .collect();
        let brought = cookie.read(&bank, &parts);
        Some(Self {
            words: Words::of(&parts.headers),
            browser: brought.clone().unwrap_or_else(|| bank.app.session_token_new()),
            brought: brought.is_some(),
            page,
            cookie,
            parts,
            form,
            bank,
        })
    }

    /// A field of the form; empty when it is not there.
    pub fn field(&self, name: &str) -> &str {
        let found = self.form.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value.expose().trim())
    }

    /// A field as it was typed, spaces and all.
    pub fn secret(&self, name: &str) -> Secret<String> {
        let found = self.form.iter().find(|(known, _)| known == name);
        found.map_or(Secret::new(String::new()), |(_, value)| value.clone())
    }

    pub fn query(&self, name: &str) -> Option<String> {
        let query = self.parts.uri.query().unwrap_or_default();
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    }

    /// What a page's forms bring back.
    pub fn csrf_token(&self, page: &str) -> String {
        self.bank.app.csrf_token(&self.browser, page)
    }

    /// Whether the form is one that this page gave to this browser.
    pub fn is_ours(&self) -> bool {
        let fits = self.bank.app.csrf_token_verify(&self.browser, &self.page, self.field("mark"));
        self.brought && fits && self.is_same_site()
    }

    /// What the browser itself says about where a form comes from. `null` is what it says where pages hide their
    /// address, as ours do.
    fn is_same_site(&self) -> bool {
        let text =
            |name: &HeaderName| self.parts.headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let site = text(&SEC_FETCH_SITE).is_none_or(|site| matches!(site, "same-origin" | "none"));
        let own = self.bank.settings.public_url.trim_end_matches('/');
        let host = text(&header::HOST).unwrap_or_default();
        let origin = text(&header::ORIGIN).is_none_or(|origin| {
            let origin_host = origin.split_once("://").map(|(_, host)| host);
            origin == "null" || origin == own || (!host.is_empty() && origin_host == Some(host))
        });
        site && origin
    }

    /// The browser's new cookie, where it has to have one.
    pub fn cookie_new(&self) -> Option<HeaderValue> {
        if self.brought { None } else { self.cookie.set(&self.bank, &self.browser) }
    }

    /// Notes a failed sign-in from the visitor's address.
    pub fn failed(&self) -> Result<(), Refusal> {
        let peer = self.parts.extensions.get::<Peer>();
        self.bank.limits.failure(peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.address.ip()))
    }
}

impl Cookie {
    fn read(self, bank: &Bank, parts: &Parts) -> Option<String> {
        let name = if is_secure(bank) { self.name_secure } else { self.name };
        let all = parts.headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let found = pairs.find(|(known, value)| *known == name && is_session_token(value));
        found.map(|(_, value)| value.to_owned())
    }

    pub fn set(self, bank: &Bank, mark: &str) -> Option<HeaderValue> {
        let text = if is_secure(bank) {
            format!("{}={mark}; Path=/; Secure; HttpOnly; {}", self.name_secure, self.rest)
        } else {
            format!("{}={mark}; Path={}; HttpOnly; {}", self.name, self.path, self.rest)
        };
        HeaderValue::try_from(text).ok()
    }
}

fn is_secure(bank: &Bank) -> bool {
    bank.settings.public_url.starts_with("https://")
}
