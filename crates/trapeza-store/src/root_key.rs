//! The root key as it is stored: encrypted with the root secret, beside the check value of that secret.

use crate::error::StoreError;
use crate::location::DatabaseLocation;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedRootKey {
    pub ciphertext: Vec<u8>,
    /// The check value of the root secret that it is encrypted with.
    pub secret_check: [u8; 32],
}

/// The root key of a database and when it was encrypted, before a store is opened with it. `None` when there is no bank yet.
pub fn root_key_find(
    location: DatabaseLocation<'_>,
) -> Result<Option<(SealedRootKey, Timestamp)>, StoreError> {
    let found =
        location.read(|tx| if tx.table_exists("root_key")? { tx.root_key_find() } else { Ok(None) })?;
    Ok(found.flatten())
}

impl Tx<'_> {
    pub fn root_key_find(&mut self) -> Result<Option<(SealedRootKey, Timestamp)>, StoreError> {
        self.query_opt("SELECT ciphertext, secret_check, sealed_at FROM root_key WHERE id = 1", &[], |row| {
            Ok((SealedRootKey { ciphertext: row.read()?, secret_check: row.read()? }, row.read()?))
        })
    }

    /// Inserts the root key of a new bank; false when there is one.
    pub fn root_key_insert(&mut self, key: &SealedRootKey, now: Timestamp) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO root_key (id, ciphertext, secret_check, sealed_at) VALUES (1, $1, $2, $3)
             ON CONFLICT (id) DO NOTHING",
            params![&key.ciphertext, &key.secret_check, now],
        )?;
        Ok(inserted == 1)
    }

    /// Stores the root key encrypted with another secret; false when it is not stored as `before` any more.
    pub fn root_key_replace(
        &mut self,
        before: &[u8],
        key: &SealedRootKey,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let updated = self.execute(
            "UPDATE root_key SET ciphertext = $2, secret_check = $3, sealed_at = $4
             WHERE id = 1 AND ciphertext = $1",
            params![before, &key.ciphertext, &key.secret_check, now],
        )?;
        Ok(updated == 1)
    }
}
