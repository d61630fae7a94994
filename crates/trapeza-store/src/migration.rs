//! Schema migrations. Each has one file per engine, with the same tables.
//!
//! A migration is numbered by its position. It declares the oldest program that can work on the database afterwards, by the number of
//! that program's newest migration, and the number is stored with it. A program therefore accepts a database with newer migrations that
//! only expand the schema, and refuses one with a migration that removes what the program uses.

use crate::error::StoreError;
use crate::params;
use crate::tx::{Connection, EngineKind, Tx};

struct Migration {
    name: &'static str,
    /// The number of the newest migration of the oldest program that can work on the database after this one. A migration that only
    /// expands the schema repeats the number of the migration before it.
    minimum_number: i64,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! migrations {
    ($($name:literal => $minimum_number:literal,)*) => {
        &[$(Migration {
            name: $name,
            minimum_number: $minimum_number,
            sqlite: include_str!(concat!("../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

/// In order. A migration that was released is never changed.
const MIGRATIONS: &[Migration] = migrations!["0001_baseline" => 1,];

/// A migration of a database.
struct Applied {
    name: String,
    minimum_number: i64,
}

/// The migrations of a database, compared with those of this program.
pub struct MigrationStatus {
    /// The newest migration of the database; `None` without a database.
    pub newest: Option<String>,
    /// The migrations that opening the database would apply.
    pub pending: Vec<&'static str>,
}

/// An arbitrary number that every trapeza process uses.
const POSTGRES_LOCK: i64 = 0x7261_7065_7a61;

const CREATE_TABLE: &str = "CREATE TABLE IF NOT EXISTS migration (
    name TEXT PRIMARY KEY, number BIGINT NOT NULL, minimum_number BIGINT NOT NULL)";
const LIST: &str = "SELECT name, minimum_number FROM migration ORDER BY number";
const INSERT: &str = "INSERT INTO migration (name, number, minimum_number) VALUES ($1, $2, $3)";

/// Applies the migrations that are missing, in one transaction that no other process interrupts.
pub(crate) fn apply(connection: &mut dyn Connection) -> Result<(), StoreError> {
    let engine = connection.engine();
    match engine {
        // The data directory's lock keeps other processes out; EXCLUSIVE also keeps out other tools while tables change.
        EngineKind::Sqlite => connection.batch("BEGIN EXCLUSIVE")?,
        EngineKind::Postgres => {
            // A migration, or another process's that is waited for, may take longer than any statement of a request.
            connection.batch(&format!(
                "BEGIN; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock({POSTGRES_LOCK})"
            ))?;
        }
    }
    connection.batch(CREATE_TABLE)?;
    let mut applied = Vec::new();
    connection.query(LIST, &[], &mut |row| {
        applied.push(Applied { name: row.read()?, minimum_number: row.read()? });
        Ok(())
    })?;
    for (number, migration) in pending(MIGRATIONS, &applied)? {
        let sql = match engine {
            EngineKind::Sqlite => migration.sqlite,
            EngineKind::Postgres => migration.postgres,
        };
        connection.batch(sql).map_err(|error| failed(migration, &error))?;
        connection.execute(INSERT, params![migration.name, number, migration.minimum_number])?;
    }
    connection.batch("COMMIT")?;
    if let Some(newer) = applied.get(MIGRATIONS.len()..).and_then(<[Applied]>::last) {
        tracing::warn!(
            migration = newer.name,
            "store: the database was migrated by a newer program, continuing because this one is compatible"
        );
    }
    Ok(())
}

/// The names of all migrations of this program, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|migration| migration.name)
}

/// The status of a database without tables.
pub(crate) fn status_without_database() -> MigrationStatus {
    MigrationStatus { newest: None, pending: names().collect() }
}

/// The status of a database, which is only read.
pub(crate) fn status(tx: &mut Tx<'_>) -> Result<MigrationStatus, StoreError> {
    if !tx.table_exists("migration")? {
        return Ok(status_without_database());
    }
    let applied =
        tx.query(LIST, &[], |row| Ok(Applied { name: row.read()?, minimum_number: row.read()? }))?;
    let pending = pending(MIGRATIONS, &applied)?.map(|(_, migration)| migration.name).collect();
    Ok(MigrationStatus { newest: applied.into_iter().last().map(|last| last.name), pending })
}

impl Tx<'_> {
    pub(crate) fn table_exists(&mut self, name: &str) -> Result<bool, StoreError> {
        let sql = match self.engine() {
            EngineKind::Sqlite => "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1",
            EngineKind::Postgres => "SELECT 1 WHERE to_regclass($1) IS NOT NULL",
        };
        self.exists(sql, params![name])
    }
}

/// The migrations that are not applied, with their numbers. A migration that this program does not have is an error, unless it is newer
/// than all of this program's and declares that this program can work on the database after it.
fn pending<'a>(
    known: &'a [Migration],
    applied: &[Applied],
) -> Result<impl Iterator<Item = (i64, &'a Migration)>, StoreError> {
    let newest = i64::try_from(known.len()).unwrap_or(i64::MAX);
    for (index, Applied { name, minimum_number }) in applied.iter().enumerate() {
        let problem = match known.get(index) {
            Some(known) if known.name == name => continue,
            Some(_) => "which this program does not know".to_owned(),
            None if *minimum_number <= newest => continue,
            None => format!(
                "which requires a program with the migration {minimum_number:04} or a newer one; this program has {newest:04}"
            ),
        };
        return Err(StoreError::internal(format!("the database has the migration {name}, {problem}")));
    }
    Ok((1..).zip(known).skip(applied.len()))
}

fn failed(migration: &Migration, error: &StoreError) -> StoreError {
    StoreError::internal(format!("migration {} failed: {error}", migration.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const KNOWN: &[Migration] =
        &[migration("0001_baseline", 1), migration("0002_expand", 1), migration("0003_expand", 1)];

    const fn migration(name: &'static str, minimum_number: i64) -> Migration {
        Migration { name, minimum_number, sqlite: "", postgres: "" }
    }

    fn pending_after(applied: &[(&str, i64)]) -> Result<Vec<i64>, String> {
        let applied = applied.iter().map(|(name, minimum_number)| Applied {
            name: (*name).to_owned(),
            minimum_number: *minimum_number,
        });
        let applied: Vec<Applied> = applied.collect();
        let pending = pending(KNOWN, &applied).map_err(|error| error.to_string())?;
        Ok(pending.map(|(number, _)| number).collect())
    }

    #[test]
    fn pending_older_database_gets_the_missing_migrations() {
        assert_eq!(pending_after(&[]), Ok(vec![1, 2, 3]));
        assert_eq!(pending_after(&[("0001_baseline", 1)]), Ok(vec![2, 3]));
    }

    #[test]
    fn pending_newer_database_is_accepted_up_to_the_migration_that_excludes_this_program() {
        let own = [("0001_baseline", 1), ("0002_expand", 1), ("0003_expand", 1)];
        let newer = |more: &[(&'static str, i64)]| pending_after(&[&own, more].concat());
        assert_eq!(newer(&[]), Ok(vec![]));
        assert_eq!(newer(&[("0004_expand", 1)]), Ok(vec![]));
        assert_eq!(newer(&[("0004_expand", 1), ("0005_contract", 3)]), Ok(vec![]));
        for more in [&[("0004_contract", 4)][..], &[("0004_contract", 4), ("0005_expand", 1)]] {
            let problem = newer(more).unwrap_err();
            let expected = "0004_contract, which requires a program with the migration 0004 or a newer one; this program has 0003";
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn pending_database_of_another_branch_is_refused() {
        let problem = pending_after(&[("0001_baseline", 1), ("0002_other", 1)]).unwrap_err();
        assert!(problem.contains("0002_other, which this program does not know"), "{problem}");
    }

    /// The columns of all tables with their constraints and without their types, and the indexes.
    fn structure(sql: &str) -> BTreeSet<String> {
        let (mut found, mut table) = (BTreeSet::new(), "");
        for line in sql.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("--")) {
            if let Some(name) = line.strip_prefix("CREATE TABLE ") {
                table = name.trim_end_matches(" (");
            } else if line.starts_with("CREATE INDEX ") || line.starts_with("CREATE UNIQUE INDEX ") {
                found.insert(line.trim_end_matches(';').to_owned());
            } else if line.starts_with(')') {
                table = "";
            } else if !table.is_empty() {
                let line = line.trim_end_matches(',').replace("GENERATED ALWAYS AS IDENTITY ", "");
                // SQLite compares bytes without being asked to.
                let line = line.replace("COLLATE \"C\" ", "");
                let column = match line.split_once(' ') {
                    Some((name, typed)) if name != "PRIMARY" => {
                        let constraints = typed.split_once(' ').map_or("", |(_, constraints)| constraints);
                        format!("{name} {constraints}").trim_end().to_owned()
                    }
                    _ => line.clone(),
                };
                found.insert(format!("{table}: {column}"));
            }
        }
        found
    }

    /// A unique index, a check or a reference that only one engine has would be a rule that only half of the banks keep.
    #[test]
    fn engines_have_the_same_columns_constraints_and_indexes() {
        let Migration { sqlite, postgres, .. } = &MIGRATIONS[0];
        let (sqlite, postgres) = (structure(sqlite), structure(postgres));
        assert!(sqlite.len() > 900, "{}", sqlite.len());
        let only_sqlite: Vec<&str> = sqlite.difference(&postgres).map(String::as_str).collect();
        let only_postgres: Vec<&str> = postgres.difference(&sqlite).map(String::as_str).collect();
        // Tables that SQLite clusters by their key, and the order of the audit log.
        assert_eq!(
            only_sqlite,
            [
                "CREATE INDEX payment_of_app ON payment (psu_login, id) WHERE application = x'00000000000000000000000000000000'",
                "CREATE UNIQUE INDEX entry_seq ON entry (account, seq)",
                "account: id PRIMARY KEY",
                "audit_event: position PRIMARY KEY",
                "consent: id PRIMARY KEY",
                "entry: PRIMARY KEY (account, booking_date, seq)",
            ]
        );
        assert_eq!(
            only_postgres,
            [
                "CREATE INDEX entry_booking_date ON entry (account, booking_date, seq)",
                "CREATE INDEX payment_of_app ON payment (psu_login, id) WHERE application = '00000000-0000-0000-0000-000000000000'",
                "CREATE UNIQUE INDEX account_id ON account (id)",
                "CREATE UNIQUE INDEX audit_event_sequence ON audit_event (chain, sequence)",
                "CREATE UNIQUE INDEX consent_id ON consent (id)",
                "account: id NOT NULL",
                "consent: id NOT NULL",
                "entry: PRIMARY KEY (account, seq)",
            ]
        );
    }

    /// What a program of the version before it may use must not disappear with a migration that keeps that program.
    #[test]
    fn migrations_that_keep_older_programs_only_expand_the_schema() {
        let (mut number, mut minimum_before) = (0, 1);
        for migration in MIGRATIONS {
            number += 1;
            let Migration { name, minimum_number, .. } = migration;
            assert!((minimum_before..=number).contains(minimum_number), "{name}: minimum {minimum_number}");
            if number > 1 && *minimum_number == minimum_before {
                for sql in [migration.sqlite, migration.postgres] {
                    let sql = sql.to_uppercase();
                    let contracts =
                        ["DROP ", "RENAME ", "SET NOT NULL"].into_iter().find(|word| sql.contains(word));
                    assert_eq!(contracts, None, "{name} must declare the oldest program that it keeps");
                }
            }
            minimum_before = *minimum_number;
        }
    }
}
