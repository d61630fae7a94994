//! Consents as their customer sees them: those of all third parties together, and when each was last used.

use super::{Consent, consent};
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::consent::ConsentStatus;
use trapeza_domain::id::ConsentId;
use trapeza_domain::time::Timestamp;

/// The most permissions that a customer is shown.
const SHOWN: i64 = 200;

impl Tx<'_> {
    /// What a customer has permitted or was asked to, newest first: all that is valid, and what changed since a moment.
    pub fn permission_list(&mut self, psu: &str, since: Timestamp) -> Result<Vec<Consent>, StoreError> {
        self.query(
            "SELECT id, application, kind, psu, state, created_at, last_action, authorised_at, valid_until, recurring
             FROM consent WHERE psu = $1 AND (state = $2 OR last_action >= $3)
             ORDER BY created_at DESC, id DESC LIMIT $4",
            params![psu, ConsentStatus::Valid.name(), since.0, SHOWN],
            consent,
        )
    }

    /// One permission of a customer, whoever has it, and nobody else changes it before this transaction ends.
    pub fn permission_lock(&mut self, psu: &str, id: ConsentId) -> Result<Option<Consent>, StoreError> {
        self.query_opt(
            "SELECT id, application, kind, psu, state, created_at, last_action, authorised_at, valid_until, recurring
             FROM consent WHERE psu = $1 AND id = $2 FOR UPDATE",
            params![psu, id.as_bytes()],
            consent,
        )
    }

    /// Notes that a consent was used; the latest use stays.
    pub fn consent_last_used_set(&mut self, id: ConsentId, at: Timestamp) -> Result<(), StoreError> {
        self.execute_later(
            "INSERT INTO consent_seen (consent, at) VALUES ($1, $2)
             ON CONFLICT (consent) DO UPDATE SET at = excluded.at WHERE consent_seen.at < excluded.at",
            params![id.as_bytes(), at.0],
        )
    }

    pub fn consent_last_used(&mut self, id: ConsentId) -> Result<Option<Timestamp>, StoreError> {
        self.query_opt("SELECT at FROM consent_seen WHERE consent = $1", params![id.as_bytes()], |row| {
            Ok(Timestamp(row.int(0)?))
        })
    }
}
