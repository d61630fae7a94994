//! What all pages of the documentation share: style, contents and content security policy.

use crate::docs::index::{self, TAGS};
use crate::docs::{DocVariant, operations};
use axum::http::HeaderValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

const STYLE: &str = include_str!("../../../templates/docs.css");

/// The names of the pages beside those of resources.
pub const GUIDES: &str = "guides";
pub const STATES: &str = "states";
pub const ERRORS: &str = "errors";

pub struct Frame {
    pub style: &'static str,
    pub version: &'static str,
    pub title: String,
    pub links: Vec<PageLink>,
    /// The searched words.
    pub query: String,
}

pub struct PageLink {
    pub slug: String,
    pub name: &'static str,
    pub current: bool,
}

impl Frame {
    pub fn new(variant: &DocVariant, title: &str, current: &str) -> Self {
        let has_operations = |tag: &str| operations(variant).any(|operation| index::of(operation).tag == tag);
        let resources = TAGS.iter().filter(|(tag, _)| has_operations(tag)).map(|(tag, _)| (slug(tag), *tag));
        let others =
            [(GUIDES.to_owned(), "Guides"), (STATES.to_owned(), "States"), (ERRORS.to_owned(), "Errors")];
        let links = resources
            .chain(others)
            .map(|(slug, name)| PageLink { current: slug == current, slug, name })
            .collect();
        Self {
            style: STYLE,
            version: env!("CARGO_PKG_VERSION"),
            title: title.to_owned(),
            links,
            query: String::new(),
        }
    }
}

/// The name of a resource's page in its path.
pub fn slug(tag: &str) -> String {
    tag.to_lowercase().replace(' ', "-")
}

/// The content security policy: only the pages' own style, by its hash, and forms to this server.
pub fn policy() -> HeaderValue {
    static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
        let hash = STANDARD.encode(Sha256::digest(STYLE));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        );
        HeaderValue::try_from(policy).expect("a hash in base64 is plain text")
    });
    POLICY.clone()
}
