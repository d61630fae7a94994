//! Audit events of backups and restores. Both are made by commands beside the bank; the log says who made them, when, and of which
//! content.

use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::AuditEvent;

/// What identifies a backup: the checksum of its content, and the time at which it was begun (RFC 3339).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupId {
    pub sha256: [u8; 32],
    pub created_at: String,
}

impl App {
    /// Records that an operator has made a backup.
    pub async fn backup_record(&self, backup: BackupId) -> Result<(), UseCaseError> {
        self.backup_event_record("backup.created", backup).await
    }

    /// Records in a restored bank that an operator has restored it from a backup.
    pub async fn restore_record(&self, backup: BackupId) -> Result<(), UseCaseError> {
        self.backup_event_record("bank.restored", backup).await
    }

    async fn backup_event_record(&self, action: &'static str, backup: BackupId) -> Result<(), UseCaseError> {
        let (now, actor) = (self.now(), audit::current_actor());
        let id: String = backup.sha256.iter().map(|byte| format!("{byte:02x}")).collect();
        let event = AuditEvent::new(action, "backup", id).with("created_at", backup.created_at);
        self.store.write(move |tx| Ok(audit::record(tx, now, actor, &event)?)).await
    }
}
