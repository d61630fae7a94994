//! A sandbox whose database fails.

use super::super::{Collector, PLANTED};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::ServerProcess;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// All tables are gone but those by which callers are authenticated.
    Tables,
    /// No row can be written. PostgreSQL then reports the whole row.
    Writes,
    /// Every text in a row is another one, which is secret. SQLite only: its columns accept it.
    Values,
}

/// Without these no request gets further than its authentication.
const AUTHENTICATION: [&str; 4] = ["application", "application_key", "application_certificate", "merchant"];
/// Columns by which rows are found; with another text in them a row is not there instead of damaged.
const FOUND_BY: &str = "('kind', 'login', 'psu_login', 'organisation')";
/// The name of what refuses a row.
pub(super) const REFUSED: &str = "refused_by_the_test";

/// A running sandbox and its database.
pub(super) struct Bank {
    pub(super) program: ServerProcess,
    database: Database,
    engine: Engine,
    pub(super) collector: Collector,
    pub(super) directory: tempfile::TempDir,
}

impl Bank {
    pub(super) async fn start(engine: Engine) -> Self {
        let (directory, collector) = (tempfile::tempdir().unwrap(), Collector::start().await);
        let data = directory.path().join("data");
        let database = match engine {
            Engine::Sqlite => Database::at(&data),
            Engine::Postgres => Database::new(engine),
        };
        let config = directory.path().join("bank.toml");
        std::fs::write(&config, collector.settings()).unwrap();
        let more = ["--config", config.to_str().unwrap()];
        let program = ServerProcess::sandbox(&data, &database.url(), &more).await;
        Self { program, database, engine, collector, directory }
    }

    pub(super) fn tables(&self) -> Vec<String> {
        self.database.column(match self.engine {
            Engine::Sqlite => {
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            }
            Engine::Postgres => "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
        })
    }

    /// Each table by a transaction of its own, because the program has locks on some of them.
    pub(super) fn fail(&self, fault: Fault, tables: &[String]) {
        let statement = |table: &String| match (fault, self.engine) {
            (Fault::Tables, Engine::Sqlite) => format!("DROP TABLE {table};"),
            (Fault::Tables, Engine::Postgres) => format!("DROP TABLE {table} CASCADE"),
            (Fault::Writes, Engine::Sqlite) => {
                let refuse = |event: &str| {
                    format!(
                        "CREATE TRIGGER {REFUSED}_{event}_{table} BEFORE {event} ON {table}
                         BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END;"
                    )
                };
                ["INSERT", "UPDATE", "DELETE"].map(refuse).concat()
            }
            (Fault::Writes, Engine::Postgres) => {
                format!("ALTER TABLE {table} ADD CONSTRAINT {REFUSED} CHECK (false) NOT VALID")
            }
            (Fault::Values, _) => {
                let columns = format!(
                    "SELECT name FROM pragma_table_info('{table}') WHERE type = 'TEXT' AND name NOT IN {FOUND_BY}"
                );
                let other = |column: String| {
                    // Different in each row, because some columns are unique.
                    let value = format!("'{PLANTED} ' || hex(randomblob(8))");
                    format!("UPDATE {table} SET {column} = {value} WHERE {column} IS NOT NULL;")
                };
                self.database.column(&columns).into_iter().map(other).collect()
            }
        };
        let is_hit = |table: &&String| fault == Fault::Writes || !AUTHENTICATION.contains(&table.as_str());
        let statements = tables.iter().filter(is_hit).map(statement);
        match self.engine {
            Engine::Sqlite => {
                let all: String = statements.collect();
                let unchecked = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;";
                self.database.tamper(&format!("{unchecked} {all}"));
            }
            Engine::Postgres => statements.for_each(|statement| self.database.tamper(&statement)),
        }
    }
}
