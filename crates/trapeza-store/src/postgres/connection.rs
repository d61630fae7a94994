//! One PostgreSQL connection with its prepared statements.
//!
//! It drives the asynchronous driver by a runtime of its own and blocks its thread: the synchronous driver cannot send a
//! statement before the response to the last one.

use super::config::PostgresConfig;
use super::error::map_error;
use super::pipeline::{Deferred, InFlight, execute, join_in_order};
use crate::error::{Cause, StoreError};
use crate::options::Durability;
use crate::tx::{Connection, DeferredCount, EngineKind};
use crate::value::{Param, RowReader};
use futures_util::TryStreamExt;
use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::{Client, Error, Statement};

/// Maximum number of deferred statements: a batch of thousands of postings is not held in memory twice.
const MAX_DEFERRED: usize = 64;

/// After this time the server ends the transaction of a process that has stalled, and with it its locks. No transaction waits for
/// anything but the database.
const IDLE_IN_TRANSACTION_TIMEOUT: Duration = Duration::from_secs(10);

/// An advisory lock with an arbitrary number that every trapeza process uses.
const ACQUIRE_RETRY_LOCK: &str = "SELECT pg_advisory_lock(8245931987826405219)";
const RELEASE_RETRY_LOCK: &str = "SELECT pg_advisory_unlock(8245931987826405219)";

pub(crate) struct PostgresConnection {
    client: Client,
    /// By the address of the SQL, which is `'static`.
    statements: HashMap<(usize, usize), Statement>,
    /// Not sent yet.
    deferred: Vec<Deferred>,
    /// The number of rows of each statement that was sent since the transaction began.
    rows_affected: Vec<u64>,
    /// Drives the connection while a response is awaited.
    runtime: Runtime,
    /// After this time without a response the server counts as lost: it may be stopped while its machine still acknowledges packets.
    response_limit: Option<Duration>,
}

impl PostgresConnection {
    pub(crate) fn connect(config: &PostgresConfig, durability: Durability) -> Result<Self, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(StoreError::internal)?;
        let client = runtime.block_on(config.connect())?;
        let mut connection = Self {
            client,
            statements: HashMap::new(),
            deferred: Vec::new(),
            rows_affected: Vec::new(),
            runtime,
            response_limit: Some(config.statement_timeout),
        };
        let synchronous_commit = match durability {
            Durability::Full => "on",
            Durability::None => "off",
        };
        let statement_timeout_ms = config.statement_timeout.as_millis();
        let idle_timeout_ms = IDLE_IN_TRANSACTION_TIMEOUT.as_millis();
        // A server that is configured for speed would acknowledge commits that it can still lose.
        connection.batch(&format!(
            "SET synchronous_commit = {synchronous_commit}; SET TIME ZONE 'UTC';
             SET statement_timeout = {statement_timeout_ms};
             SET idle_in_transaction_session_timeout = {idle_timeout_ms}"
        ))?;
        Ok(connection)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Waits for the retry lock before the transaction begins, and with it its snapshot. The server releases the lock
    /// when the connection ends.
    pub(crate) fn acquire_retry_lock(&mut self) {
        self.deferred.push(Deferred::Batch(ACQUIRE_RETRY_LOCK));
    }

    pub(crate) fn release_retry_lock(&mut self) -> Result<(), StoreError> {
        self.batch(RELEASE_RETRY_LOCK)
    }

    /// Begins a transaction together with its first statement. Each response of it is awaited for no longer than the limit.
    pub(crate) fn begin(&mut self, sql: &'static str, response_limit: Option<Duration>) {
        self.response_limit = response_limit;
        self.rows_affected.clear();
        self.deferred.push(Deferred::Batch(sql));
    }

    /// Sends the deferred statements and commits.
    pub(crate) fn commit(&mut self) -> Result<(), StoreError> {
        self.batch("COMMIT")
    }

