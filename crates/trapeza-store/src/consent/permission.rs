//! Consents as their customer sees them: those of all third parties, and when each was last used.

use super::{Consent, consent, select};
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::consent::ConsentStatus;
use trapeza_domain::id::ConsentId;
use trapeza_domain::time::Timestamp;

/// The largest number of consents that a customer is shown.
const LIST_ROWS: i64 = 200;

impl Tx<'_> {
    /// A customer's consents, newest first: all valid ones, and those that changed since a time.
    pub fn permission_list(&mut self, psu_login: &str, since: Timestamp) -> Result<Vec<Consent>, StoreError> {
        self.query(
            select!(
                "WHERE c.psu_login = $1 AND (c.status = $2 OR c.last_action_at >= $3)
                 ORDER BY c.created_at DESC, c.id DESC LIMIT $4"
            ),
            params![psu_login, ConsentStatus::Valid.name(), since, LIST_ROWS],
            consent,
        )
    }

    /// A consent of a customer, whichever third party has it, locked until the transaction ends.
    pub fn permission_lock(&mut self, psu_login: &str, id: ConsentId) -> Result<Option<Consent>, StoreError> {
        self.query_opt(
            select!("WHERE c.psu_login = $1 AND c.id = $2 FOR UPDATE"),
            params![psu_login, id],
            consent,
        )
    }

    /// Stores when a consent was last used, unless a later use is stored.
    pub fn consent_last_used_set(&mut self, id: ConsentId, at: Timestamp) -> Result<(), StoreError> {
        self.execute_deferred(
            "INSERT INTO consent_last_used (consent, used_at) VALUES ($1, $2)
             ON CONFLICT (consent) DO UPDATE SET used_at = excluded.used_at
             WHERE consent_last_used.used_at < excluded.used_at",
            params![id, at],
        )
    }

    pub fn consent_last_used(&mut self, id: ConsentId) -> Result<Option<Timestamp>, StoreError> {
        self.query_opt("SELECT used_at FROM consent_last_used WHERE consent = $1", params![id], |row| {
            row.read()
        })
    }
}
