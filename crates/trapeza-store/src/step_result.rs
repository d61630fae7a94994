//! The result of an SCA step in an idempotency record: a repeated request gets the same response, whatever happened since.

use crate::error::StoreError;
use crate::stored_form;
use serde::{Deserialize, Serialize};

/// Enumerations are stored by their names, ids by their bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredStepResult<'a> {
    pub authorisation: [u8; 16],
    pub status: &'a str,
    pub approach: &'a str,
    /// The selected SCA method and its kind.
    #[serde(borrow)]
    pub method: Option<([u8; 16], &'a str)>,
    /// What the challenge displays.
    pub display: Option<&'a str>,
    pub next_steps: Vec<&'a str>,
    pub payee_verification: Option<&'a str>,
    /// The account owner's name on a close match.
    pub payee_owner_name: Option<&'a str>,
}

impl<'a> StoredStepResult<'a> {
    pub fn encode(&self) -> Vec<u8> {
        stored_form::encode(self)
    }

    pub fn decode(bytes: &'a [u8]) -> Result<Self, StoreError> {
        stored_form::decode(bytes, "step result of an idempotency record")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_1_never_changes() {
        let result = StoredStepResult {
            authorisation: [7; 16],
            status: "received",
            approach: "EMBEDDED",
            method: Some(([9; 16], "chip")),
            display: None,
            next_steps: vec!["a", "b"],
            payee_verification: Some("match"),
            payee_owner_name: None,
        };
        let expected = [
            &[1][..],
            &[7; 16],
            &[8],
            b"received",
            &[8],
            b"EMBEDDED",
            &[1],
            &[9; 16],
            &[4],
            b"chip",
            &[0, 2, 1, b'a', 1, b'b', 1, 5],
            b"match",
            &[0],
        ]
        .concat();
        assert_eq!(result.encode(), expected);
        assert_eq!(StoredStepResult::decode(&expected), Ok(result));
    }
}
