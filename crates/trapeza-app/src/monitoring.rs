//! What monitoring reads: work that waits, and certificates that end.

use crate::{App, UseCaseError};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use trapeza_store::Backlog;

impl App {
    /// Work that waits, as of now.
    pub async fn backlog(&self) -> Result<Backlog, UseCaseError> {
        let now = self.now();
        self.store.read(move |tx| Ok(tx.backlog_find(now)?)).await
    }

    /// When the last active certificate of each third party ends, the first to end first.
    pub async fn certificate_expiry_list(&self) -> Result<Vec<(ApplicationId, Timestamp)>, UseCaseError> {
        self.store.read(|tx| Ok(tx.certificate_expiry_list()?)).await
    }
}
