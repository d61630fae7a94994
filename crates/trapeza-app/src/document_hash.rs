//! The hash of a stored document, which the audit log repeats.

use sha2::{Digest, Sha256};
use trapeza_store::LoanDocument;

/// Whether the content has the hash that was stored with it.
pub(crate) fn is_intact(document: &LoanDocument) -> bool {
    <[u8; 32]>::from(Sha256::digest(&document.content)) == document.sha256
}

/// A hash as the audit log has it.
pub(crate) fn hash_text(sha256: &[u8; 32]) -> String {
    sha256.iter().map(|byte| format!("{byte:02x}")).collect()
}
