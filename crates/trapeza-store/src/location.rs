//! Where a database is, and reads of it without a [`Store`](crate::Store): before the store can be opened, and by commands
//! beside a running server.

use crate::error::StoreError;
use crate::migration::{self, MigrationStatus};
use crate::options::{Durability, PostgresTimeouts};
use crate::postgres::config::PostgresConfig;
use crate::postgres::connection::PostgresConnection;
use crate::sqlite::connection::SqliteConnection;
use crate::tx::Tx;
use std::path::Path;

#[derive(Clone, Copy)]
pub enum DatabaseLocation<'a> {
    /// A file, which may be absent.
    Sqlite(&'a Path),
    /// A URL.
    Postgres(&'a str),
}

impl DatabaseLocation<'_> {
    /// The migrations of the database, and those that opening it would apply. The database is only read.
    pub fn migration_status(self) -> Result<MigrationStatus, StoreError> {
        Ok(self.read(migration::status)?.unwrap_or_else(migration::status_without_database))
    }

    /// Reads with a connection of its own. `None` when there is no database yet.
    pub(crate) fn read<T: Send>(
        self,
        read: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send,
    ) -> Result<Option<T>, StoreError> {
        match self {
            Self::Sqlite(path) if !path.exists() => Ok(None),
            Self::Sqlite(path) => {
                let mut connection = SqliteConnection::open_reader(path)?;
                read(&mut Tx::new(&mut connection, None)).map(Some)
            }
            // On its own thread, since the connection blocks and the caller may be in an async runtime.
            Self::Postgres(url) => std::thread::scope(|scope| {
                let thread = scope.spawn(|| {
                    let config = PostgresConfig::parse(url, PostgresTimeouts::default())?;
                    let mut connection = PostgresConnection::connect(&config, Durability::Full)?;
                    read(&mut Tx::new(&mut connection, None)).map(Some)
                });
                thread
                    .join()
                    .unwrap_or_else(|_| Err(StoreError::internal("reading from PostgreSQL panicked")))
            }),
        }
    }
}
