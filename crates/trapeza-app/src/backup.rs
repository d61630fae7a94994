//! Audit events of backups and restores. Both are made by commands beside the bank; the log says who made them, when, and of which
//! content.

use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::AuditEvent;

/// What identifies a backup: the checksum of its content, and the time at which it was begun (RFC 3339).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupMark {
    pub sha256: [u8; 32],
    pub created_at: String,
}

impl App {
    /// Records that an operator has made a backup.
    pub async fn backup_record(&self, mark: BackupMark) -> Result<(), UseCaseError> {
        self.mark_record("backup.created", mark).await
    }

    /// Records in a restored bank that an operator has restored it from a backup.
    pub async fn restore_record(&self, mark: BackupMark) -> Result<(), UseCaseError> {
        self.mark_record("bank.restored", mark).await
    }

    async fn mark_record(&self, action: &'static str, mark: BackupMark) -> Result<(), UseCaseError> {
        let (now, operator) = (self.now(), audit::operator());
        let id: String = mark.sha256.iter().map(|byte| format!("{byte:02x}")).collect();
        let event = AuditEvent::new(action, "backup", id).with("created_at", mark.created_at);
        self.store.write(move |tx| Ok(audit::record(tx, now, operator, &event)?)).await
    }
}
