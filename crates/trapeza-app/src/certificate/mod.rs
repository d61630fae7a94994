//! Certificates of third parties: from the header text or DER to the parsed values.
//!
//! Everything here is a pure function of the input. Registration, status and expiry are checked by `authentication`.
//! No input is repeated in an error, because errors are logged.

mod cache;
mod header;
mod parse;
mod qc_statement;
mod seal;
#[cfg(test)]
mod tests;

pub use cache::CertificateCache;
pub use header::{MAX_HEADER_BYTES, decode_header};
pub use parse::parse;
pub use seal::{SealCertificate, parse_seal};

use std::fmt;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// Why a certificate cannot be parsed. The texts are fixed, so they contain no input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateParseError(&'static str);

impl fmt::Display for CertificateParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for CertificateParseError {}

impl CertificateParseError {
    /// What is wrong with the certificate.
    pub fn text(self) -> &'static str {
        self.0
    }
}

impl From<CertificateParseError> for Refusal {
    fn from(unreadable: CertificateParseError) -> Self {
        Self::at(RefusalReason::CertificateInvalid, Field::Certificate, unreadable.0)
    }
}
