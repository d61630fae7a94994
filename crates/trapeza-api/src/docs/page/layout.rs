//! What all pages of the documentation share: style, contents and content security policy.

use crate::docs::index::{self, TAGS};
use crate::docs::{DocVariant, operations};
use axum::http::HeaderValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// The script that runs the examples in a sandbox, under this name below `/docs`.
pub const SCRIPT: &str = include_str!("../../../templates/docs_run.js");
pub const SCRIPT_NAME: &str = "run.js";

/// The variables of the examples that a developer enters.
const VARIABLES: &[(&str, &str)] = &[
    ("CLIENT_ID", "ClientId of the third party"),
    ("SUBSCRIPTION_KEY", "Key of the third party"),
    ("CERTIFICATE", "Certificate of the third party, base64"),
    ("APPLICATION_ID", "X-Application-ID of the merchant"),
    ("MERCHANT_KEY", "Key of the merchant"),
    ("PSU_ID", "User name of the customer"),
    ("METHOD_ID", "SCA method of the customer"),
];

const STYLE: &str = include_str!("../../../templates/docs.css");

/// The names of the pages beside those of resources.
pub const GUIDES: &str = "guides";
pub const STATES: &str = "states";
pub const ERRORS: &str = "errors";
pub const DIALECT: &str = "berlin-group";
pub const DIALECT_NAME: &str = "Berlin Group";

pub struct Layout {
    pub style: &'static str,
    pub version: &'static str,
    pub title: String,
    pub links: Vec<PageLink>,
    /// The words of the search.
    pub query: String,
    /// Whether examples can be run: in a sandbox.
    pub is_runnable: bool,
    pub variables: &'static [(&'static str, &'static str)],
}

pub struct PageLink {
    pub slug: String,
    pub name: &'static str,
    pub is_current: bool,
}

impl Layout {
    pub fn new(variant: &DocVariant, title: &str, current: &str) -> Self {
        let has_operations = |tag: &str| operations(variant).any(|operation| index::of(operation).tag == tag);
        let resources = TAGS.iter().filter(|(tag, _)| has_operations(tag)).map(|(tag, _)| (slug(tag), *tag));
        let others =
            [(GUIDES.to_owned(), "Guides"), (STATES.to_owned(), "States"), (ERRORS.to_owned(), "Errors")];
        let dialect = variant.dialect.as_ref().map(|_| (DIALECT.to_owned(), DIALECT_NAME));
        let links = resources
            .chain(others)
            .chain(dialect)
            .map(|(slug, name)| PageLink { is_current: slug == current, slug, name })
            .collect();
        Self {
            style: STYLE,
            version: env!("CARGO_PKG_VERSION"),
            title: title.to_owned(),
            links,
            query: String::new(),
            is_runnable: variant.sandbox,
            variables: VARIABLES,
        }
    }
}

/// The name of a resource's page in its path.
pub fn slug(tag: &str) -> String {
    tag.to_lowercase().replace(' ', "-")
}

/// The content security policy: only the pages' own style, by its hash, and forms to this server. In a sandbox also the script that
/// runs the examples, and its requests to this server.
pub fn content_security_policy(is_sandbox: bool) -> HeaderValue {
    static POLICIES: LazyLock<[HeaderValue; 2]> = LazyLock::new(|| {
        let hash = STANDARD.encode(Sha256::digest(STYLE));
        ["", "script-src 'self'; connect-src 'self'; "].map(|script| {
            let policy = format!(
                "default-src 'none'; style-src 'sha256-{hash}'; {script}base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
            );
            HeaderValue::try_from(policy).expect("a hash in base64 is plain text")
        })
    });
    let [plain, with_script] = &*POLICIES;
    if is_sandbox { with_script.clone() } else { plain.clone() }
}
