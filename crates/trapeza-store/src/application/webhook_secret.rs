//! The secrets that sign the callbacks of merchants, encrypted.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;

impl Tx<'_> {
    pub fn webhook_secret_insert(
        &mut self,
        application: ApplicationId,
        ciphertext: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO application_webhook_secret (application, ciphertext, created_at) VALUES ($1, $2, $3)",
            params![application, ciphertext, now],
        )?;
        Ok(())
    }

    /// An application's webhook secrets, encrypted, newest first.
    pub fn webhook_secret_list(&mut self, application: ApplicationId) -> Result<Vec<Vec<u8>>, StoreError> {
        self.query(
            "SELECT ciphertext FROM application_webhook_secret WHERE application = $1 ORDER BY created_at DESC",
            params![application],
            |row| row.read(),
        )
    }

    /// Deletes all webhook secrets of an application but the newest and returns how many there were.
    pub fn webhook_secret_retire(&mut self, application: ApplicationId) -> Result<u64, StoreError> {
        self.execute(
            "DELETE FROM application_webhook_secret WHERE application = $1 AND created_at <
                (SELECT MAX(newest.created_at) FROM application_webhook_secret newest WHERE newest.application = $1)",
            params![application],
        )
    }
}
