//! The callbacks of a sandbox, listed to the developers of an application in a fixed order.
//!
//! A callback gets its position when it is first listed, so a later one never appears before a position that was read, whatever the
//! order of the commits.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::callback::CallbackKind;
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::time::Timestamp;

/// A callback of a sandbox, whether or not the merchant has an address for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxCallback {
    pub id: CallbackId,
    pub application: ApplicationId,
    pub kind: CallbackKind,
    pub body: String,
    /// The bank's time.
    pub created_at: Timestamp,
    /// The system time.
    pub recorded_at: Timestamp,
    /// The trace of the request that caused it.
    pub traceparent: Option<String>,
}

impl Tx<'_> {
    pub fn sandbox_callback_insert(&mut self, callback: &SandboxCallback) -> Result<(), StoreError> {
        self.execute_deferred(
            "INSERT INTO sandbox_callback (id, application, kind, body, created_at, recorded_at, traceparent)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            params![
                callback.id,
                callback.application,
                callback.kind.name(),
                &callback.body,
                callback.created_at,
                callback.recorded_at,
                callback.traceparent.as_deref()
            ],
        )
    }

    /// The callbacks of an application without a position, oldest first.
    pub fn sandbox_callback_without_position(
        &mut self,
        application: ApplicationId,
    ) -> Result<Vec<CallbackId>, StoreError> {
        self.query(
            "SELECT id FROM sandbox_callback WHERE application = $1 AND position IS NULL
             ORDER BY created_at, recorded_at, id",
            params![application],
            |row| row.read(),
        )
    }

    pub fn sandbox_callback_position_set(
        &mut self,
        application: ApplicationId,
        id: CallbackId,
        position: i64,
    ) -> Result<(), StoreError> {
        self.execute_deferred(
            "UPDATE sandbox_callback SET position = $3 WHERE application = $1 AND position IS NULL AND id = $2",
            params![application, id, position],
        )
    }

    /// The largest position of an application.
    pub fn sandbox_callback_last_position(
        &mut self,
        application: ApplicationId,
    ) -> Result<Option<i64>, StoreError> {
        self.query_opt(
            "SELECT position FROM sandbox_callback WHERE application = $1 AND position IS NOT NULL
             ORDER BY position DESC LIMIT 1",
            params![application],
            |row| row.read(),
        )
    }

    /// The callbacks of an application after a position, each with its own.
    pub fn sandbox_callback_list(
        &mut self,
        application: ApplicationId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<(i64, SandboxCallback)>, StoreError> {
        self.query(
            "SELECT position, id, kind, body, created_at, recorded_at, traceparent FROM sandbox_callback
             WHERE application = $1 AND position > $2 ORDER BY position LIMIT $3",
            params![application, after, limit],
            |row| {
                let position = row.read()?;
                let callback = SandboxCallback {
                    id: row.read()?,
                    application,
                    kind: row.parse(CallbackKind::parse)?,
                    body: row.read()?,
                    created_at: row.read()?,
                    recorded_at: row.read()?,
                    traceparent: row.read()?,
                };
                Ok((position, callback))
            },
        )
    }

    /// Whether any callback was recorded before a system time.
    pub fn sandbox_callback_is_purgeable(&mut self, before: Timestamp) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM sandbox_callback WHERE recorded_at < $1 LIMIT 1", params![before])
    }

    /// Deletes the callbacks that were recorded before a system time. Returns how many they were.
    pub fn sandbox_callback_purge(&mut self, before: Timestamp) -> Result<u64, StoreError> {
        self.execute("DELETE FROM sandbox_callback WHERE recorded_at < $1", params![before])
    }
}
