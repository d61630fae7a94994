//! Subscription keys of applications, stored as hashes.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;

/// A subscription key, without the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    pub hash: [u8; 32],
    pub created_at: Timestamp,
    pub retired_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

impl Tx<'_> {
    pub fn application_key_insert(
        &mut self,
        id: ApplicationId,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO application_key (hash, application, created_at) VALUES ($1, $2, $3)",
            params![hash, id, now],
        )?;
        Ok(())
    }

    /// The number of keys that are not retired.
    pub fn application_key_count(&mut self, id: ApplicationId) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM application_key WHERE application = $1 AND retired_at IS NULL",
            params![id],
            |row| row.read(),
        )
    }

    /// The keys of an application, oldest first.
    pub fn application_key_list(&mut self, id: ApplicationId) -> Result<Vec<KeyRecord>, StoreError> {
        self.query(
            "SELECT k.hash, k.created_at, k.retired_at, u.used_at FROM application_key k
             LEFT JOIN application_key_last_used u ON u.hash = k.hash
             WHERE k.application = $1 ORDER BY k.created_at, k.hash",
            params![id],
            |row| {
                Ok(KeyRecord {
                    hash: row.read()?,
                    created_at: row.read()?,
                    retired_at: row.read()?,
                    last_used_at: row.read()?,
                })
            },
        )
    }

    /// Stores when a key was last used, unless a later use is stored.
    pub fn application_key_last_used_set(
        &mut self,
        hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute_deferred(
            "INSERT INTO application_key_last_used (hash, used_at) VALUES ($1, $2)
             ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at
             WHERE application_key_last_used.used_at < excluded.used_at",
            params![hash, at],
        )
    }

    /// Retires the keys of an application except this one, and returns how many were in use.
    pub fn application_key_retire_others(
        &mut self,
        id: ApplicationId,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE application_key SET retired_at = $3
             WHERE application = $1 AND hash <> $2 AND retired_at IS NULL",
            params![id, hash, now],
        )
    }

    /// Retires one key of an application; false when it is not in use.
    pub fn application_key_retire(
        &mut self,
        id: ApplicationId,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let retired = self.execute(
            "UPDATE application_key SET retired_at = $3 WHERE application = $1 AND hash = $2 AND retired_at IS NULL",
            params![id, hash, now],
        )?;
        Ok(retired == 1)
    }

    /// Retires every key of an application and returns how many were in use.
    pub fn application_key_retire_all(
        &mut self,
        id: ApplicationId,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE application_key SET retired_at = $2 WHERE application = $1 AND retired_at IS NULL",
            params![id, now],
        )
    }
}
