//! Reading a third party's certificate: from the text of its header, or from its DER form, to the facts that decide.
//!
//! Everything here is a pure function of what was sent. Whether the certificate is registered, blocked or expired is
//! decided elsewhere, with a clock and a store; here is only what it says. Nothing that was sent is repeated in an
//! error, because errors are logged.

mod cache;
mod facts;
mod header;
mod statement;
#[cfg(test)]
mod tests;

pub use cache::CertificateCache;
pub use facts::facts;
pub use header::{HEADER_LENGTH_MAX, read_header};

use std::fmt;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// Why a certificate cannot be read. The words are ours and fixed, so none of the caller's bytes can be in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable(&'static str);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Unreadable {}

impl From<Unreadable> for Refusal {
    fn from(unreadable: Unreadable) -> Self {
        Self::at(RefusalReason::CertificateInvalid, "Certificate", unreadable.0)
    }
}
