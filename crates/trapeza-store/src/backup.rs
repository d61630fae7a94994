//! Consistent copies of a database while the bank writes to it, and what the manifest of a backup says about them.
//!
//! These functions use connections of their own and need no [`Store`](crate::Store), so that a process beside the server can
//! make a backup. They block, and must not be called in an asynchronous runtime.

use crate::audit_chain::AuditHead;
use crate::error::{Required, StoreError};
use crate::location::DatabaseLocation;
use crate::options::{Durability, PostgresTimeouts};
use crate::postgres::config::PostgresConfig;
use crate::postgres::connection::PostgresConnection;
use crate::sqlite::connection::SqliteConnection;
use crate::tx::{Connection as _, EngineKind, Tx};
use std::path::Path;

/// What a restored copy is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotSummary {
    /// The name of the last migration.
    pub schema: String,
    /// The check value of the root secret.
    pub secret_check: [u8; 32],
    /// The last row of every audit chain.
    pub audit_heads: Vec<AuditHead>,
}

/// Copies a SQLite database into an empty file, and summarises the copy.
pub fn backup_sqlite(database: &Path, copy: &Path) -> Result<SnapshotSummary, StoreError> {
    let mut source = SqliteConnection::open_reader(database)?;
    source.batch("BEGIN")?;
    let summary = Tx::new(&mut source, None).snapshot_summary()?;
    source.copy_to(copy)?;
    source.batch("COMMIT")?;
    Ok(summary)
}

/// A snapshot of a PostgreSQL database that `pg_dump --snapshot` can use as long as this value exists.
pub struct PostgresSnapshot {
    _connection: PostgresConnection,
    name: String,
    summary: SnapshotSummary,
}

impl PostgresSnapshot {
    pub fn export(url: &str) -> Result<Self, StoreError> {
        let mut connection = PostgresConnection::connect(
            &PostgresConfig::parse(url, PostgresTimeouts::default())?,
            Durability::Full,
        )?;
        // The heads are read from the whole audit log, and the transaction is idle while the dump runs.
        connection.batch("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")?;
        connection.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        let mut tx = Tx::new(&mut connection, None);
        let name = tx.query_one("SELECT pg_export_snapshot()", &[], |row| row.read())?;
        let summary = tx.snapshot_summary()?;
        Ok(Self { _connection: connection, name, summary })
    }

    /// The name for `pg_dump --snapshot`.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn summary(&self) -> &SnapshotSummary {
        &self.summary
    }
}

/// Whether a PostgreSQL database has no tables.
pub fn postgres_is_empty(url: &str) -> Result<bool, StoreError> {
    let table = "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
                 LIMIT 1";
    let has_table = DatabaseLocation::Postgres(url).read(|tx| tx.exists(table, &[]))?;
    Ok(has_table != Some(true))
}

impl Tx<'_> {
    fn snapshot_summary(&mut self) -> Result<SnapshotSummary, StoreError> {
        let newest = "SELECT name FROM migration ORDER BY number DESC LIMIT 1";
        let heads = match self.engine() {
            // SQLite takes the other columns from the row with the maximum.
            EngineKind::Sqlite => {
                "SELECT chain, MAX(sequence), mac FROM audit_event GROUP BY chain ORDER BY chain"
            }
            EngineKind::Postgres => {
                "SELECT DISTINCT ON (chain) chain, sequence, mac FROM audit_event ORDER BY chain, sequence DESC"
            }
        };
        Ok(SnapshotSummary {
            schema: self.query_one(newest, &[], |row| row.read())?,
            secret_check: self.root_key_find()?.required("root key")?.0.secret_check,
            audit_heads: self.query(heads, &[], |row| {
                Ok(AuditHead { chain: row.read()?, sequence: row.read()?, mac: row.read()? })
            })?,
        })
    }
}
