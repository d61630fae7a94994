//! A database transaction as a use case sees it: plain statements on either engine.
//!
//! The operations on each entity (`consent_insert`, `ledger_account_lock`) are methods that the entity's module adds.

use crate::audit_chain::Chain;
use crate::error::StoreError;
use crate::value::{Param, RowReader};

pub struct Tx<'a> {
    connection: &'a mut dyn Connection,
    chain: Option<&'a mut Chain>,
    written: bool,
    failure: Option<StoreError>,
}

/// The number of rows of a deferred statement ([`Tx::execute_deferred_counted`]).
#[derive(Clone, Copy, Debug)]
pub(crate) enum DeferredCount {
    Known(u64),
    /// The statement's index among those of the transaction.
    Sent(usize),
}

/// A connection of an engine: statements in PostgreSQL's dialect, each prepared once.
pub(crate) trait Connection {
    fn engine(&self) -> EngineKind;
    /// Runs statements without parameters.
    fn batch(&mut self, sql: &str) -> Result<(), StoreError>;
    /// Runs a statement and returns the number of rows that it has changed.
    fn execute(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<u64, StoreError>;
    /// Runs a statement, or sends it together with the next one.
    fn execute_deferred(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<DeferredCount, StoreError>;
    /// The number of rows of the deferred statement with this index.
    fn rows_affected(&mut self, index: usize) -> Result<u64, StoreError>;
    fn query(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&mut RowReader<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;
}

/// For the few statements that differ between the engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineKind {
    Sqlite,
    Postgres,
}

impl<'a> Tx<'a> {
    pub(crate) fn new(connection: &'a mut dyn Connection, chain: Option<&'a mut Chain>) -> Self {
        Self { connection, chain, written: false, failure: None }
    }

    pub(crate) fn engine(&self) -> EngineKind {
        self.connection.engine()
    }

    /// Runs a statement that changes rows and returns their number.
    pub fn execute(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<u64, StoreError> {
        let result = self.connection.execute(sql, params);
        // A statement that changed no row leaves nothing to roll back.
        self.written |= !matches!(result, Ok(0));
        self.record_failure(result)
    }

    /// Runs an update of exactly one row. No such row is an internal error: the caller has read it before.
    pub(crate) fn update_one(
        &mut self,
        entity: &'static str,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<(), StoreError> {
        match self.execute(sql, params)? {
            1 => Ok(()),
            _ => Err(StoreError::missing(entity)),
        }
    }

    /// Runs a statement whose number of rows does not matter. PostgreSQL gets it together with the next statement that
    /// returns rows, or with the commit; a failure is reported then and rolls the transaction back all the same.
    pub(crate) fn execute_deferred(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<(), StoreError> {
        self.execute_deferred_counted(sql, params).map(|_| ())
    }

    /// The same for a statement whose number of rows is asked for after the next statement ([`Tx::rows_affected`]), so that
    /// both are sent together.
    pub(crate) fn execute_deferred_counted(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<DeferredCount, StoreError> {
        let result = self.connection.execute_deferred(sql, params);
        self.written |= !matches!(result, Ok(DeferredCount::Known(0)));
        self.record_failure(result)
    }

    /// The number of rows that a deferred statement has changed. Sends the deferred statements unless a later statement has
    /// already done so.
    pub(crate) fn rows_affected(&mut self, count: DeferredCount) -> Result<u64, StoreError> {
        let result = match count {
            DeferredCount::Known(rows) => Ok(rows),
            DeferredCount::Sent(index) => self.connection.rows_affected(index),
        };
        self.record_failure(result)
    }

    /// Runs a query (or a statement with RETURNING) and maps each row.
    pub fn query<T>(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        mut map: impl FnMut(&mut RowReader<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        self.query_each(sql, params, |row| {
            rows.push(map(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Runs a query and calls `each` for every row, without collecting them.
    pub fn query_each(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        mut each: impl FnMut(&mut RowReader<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.written |= !is_select(sql);
        let result = self.connection.query(sql, params, &mut each);
        self.record_failure(result)
    }

    /// The first row, if there is one.
    pub fn query_opt<T>(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        map: impl FnMut(&mut RowReader<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.query(sql, params, map)?.into_iter().next())
    }

    /// The one row of a query that always returns one.
    pub fn query_one<T>(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        map: impl FnMut(&mut RowReader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let row = self.query_opt(sql, params, map)?;
        row.ok_or_else(|| StoreError::internal(format!("no row for: {sql}")))
    }

    /// Whether a query returns a row.
    pub(crate) fn exists(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<bool, StoreError> {
        Ok(self.query_opt(sql, params, |_| Ok(()))?.is_some())
    }

    pub(crate) fn chain(&mut self) -> Result<&mut Chain, StoreError> {
        self.chain.as_deref_mut().ok_or_else(|| StoreError::internal("a read cannot write the audit log"))
    }

    pub(crate) fn begin_job(&mut self) {
        self.written = false;
        self.failure = None;
    }

    pub(crate) fn has_written(&self) -> bool {
        self.written
    }

    pub(crate) fn take_failure(&mut self) -> Option<StoreError> {
        self.failure.take()
    }

    fn record_failure<T>(&mut self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error) = &result {
            self.failure.get_or_insert_with(|| error.clone());
        }
        result
    }
}

fn is_select(sql: &str) -> bool {
    sql.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"))
}