    /// Rolls back; deferred statements are not sent.
    pub(crate) fn rollback(&mut self) -> Result<(), StoreError> {
        self.deferred.clear();
        self.batch("ROLLBACK")
    }

    /// Sends the deferred statements and waits for their responses.
    fn flush(&mut self) -> Result<(), StoreError> {
        let Self { client, deferred, rows_affected, runtime, response_limit, .. } = self;
        let sent = deferred.drain(..).map(|statement| statement.send(client)).collect();
        rows_affected.extend(runtime.block_on(response(*response_limit, join_in_order(sent)))?);
        Ok(())
    }

    /// The same with one more statement; returns the number of its rows.
    fn flush_with<'a>(
        &'a mut self,
        last: impl FnOnce(&'a Client) -> InFlight<'a>,
    ) -> Result<u64, StoreError> {
        let Self { client, deferred, rows_affected, runtime, response_limit, .. } = self;
        let mut sent: Vec<InFlight<'_>> =
            deferred.drain(..).map(|statement| statement.send(client)).collect();
        sent.push(last(client));
        rows_affected.extend(runtime.block_on(response(*response_limit, join_in_order(sent)))?);
        Ok(rows_affected.last().copied().unwrap_or(0))
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement, StoreError> {
        let key = (sql.as_ptr() as usize, sql.len());
        if let Some(statement) = self.statements.get(&key) {
            return Ok(statement.clone());
        }
        let statement = self.runtime.block_on(response(self.response_limit, self.client.prepare(sql)))?;
        self.statements.insert(key, statement.clone());
        Ok(statement)
    }
}

async fn response<T>(
    limit: Option<Duration>,
    answered: impl Future<Output = Result<T, Error>>,
) -> Result<T, StoreError> {
    let Some(limit) = limit else { return answered.await.map_err(map_error) };
    match timeout(limit, answered).await {
        Ok(answered) => answered.map_err(map_error),
        Err(_) => {
            let text = format!("no response within {} ms", limit.as_millis());
            Err(StoreError::Disconnected(Cause::new(text)))
        }
    }
}

impl Connection for PostgresConnection {
    fn engine(&self) -> EngineKind {
        EngineKind::Postgres
    }

    fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        self.flush_with(|client| Box::pin(async move { client.batch_execute(sql).await.map(|()| 0) }))
            .map(|_| ())
    }

    fn execute(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<u64, StoreError> {
        let statement = self.statement(sql)?;
        self.flush_with(|client| Box::pin(async move { execute(client, &statement, params).await }))
    }

    /// Defers a statement until the next one.
    fn execute_deferred(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<DeferredCount, StoreError> {
        let statement = self.statement(sql)?;
        let index = self.rows_affected.len() + self.deferred.len();
        self.deferred.push(Deferred::Statement(statement, params.iter().map(Into::into).collect()));
        if self.deferred.len() >= MAX_DEFERRED {
            self.flush()?;
        }
        Ok(DeferredCount::Sent(index))
    }

    /// The number of rows of the statement with this index.
    fn rows_affected(&mut self, index: usize) -> Result<u64, StoreError> {
        if index >= self.rows_affected.len() {
            self.flush()?;
        }
        let rows = self.rows_affected.get(index).copied();
        rows.ok_or_else(|| StoreError::internal("no deferred statement with this index"))
    }

    fn query(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&mut RowReader<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let statement = self.statement(sql)?;
        let mut rows = None;
        self.flush_with(|client| {
            Box::pin(async {
                rows = Some(client.query_raw(&statement, params.iter().copied()).await?);
                Ok(0)
            })
        })?;
        let Some(rows) = rows else { return Ok(()) };
        self.runtime.block_on(async {
            let mut rows = pin!(rows);
            while let Some(row) = response(self.response_limit, rows.try_next()).await? {
                each(&mut RowReader::new(&row))?;
            }
            Ok(())
        })
    }
}
