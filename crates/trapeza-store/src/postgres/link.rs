//! One PostgreSQL connection with its prepared statements.

use crate::error::StoreError;
use crate::options::{Durability, StoreOptions};
use crate::value::{Param, Row};
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::{Client, NoTls, Statement};
use std::collections::HashMap;

pub(crate) struct PostgresLink {
    client: Client,
    /// By the address of the text, which is `'static`.
    statements: HashMap<(usize, usize), Statement>,
}

impl PostgresLink {
    pub(crate) fn connect(config: &postgres::Config, options: &StoreOptions) -> Result<Self, StoreError> {
        let client = config.connect(NoTls).map_err(fault)?;
        let mut link = Self { client, statements: HashMap::new() };
        let commit = match options.durability {
            Durability::Full => "on",
            Durability::None => "off",
        };
        // A server set up for speed would acknowledge what it can still lose.
        link.batch(&format!("SET synchronous_commit = {commit}; SET TIME ZONE 'UTC'"))?;
        Ok(link)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        self.client.batch_execute(sql).map_err(fault)
    }

    pub(crate) fn execute(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<u64, StoreError> {
        let statement = self.statement(sql)?;
        // Sixteen covers nearly every statement without an allocation; the driver wants references.
        let references: Vec<&(dyn postgres::types::ToSql + Sync)> =
            params.iter().map(|param| param as _).collect();
        self.client.execute(&statement, &references).map_err(fault)
    }

    pub(crate) fn query(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let statement = self.statement(sql)?;
        let mut rows = self.client.query_raw(&statement, params.iter().copied()).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            each(&Row::Postgres(&row))?;
        }
        Ok(())
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement, StoreError> {
        let key = (sql.as_ptr() as usize, sql.len());
        if let Some(statement) = self.statements.get(&key) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).map_err(fault)?;
        self.statements.insert(key, statement.clone());
        Ok(statement)
    }
}

/// Sorts an engine error by what has to be done about it.
pub(crate) fn fault(error: postgres::Error) -> StoreError {
    let text = describe(&error);
    match error.code() {
        Some(code) if *code == SqlState::T_R_SERIALIZATION_FAILURE => StoreError::Conflict(text),
        Some(code) if *code == SqlState::T_R_DEADLOCK_DETECTED => StoreError::Conflict(text),
        Some(code) if matches!(&code.code()[..2], "53" | "58") => StoreError::Unknown(text),
        // Connection exceptions; and the operator's interventions: shut down, crash, starting up.
        Some(code) if matches!(&code.code()[..2], "08" | "57") => StoreError::Disconnected(text),
        // A standby that was not promoted yet cannot write; the next connection may find the new primary.
        Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::Disconnected(text),
        Some(_) => StoreError::Broken(text),
        None => StoreError::Disconnected(text),
    }
}

/// The server's message, without its detail line, which repeats values of the row.
fn describe(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{} ({})", db.message(), db.code().code()),
        None => error.to_string(),
    }
}
