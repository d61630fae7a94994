//! One PostgreSQL connection with its prepared statements.
//!
//! It has a small runtime of its own and blocks its thread: the driver that blocks by itself cannot send a statement
//! before the answer to the last one is there.

use super::pipeline::{Sent, Waiting, all, execute};
use crate::error::StoreError;
use crate::options::{Durability, StoreOptions};
use crate::value::{Param, Row};
use futures_util::TryStreamExt;
use std::collections::HashMap;
use std::pin::pin;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, NoTls, Statement};

/// Statements that may wait; a batch of thousands of postings is not kept in memory twice.
const WAITING_MAX: usize = 64;

/// Any number will do, as long as every trapeza process takes the same one.
const STAND_IN_LINE: &str = "SELECT pg_advisory_lock(8245931987826405219)";
const LEAVE_LINE: &str = "SELECT pg_advisory_unlock(8245931987826405219)";

pub(crate) struct PostgresConnection {
    client: Client,
    /// By the address of the text, which is `'static`.
    statements: HashMap<(usize, usize), Statement>,
    /// Not sent yet.
    waiting: Vec<Waiting>,
    /// How many rows each of those changed that were sent since the transaction began, in their order.
    changed: Vec<u64>,
    /// Moves the connection forward while something is awaited.
    runtime: Runtime,
}

impl PostgresConnection {
    pub(crate) fn connect(
        config: &tokio_postgres::Config,
        options: &StoreOptions,
    ) -> Result<Self, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(StoreError::internal)?;
        let (client, connection) = runtime.block_on(config.connect(NoTls)).map_err(fault)?;
        // What ends the connection is told to the statement under way.
        runtime.spawn(async { drop(connection.await) });
        let mut link =
            Self { client, statements: HashMap::new(), waiting: Vec::new(), changed: Vec::new(), runtime };
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

    /// Waits until nobody else stands in line, before the transaction begins and with it its snapshot. The place is the
    /// connection's, so it is free when the process dies.
    pub(crate) fn stand_in_line(&mut self) {
        self.waiting.push(Waiting::Batch(STAND_IN_LINE));
    }

    pub(crate) fn leave_line(&mut self) -> Result<(), StoreError> {
        self.batch(LEAVE_LINE)
    }

    /// Begins a transaction together with its first statement.
    pub(crate) fn begin(&mut self, sql: &'static str) {
        self.changed.clear();
        self.waiting.push(Waiting::Batch(sql));
    }

    /// Ends a transaction, together with what still waits in it.
    pub(crate) fn commit(&mut self) -> Result<(), StoreError> {
        self.batch("COMMIT")
    }

    /// Undoes a transaction; what waits in it is never sent.
    pub(crate) fn rollback(&mut self) -> Result<(), StoreError> {
        self.waiting.clear();
        self.batch("ROLLBACK")
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        self.waited(|client| Box::pin(async move { client.batch_execute(sql).await.map(|()| 0) })).map(|_| ())
    }

    pub(crate) fn execute(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<u64, StoreError> {
        let statement = self.statement(sql)?;
        self.waited(|client| Box::pin(async move { execute(client, &statement, params).await }))
    }

    /// Leaves a statement to be sent with the next one, and says at which place it stands.
    pub(crate) fn execute_later(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<usize, StoreError> {
        let statement = self.statement(sql)?;
        let place = self.changed.len() + self.waiting.len();
        self.waiting.push(Waiting::Statement(statement, params.iter().map(Into::into).collect()));
        if self.waiting.len() >= WAITING_MAX {
            self.flush()?;
        }
        Ok(place)
    }

    /// How many rows the statement at a place has changed.
    pub(crate) fn changed(&mut self, place: usize) -> Result<u64, StoreError> {
        if place >= self.changed.len() {
            self.flush()?;
        }
        let rows = self.changed.get(place).copied();
        rows.ok_or_else(|| StoreError::internal("a statement is asked for that was never sent"))
    }

    pub(crate) fn query(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let statement = self.statement(sql)?;
        let mut rows = None;
        self.waited(|client| {
            Box::pin(async {
                rows = Some(client.query_raw(&statement, params.iter().copied()).await?);
                Ok(0)
            })
        })?;
        let Some(rows) = rows else { return Ok(()) };
        self.runtime.block_on(async {
            let mut rows = pin!(rows);
            while let Some(row) = rows.try_next().await.map_err(fault)? {
                each(&Row::Postgres(&row))?;
            }
            Ok(())
        })
    }

    /// Sends what waits and waits for it.
    fn flush(&mut self) -> Result<(), StoreError> {
        let Self { client, waiting, changed, runtime, .. } = self;
        let sent = waiting.drain(..).map(|one| one.send(client)).collect();
        changed.extend(runtime.block_on(all(sent)).map_err(fault)?);
        Ok(())
    }

    /// Sends what waits and, behind it, one more, and waits for all of it. The rows that the last one changed.
    fn waited<'a>(&'a mut self, last: impl FnOnce(&'a Client) -> Sent<'a>) -> Result<u64, StoreError> {
        let Self { client, waiting, changed, runtime, .. } = self;
        let mut sent: Vec<Sent<'_>> = waiting.drain(..).map(|one| one.send(client)).collect();
        sent.push(last(client));
        changed.extend(runtime.block_on(all(sent)).map_err(fault)?);
        Ok(changed.last().copied().unwrap_or(0))
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement, StoreError> {
        let key = (sql.as_ptr() as usize, sql.len());
        if let Some(statement) = self.statements.get(&key) {
            return Ok(statement.clone());
        }
        let statement = self.runtime.block_on(self.client.prepare(sql)).map_err(fault)?;
        self.statements.insert(key, statement.clone());
        Ok(statement)
    }
}

/// Sorts an engine error by what has to be done about it.
pub(crate) fn fault(error: Error) -> StoreError {
    let text = describe(&error);
    match error.code() {
        Some(code) if *code == SqlState::T_R_SERIALIZATION_FAILURE => StoreError::Conflict(text),
        Some(code) if *code == SqlState::T_R_DEADLOCK_DETECTED => StoreError::Conflict(text),
        Some(code) if matches!(&code.code()[..2], "53" | "58") => StoreError::OutcomeUnknown(text),
        // Connection exceptions; and the operator's interventions: shut down, crash, starting up.
        Some(code) if matches!(&code.code()[..2], "08" | "57") => StoreError::Disconnected(text),
        // A standby that was not promoted yet cannot write; the next connection may find the new primary.
        Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::Disconnected(text),
        Some(_) => StoreError::Internal(text),
        None => StoreError::Disconnected(text),
    }
}

/// The server's message, without its detail line, which repeats values of the row.
fn describe(error: &Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{} ({})", db.message(), db.code().code()),
        None => error.to_string(),
    }
}
