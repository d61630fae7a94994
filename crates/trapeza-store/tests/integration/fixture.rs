//! Helpers of the suites: an audit event stands for any write.

use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuditRow, Store, StoreError, Tx, UseCaseError};

/// Appends an audit event about an object.
pub fn append(tx: &mut Tx<'_>, object: &str) -> Result<(), StoreError> {
    tx.audit_append(&AuditRow { at: Timestamp(1), actor: "test", action: "appended", object, detail: "" })
}

/// The objects of all committed events, sorted.
pub async fn committed(store: &Store) -> Result<Vec<String>, UseCaseError> {
    store
        .read(|tx| Ok(tx.query("SELECT object FROM audit_event ORDER BY object", &[], |row| row.read())?))
        .await
}

pub async fn event_count(store: &Store) -> i64 {
    let count = store.read(|tx| Ok(tx.query_one("SELECT COUNT(*) FROM audit_event", &[], |row| row.read())?));
    count.await.unwrap()
}

pub fn refusal() -> Refusal {
    Refusal::new(RefusalReason::StatusInvalid, "no")
}
