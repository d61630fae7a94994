//! Schema migrations. Each has one file per engine, with the same tables.

use crate::error::StoreError;
use crate::params;
use crate::tx::{Connection, EngineKind};

struct Migration {
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! migrations {
    ($($name:literal,)*) => {
        &[$(Migration {
            name: $name,
            sqlite: include_str!(concat!("../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

/// In order. A migration that was released is never changed.
const MIGRATIONS: &[Migration] = migrations!["0001_baseline",];

/// An arbitrary number that every trapeza process uses.
const POSTGRES_LOCK: i64 = 0x7261_7065_7a61;

const CREATE_TABLE: &str =
    "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, number BIGINT NOT NULL)";
const LIST: &str = "SELECT name FROM migration ORDER BY number";
const INSERT: &str = "INSERT INTO migration (name, number) VALUES ($1, $2)";

/// Applies the migrations that are missing, in one transaction that no other process interrupts.
pub(crate) fn apply(connection: &mut dyn Connection) -> Result<(), StoreError> {
    let engine = connection.engine();
    match engine {
        // The data directory's lock keeps other processes out; EXCLUSIVE also keeps out other tools while tables change.
        EngineKind::Sqlite => connection.batch("BEGIN EXCLUSIVE")?,
        EngineKind::Postgres => {
            connection.batch(&format!("BEGIN; SELECT pg_advisory_xact_lock({POSTGRES_LOCK})"))?;
        }
    }
    connection.batch(CREATE_TABLE)?;
    let mut applied = Vec::new();
    connection.query(LIST, &[], &mut |row| {
        applied.push(row.read()?);
        Ok(())
    })?;
    for (number, migration) in pending(&applied)? {
        let sql = match engine {
            EngineKind::Sqlite => migration.sqlite,
            EngineKind::Postgres => migration.postgres,
        };
        connection.batch(sql).map_err(|error| failed(migration, &error))?;
        connection.execute(INSERT, params![migration.name, number])?;
    }
    connection.batch("COMMIT")
}

/// The names of all migrations of this program, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|migration| migration.name)
}

/// The migrations that are not applied, with their numbers. A database with a migration that this program does not have is
/// an error: an older program would write rows that a newer one does not expect.
fn pending(applied: &[String]) -> Result<impl Iterator<Item = (i64, &'static Migration)>, StoreError> {
    for (index, name) in applied.iter().enumerate() {
        if MIGRATIONS.get(index).is_none_or(|known| known.name != name) {
            let message = format!("the database has the migration {name}, which this program does not know");
            return Err(StoreError::internal(message));
        }
    }
    Ok((1..).zip(MIGRATIONS).skip(applied.len()))
}

fn failed(migration: &Migration, error: &StoreError) -> StoreError {
    StoreError::internal(format!("migration {} failed: {error}", migration.name))
}
