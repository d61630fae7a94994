//! The stored form of an audit event.

use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuditRow, StoreError, Tx};

/// An event as it is stored, prepared before the transaction.
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
