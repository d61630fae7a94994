//! The shape of the database, step by step. Each step has a twin: the same tables in each engine's words.

use crate::error::StoreError;
use crate::postgres::connection::PostgresConnection;
use crate::sqlite::connection::SqliteConnection;

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

/// In order; a step that was ever released is never changed again.
const MIGRATIONS: &[Migration] = migrations![
    "0001_house",
    "0002_ledger",
    "0003_account",
    "0004_consent",
    "0005_authorisation",
    "0006_use",
    "0007_app_browser",
    "0008_payment",
    "0009_message_claim",
    "0010_app",
    "0011_callback",
    "0012_basket",
    "0013_loan",
    "0014_loan_service",
    "0015_clearing",
    "0016_line",
    "0017_refund",
    "0018_basket_line",
    "0019_serial",
    "0020_call",
    "0021_audit_place",
];

/// Any number will do, as long as every trapeza process takes the same one.
const POSTGRES_LOCK: i64 = 0x7261_7065_7a61;

pub(crate) fn apply_sqlite(link: &mut SqliteConnection) -> Result<(), StoreError> {
    // One process owns the file (the data directory's lock); EXCLUSIVE keeps a stray tool out while tables change.
    link.define_call_key()?;
    link.batch("BEGIN EXCLUSIVE")?;
    link.batch(
        "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT",
    )?;
    let mut applied = Vec::new();
    link.query(LIST, &[], &mut |row| {
        applied.push(row.text(0)?);
        Ok(())
    })?;
    for (number, migration) in pending(&applied)? {
        link.batch(migration.sqlite).map_err(|error| step(migration.name, &error))?;
        link.execute(RECORD, crate::params![migration.name, number])?;
    }
    link.batch("COMMIT")
}

pub(crate) fn apply_postgres(link: &mut PostgresConnection) -> Result<(), StoreError> {
    link.batch(&format!("BEGIN; SELECT pg_advisory_xact_lock({POSTGRES_LOCK})"))?;
    link.batch("CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, number BIGINT NOT NULL)")?;
    let mut applied = Vec::new();
    link.query(LIST, &[], &mut |row| {
        applied.push(row.text(0)?);
        Ok(())
    })?;
    for (number, migration) in pending(&applied)? {
        link.batch(migration.postgres).map_err(|error| step(migration.name, &error))?;
        link.execute(RECORD, crate::params![migration.name, number])?;
    }
    link.batch("COMMIT")
}

const LIST: &str = "SELECT name FROM migration ORDER BY number";
const RECORD: &str = "INSERT INTO migration (name, number) VALUES ($1, $2)";

/// The names of all steps this program knows, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|migration| migration.name)
}

fn pending(applied: &[String]) -> Result<impl Iterator<Item = (i64, &'static Migration)>, StoreError> {
    // An older program on a newer database would write rows the newer one does not expect.
    for (number, name) in applied.iter().enumerate() {
        if MIGRATIONS.get(number).is_none_or(|known| known.name != name) {
            let text = format!(
                "the database has the migration {name}, which this program does not know in that place"
            );
            return Err(StoreError::Internal(text));
        }
    }
    Ok((1..).zip(MIGRATIONS).skip(applied.len()))
}

fn step(name: &str, error: &StoreError) -> StoreError {
    StoreError::Internal(format!("the migration {name} failed: {error}"))
}
