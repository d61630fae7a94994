//! Writing down what was done, in the transaction that did it; and checking that nobody changed it since.

use crate::keyring::KeyPurpose;
use crate::{App, UseCaseError};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuditHead, AuditReport, AuditRow, StoreError, Tx};

/// Notes an event. Every use case that changes something calls this in its transaction.
pub(crate) fn record(
    tx: &mut Tx<'_>,
    now: Timestamp,
    actor: Actor,
    event: &AuditEvent,
) -> Result<(), StoreError> {
    PreparedEvent::new(now, actor, event).append(tx)
}

/// An event in the words of the log, put together before the transaction that it is noted in.
pub(crate) struct PreparedEvent {
    at: Timestamp,
    actor: String,
    action: &'static str,
    object: String,
    detail: String,
}

impl PreparedEvent {
    pub(crate) fn new(at: Timestamp, actor: Actor, event: &AuditEvent) -> Self {
        let mut detail = String::new();
        for (name, value) in &event.detail {
            let gap = if detail.is_empty() { "" } else { " " };
            detail.extend([gap, name, "=", value]);
        }
        let object = [event.object_kind, ":", &event.object_id].concat();
        Self { at, actor: actor.to_string(), action: event.action, object, detail }
    }

    pub(crate) fn append(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let Self { at, actor, action, object, detail } = self;
        tx.audit_append(&AuditRow { at: *at, actor, action, object, detail })
    }
}

impl App {
    /// Walks all chains. `heads` are those an operator kept from the log. Blocks for as long as the log is long.
    pub fn audit_verify(&self, heads: Vec<AuditHead>) -> Result<AuditReport, UseCaseError> {
        let key = self.keyring.derive(KeyPurpose::Audit);
        self.store.read_blocking(move |tx| Ok(tx.audit_verify(&key, &heads)?))
    }
}
