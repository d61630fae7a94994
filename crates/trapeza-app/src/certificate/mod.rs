//! Reading a third party's certificate: from the text of its header, or from its DER form, to the facts that decide.
//!
//! Everything here is a pure function of what was sent. Whether the certificate is registered, blocked or expired is
//! decided other_browser, with a clock and a store; here is only what it says. Nothing that was sent is repeated in an
//! error, because errors are logged.

mod cache;
mod header;
mod parse;
mod qc_statement;
#[cfg(test)]
mod tests;

pub use cache::CertificateCache;
pub use header::{HEADER_LENGTH_MAX, decode_header};
pub use parse::parse;

use std::fmt;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// Why a certificate cannot be read. The words are ours and fixed, so none of the caller's bytes can be in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateParseError(&'static str);

impl fmt::Display for CertificateParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for CertificateParseError {}

impl From<CertificateParseError> for Refusal {
    fn from(unreadable: CertificateParseError) -> Self {
        Self::at(RefusalReason::CertificateInvalid, "Certificate", unreadable.0)
    }
}
