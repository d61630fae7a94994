//! A transaction as a use case sees it: plain statements on whichever engine is beneath.
//!
//! The operations on each thing (`consent_insert`, `ledger_account_lock`) are methods added in that thing's own file.

use crate::audit_chain::Chain;
use crate::error::StoreError;
use crate::postgres::connection::PostgresConnection;
use crate::sqlite::connection::SqliteConnection;
use crate::value::{Param, Row};
use uuid::Uuid;

pub struct Tx<'a> {
    link: Connection<'a>,
    chain: Option<&'a mut Chain>,
    written: bool,
    failure: Option<StoreError>,
}

/// A statement of [`Tx::execute_ahead`], to ask about within the same transaction.
#[derive(Clone, Copy, Debug)]
pub enum Later {
    Known(u64),
    /// Its place among those that the transaction was given.
    Sent(usize),
}

pub(crate) enum Connection<'a> {
    Sqlite(&'a mut SqliteConnection),
    Postgres(&'a mut PostgresConnection),
}

/// For the few statements that are not the same on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineKind {
    Sqlite,
    Postgres,
}

impl<'a> Tx<'a> {
    pub(crate) fn new(link: Connection<'a>, chain: Option<&'a mut Chain>) -> Self {
        Self { link, chain, written: false, failure: None }
    }

    pub(crate) fn engine(&self) -> EngineKind {
        match self.link {
            Connection::Sqlite(_) => EngineKind::Sqlite,
            Connection::Postgres(_) => EngineKind::Postgres,
        }
    }

    /// What a row is kept under whose id this is.
    pub(crate) fn id_kept(&self, id: Uuid) -> [u8; 16] {
        match &self.link {
            Connection::Sqlite(link) => link.serials().kept(id),
            Connection::Postgres(_) => id.into_bytes(),
        }
    }

    /// The id of a row that is kept under this.
    pub(crate) fn id_told(&self, kept: Uuid) -> Uuid {
        match &self.link {
            Connection::Sqlite(link) => link.serials().told(kept),
            Connection::Postgres(_) => kept,
        }
    }

    /// Runs a statement that changes rows; answers how many. One that changed none leaves nothing to be undone.
    pub fn execute(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<u64, StoreError> {
        let result = match &mut self.link {
            Connection::Sqlite(link) => link.execute(sql, params),
            Connection::Postgres(link) => link.execute(sql, params),
        };
        self.written |= !matches!(result, Ok(0));
        self.note(result)
    }

    /// Runs a statement whose number of rows nobody asks for. PostgreSQL is sent it together with the next statement
    /// that has an answer, or with the commit, and so its failure is told then: the transaction is undone all the same.
    pub fn execute_later(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<(), StoreError> {
        self.execute_ahead(sql, params).map(|_| ())
    }

    /// The same for a statement whose number of rows is asked for behind the next one ([`Tx::changed`]), so that both
    /// travel together.
    pub fn execute_ahead(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<Later, StoreError> {
        let result = match &mut self.link {
            Connection::Sqlite(link) => link.execute(sql, params).map(Later::Known),
            Connection::Postgres(link) => link.execute_later(sql, params).map(Later::Sent),
        };
        self.written |= !matches!(result, Ok(Later::Known(0)));
        self.note(result)
    }

    /// How many rows such a statement has changed. Costs nothing when an answer was awaited since; otherwise what waits
    /// is sent.
    pub fn changed(&mut self, later: Later) -> Result<u64, StoreError> {
        let result = match (later, &mut self.link) {
            (Later::Known(rows), _) => Ok(rows),
            (Later::Sent(place), Connection::Postgres(link)) => link.changed(place),
            (Later::Sent(_), Connection::Sqlite(_)) => {
                Err(StoreError::internal("a statement is asked for that this connection was never given"))
            }
        };
        self.note(result)
    }

    /// Runs a query (or a statement with RETURNING) and maps each row.
    pub fn query<T>(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        self.query_each(sql, params, |row| {
            rows.push(map(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Runs a query and hands over row after row, without keeping them.
    pub fn query_each(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        mut each: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.written |= !is_select(sql);
        let result = match &mut self.link {
            Connection::Sqlite(link) => link.query(sql, params, &mut each),
            Connection::Postgres(link) => link.query(sql, params, &mut each),
        };
        self.note(result)
    }

    /// The first row, if there is one.
    pub fn query_opt<T>(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.query(sql, params, map)?.into_iter().next())
    }

    /// The one row that must be there.
    pub fn query_one<T>(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let row = self.query_opt(sql, params, map)?;
        row.ok_or_else(|| StoreError::Internal(format!("no row where one must be: {sql}")))
    }

    pub(crate) fn chain(&mut self) -> Result<&mut Chain, StoreError> {
        self.chain
            .as_deref_mut()
            .ok_or_else(|| StoreError::Internal("a read cannot write the audit log".into()))
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

    fn note<T>(&mut self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error) = &result {
            self.failure.get_or_insert_with(|| error.clone());
        }
        result
    }
}

fn is_select(sql: &str) -> bool {
    sql.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"))
}
