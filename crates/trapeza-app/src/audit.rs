//! Writing down what was done, in the transaction that did it; and checking that nobody changed it since.

use crate::keyring::Purpose;
use crate::{App, Stop};
use trapeza_domain::event::{Actor, Event};
use trapeza_domain::time::Instant;
use trapeza_store::{AuditHead, AuditReport, AuditRow, StoreError, Tx};

/// Notes an event. Every use case that changes something calls this in its transaction.
pub(crate) fn note(tx: &mut Tx<'_>, now: Instant, actor: Actor, event: &Event) -> Result<(), StoreError> {
    let object = format!("{}:{}", event.object_kind, event.object_id);
    let detail: Vec<String> = event.detail.iter().map(|(name, value)| format!("{name}={value}")).collect();
    tx.audit_append(&AuditRow {
        at: now,
        actor: &actor.to_string(),
        action: event.action,
        object: &object,
        detail: &detail.join(" "),
    })
}

impl App {
    /// Walks all chains. `heads` are those an operator kept from the log. Blocks for as long as the log is long.
    pub fn audit_verify(&self, heads: Vec<AuditHead>) -> Result<AuditReport, Stop> {
        let key = self.keyring.derive(Purpose::Audit);
        self.store.read_blocking(move |tx| Ok(tx.audit_verify(&key, &heads)?))
    }
}
