//! Signed requests of third parties and signed responses of the bank, as the Berlin Group profiles draft-cavage-http-signatures.
//!
//! The `Digest` header covers the body, the `Signature` header covers `Digest` and other headers, and the certificate of the signing
//! key, an electronic seal, is sent along. This module knows headers, bodies and certificates, and no routes. The rules are in
//! docs/behaviour/signatures.md.

mod authority;
mod digest;
mod header;
mod key_id;
mod seal;
mod signing_string;
#[cfg(test)]
mod tests;
mod verify;

pub use authority::{LoadedAuthorities, SealAuthorities};
pub use seal::{LoadedSeal, Seal};
pub use verify::{SignedRequest, verify};

use crate::Reloadable;
use axum::http::HeaderName;
use std::fmt;

pub const DIGEST: HeaderName = HeaderName::from_static("digest");
pub const SIGNATURE: HeaderName = HeaderName::from_static("signature");
/// The certificate of a third party's seal.
pub const TPP_CERTIFICATE: HeaderName = HeaderName::from_static("tpp-signature-certificate");
/// The certificate of the bank's seal.
pub const ASPSP_CERTIFICATE: HeaderName = HeaderName::from_static("aspsp-signature-certificate");

/// Whether third parties must sign their requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignatureMode {
    /// The headers of a signature are ignored.
    #[default]
    Off,
    /// A request that has one of the headers must have all of them, and they must verify.
    Optional,
    /// Every request must be signed.
    Required,
}

/// How requests are verified and responses are signed.
#[derive(Clone, Debug, Default)]
pub struct SignatureSettings {
    pub mode: SignatureMode,
    /// The issuers of third parties' seals.
    pub authorities: Reloadable<SealAuthorities>,
    /// The bank's own seal. Without one responses are not signed.
    pub seal: Option<Reloadable<Seal>>,
}

/// The files that seals are loaded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealFile {
    /// The certificates of the authorities.
    Authorities,
    /// The revocation lists of the authorities.
    RevocationLists,
    /// The certificate of the bank's seal.
    Certificate,
    /// The key of the bank's seal.
    Key,
}

/// What is wrong with one of the files. The text contains nothing of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealError {
    pub file: SealFile,
    text: String,
}

impl SealError {
    fn new(file: SealFile, text: impl Into<String>) -> Self {
        Self { file, text: text.into() }
    }
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for SealError {}
