//! The content security policy of the pages.

use axum::http::HeaderValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The content security policy of pages with this style and these scripts: both by hash, inline images, own forms and requests, no
/// framing.
pub fn content_security_policy(style: &str, scripts: &[&str]) -> HeaderValue {
    let scripts: Vec<String> = scripts.iter().map(|script| source_hash(script)).collect();
    let scripts = if scripts.is_empty() { "'none'".to_owned() } else { scripts.join(" ") };
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {scripts}; img-src data: 'self'; connect-src 'self'; \
         manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        source_hash(style),
    );
    HeaderValue::try_from(policy).expect("a hash in base64 is plain text")
}

/// A style or script as a source of a content security policy.
pub fn source_hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}
