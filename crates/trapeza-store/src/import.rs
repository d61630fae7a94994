//! How far the import of a file has come. A row is written with the customers that it counts.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::time::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportProgress {
    /// The hash of the file.
    pub file: [u8; 32],
    /// How many of its customers are imported, in the order of the file.
    pub customers: i64,
    pub total: i64,
    pub updated_at: Timestamp,
}

impl Tx<'_> {
    pub fn import_progress_find(&mut self, file: &[u8; 32]) -> Result<Option<ImportProgress>, StoreError> {
        self.query_opt(
            "SELECT file_hash, customer_count, total_count, updated_at FROM import_progress WHERE file_hash = $1",
            params![file],
            |row| {
                Ok(ImportProgress {
                    file: row.read()?,
                    customers: row.read()?,
                    total: row.read()?,
                    updated_at: row.read()?,
                })
            },
        )
    }

    pub fn import_progress_save(&mut self, progress: &ImportProgress) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO import_progress (file_hash, customer_count, total_count, updated_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (file_hash) DO UPDATE SET customer_count = excluded.customer_count,
                updated_at = excluded.updated_at",
            params![&progress.file, progress.customers, progress.total, progress.updated_at],
        )?;
        Ok(())
    }
}
