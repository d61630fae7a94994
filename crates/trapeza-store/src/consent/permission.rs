//! Consents as their customer sees them: those of all third parties, and when each was last used.

use super::{Consent, consent, select};
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::ConsentId;
use trapeza_domain::time::Timestamp;

/// Maximum number of ended or pending consents that a customer is shown.
const HISTORY_ROWS: i64 = 200;
/// How many of a customer's newest consents are searched for them: any third party can create consents that name the customer.
const HISTORY_SEARCHED_ROWS: i64 = 10_000;

impl Tx<'_> {
    /// All valid consents of a customer: a customer must be able to revoke every one.
    pub fn permission_valid_list(&mut self, psu_login: &str) -> Result<Vec<Consent>, StoreError> {
        // The status is a constant, so that its partial index is used.
        self.query(select!("WHERE c.psu_login = $1 AND c.status = 'valid'"), params![psu_login], consent)
    }

    /// The newest of a customer's other consents that changed since a time, and that the customer has authorised or was asked to
    /// authorise.
    pub fn permission_history_list(
        &mut self,
        psu_login: &str,
        since: Timestamp,
    ) -> Result<Vec<Consent>, StoreError> {
        self.query(
            select!(
                "WHERE c.id IN (SELECT n.id FROM consent n WHERE n.psu_login = $1
                        ORDER BY n.created_at DESC, n.id DESC LIMIT $2)
                    AND c.status <> 'valid' AND c.last_action_at >= $3
                    AND (c.authorised_at IS NOT NULL OR EXISTS (SELECT 1 FROM authorisation s
                        WHERE s.target = c.id AND s.application = c.application))
                 ORDER BY c.created_at DESC, c.id DESC LIMIT $4"
            ),
            params![psu_login, HISTORY_SEARCHED_ROWS, since, HISTORY_ROWS],
            consent,
        )
    }

    /// All consents that name the customer with this login, newest first.
    pub fn consent_list_by_login(&mut self, psu_login: &str) -> Result<Vec<Consent>, StoreError> {
        self.query(
            select!("WHERE c.psu_login = $1 ORDER BY c.created_at DESC, c.id DESC"),
            params![psu_login],
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
