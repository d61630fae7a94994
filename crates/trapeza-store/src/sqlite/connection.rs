//! One SQLite connection: opened with pragmas that are read back, statements prepared once.

use super::generation::Generation;
use crate::error::StoreError;
use crate::idempotency_key::idempotency_key_hash;
use crate::options::{Durability, StoreOptions};
use crate::serial::Serials;
use crate::value::{Param, Row};
use rusqlite::config::DbConfig;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::hooks::Wal;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) struct SqliteConnection {
    connection: Connection,
    /// Our SQL by its address → the same in SQLite's words. The texts are `'static`, so an address names one text.
    spoken: Spoken,
    serials: Arc<Serials>,
    view: Option<View>,
}

/// A reader's open transaction. Beginning and ending one takes as long as many a read, so it is kept as long as it shows
/// what there is.
struct View {
    /// The last commit when it was begun.
    commit: u64,
    begun: Instant,
}

/// The oldest view that is read again. The store's own commits end views at once; this is for a change that somebody
/// makes to the file by hand.
const VIEW_AGE: Duration = Duration::from_millis(20);

/// How long a statement waits for another connection's lock. Only a stray tool has one for long.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the log is folded into the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fold {
    /// As much as can be without waiting for anybody.
    Passive,
    /// All of it, so that it begins anew. Waits for readers of the log for that long, and the writer with it.
    Restart(Duration),
    /// All of it, leaving none.
    Truncate,
}

type Spoken = HashMap<(usize, usize), Box<str>, BuildHasherDefault<AddressHasher>>;

/// Spreads an address and a length, which nobody outside can choose.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, number: usize) {
        // An odd number near the golden ratio of the word: neighbours end up far apart.
        self.0 = (self.0 ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl SqliteConnection {
    pub(crate) fn open_writer(
        path: &Path,
        options: &StoreOptions,
        serials: Arc<Serials>,
    ) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let link = Self::open(path, flags, serials)?;
        // The log is synced behind every commit by a thread of its own, and by SQLite where it begins anew and before it is
        // folded into the file.
        let synchronous = match options.durability {
            Durability::Full => "1",
            Durability::None => "0",
        };
        link.pragma("journal_mode", "wal", "wal")?;
        link.pragma("synchronous", synchronous, synchronous)?;
        link.pragma("wal_autocheckpoint", "0", "0")?;
        link.pragma("foreign_keys", "1", "1")?;
        // No more than readers have. Where keys are random every commit may walk through the whole cache (SQLite looks there
        // for pages behind the end of the file), and what a larger one holds is in the system's cache as well.
        link.pragma("cache_size", "-4096", "-4096")?;
        // A log that grew out of measure behind a long read is cut where it next begins anew.
        link.pragma("journal_size_limit", "268435456", "268435456")?;
        Ok(link)
    }

    pub(crate) fn open_reader(path: &Path, serials: Arc<Serials>) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let link = Self::open(path, flags, serials)?;
        link.pragma("query_only", "1", "1")?;
        link.pragma("cache_size", "-4096", "-4096")?;
        Ok(link)
    }

    fn open(path: &Path, flags: OpenFlags, serials: Arc<Serials>) -> Result<Self, StoreError> {
        let connection = Connection::open_with_flags(path, flags).map_err(fault)?;
        connection.busy_timeout(PATIENCE).map_err(fault)?;
        connection.set_prepared_statement_cache_capacity(512);
        stable_plans(&connection)?;
        let link = Self { connection, spoken: Spoken::default(), serials, view: None };
        link.pragma("temp_store", "2", "2")?;
        Ok(link)
    }

    pub(crate) fn serials(&self) -> &Serials {
        &self.serials
    }

    /// Has every row that this connection changes noted, and how long its commits make the log.
    pub(super) fn watch(
        &mut self,
        edition: Generation,
        mut grown: impl FnMut(u32) + Send + 'static,
    ) -> Result<(), StoreError> {
        let note = move |_, _: &str, table: &str, _| edition.note(table);
        self.connection.update_hook(Some(note)).map_err(fault)?;
        let commit = move |_: &mut Wal, frames| {
            grown(u32::try_from(frames).unwrap_or(0));
            Ok(())
        };
        self.connection.wal_hook(Some(commit)).map_err(fault)
    }

    /// Lets SQL ask what a call is found by, as a migration does.
    pub(crate) fn define_call_key(&self) -> Result<(), StoreError> {
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        let key = |context: &Context<'_>| {
            let part = |place| context.get_raw(place).as_bytes().map_err(rusqlite::Error::from);
            Ok(idempotency_key_hash(part(0)?, part(1)?, part(2)?))
        };
        self.connection.create_scalar_function("call_key", 3, flags, key).map_err(fault)
    }

    /// Sets a pragma and reads it back: SQLite ignores one it does not know or cannot follow.
    fn pragma(&self, name: &str, value: &str, expected: &str) -> Result<(), StoreError> {
        self.connection.query_row(&format!("PRAGMA {name}={value}"), [], |_| Ok(())).or_else(|error| {
            match error {
                rusqlite::Error::QueryReturnedNoRows => Ok(()),
                other => Err(fault(other)),
            }
        })?;
        let seen = self.pragma_value(name)?;
        if seen != expected {
            let text = format!("SQLite keeps {name} at {seen} where {expected} was asked for");
            return Err(StoreError::Internal(text));
        }
        Ok(())
    }

    pub(crate) fn pragma_value(&self, name: &str) -> Result<String, StoreError> {
        let sql = format!("PRAGMA {name}");
        let value = self.connection.query_row(&sql, [], |row| row.get::<_, rusqlite::types::Value>(0));
        match value.map_err(fault)? {
            rusqlite::types::Value::Integer(value) => Ok(value.to_string()),
            rusqlite::types::Value::Text(value) => Ok(value),
            other => Err(StoreError::Internal(format!("PRAGMA {name} answered {other:?}"))),
        }
    }

    /// Folds the log into the file as far as others let it; answers how many pages of the log are left.
    pub(super) fn fold(&self, how: Fold) -> Result<u32, StoreError> {
        let (mode, patience) = match how {
            Fold::Passive => ("PASSIVE", PATIENCE),
            Fold::Restart(patience) => ("RESTART", patience),
            Fold::Truncate => ("TRUNCATE", PATIENCE),
        };
        self.connection.busy_timeout(patience).map_err(fault)?;
        let told = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
        let folded = self.connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], told);
        self.connection.busy_timeout(PATIENCE).map_err(fault)?;
        let (all, done) = folded.map_err(fault)?;
        Ok(u32::try_from(all - done).unwrap_or(0))
    }

    pub(crate) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        // Prepared, since BEGIN and COMMIT stand around every read.
        match self.connection.prepare_cached(sql) {
            Ok(mut statement) if !sql.contains(';') => statement.raw_execute().map(|_| ()).map_err(fault),
            _ => self.connection.execute_batch(sql).map_err(fault),
        }
    }

    /// Opens a reader's view of all that was committed up to this commit and maybe more, or keeps the one it has.
    pub(super) fn view(&mut self, commit: u64) -> Result<(), StoreError> {
        let now = Instant::now();
        if self.view.as_ref().is_some_and(|view| view.commit == commit && now - view.begun < VIEW_AGE) {
            return Ok(());
        }
        self.end_view()?;
        self.batch("BEGIN")?;
        self.view = Some(View { commit, begun: now });
        Ok(())
    }

    pub(super) fn end_view(&mut self) -> Result<(), StoreError> {
        if self.view.take().is_some() { self.batch("COMMIT") } else { Ok(()) }
    }

    pub(crate) fn is_autocommit(&self) -> bool {
        self.connection.is_autocommit()
    }

    pub(crate) fn execute(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<u64, StoreError> {
        let Self { connection, spoken, .. } = self;
        let mut statement = connection.prepare_cached(translate(spoken, sql)).map_err(fault)?;
        bind(&mut statement, params)?;
        statement.raw_execute().map(|rows| rows as u64).map_err(fault)
    }

    pub(crate) fn query(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let Self { connection, spoken, .. } = self;
        let mut statement = connection.prepare_cached(translate(spoken, sql)).map_err(fault)?;
        bind(&mut statement, params)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(fault)? {
            each(&Row::Sqlite(row))?;
        }
        Ok(())
    }
}

/// SQLite may plan a statement anew whenever its parameters change, in the hope of a better index for these values. Ours
/// have one good plan each, and planning takes longer than most of them run.
fn stable_plans(connection: &Connection) -> Result<(), StoreError> {
    let held = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(fault)?;
    if held { Ok(()) } else { Err(StoreError::internal("SQLite does not keep its plans")) }
}

fn bind(statement: &mut rusqlite::Statement<'_>, params: &[Param<'_>]) -> Result<(), StoreError> {
    if statement.parameter_count() != params.len() {
        let text = format!("{} parameters for a statement of {}", params.len(), statement.parameter_count());
        return Err(StoreError::Internal(text));
    }
    for (index, param) in params.iter().enumerate() {
        statement.raw_bind_parameter(index + 1, param).map_err(fault)?;
    }
    Ok(())
}

/// Our SQL is PostgreSQL's: `$1` is `?1` here (SQLite would number `$1` by its place in the text), and row locks mean
/// nothing where there is one writer. Line breaks go too: statements are looked up by their text, which is shorter then.
fn translate<'a>(spoken: &'a mut Spoken, sql: &'static str) -> &'a str {
    spoken.entry((sql.as_ptr() as usize, sql.len())).or_insert_with(|| {
        let sql = sql.replace('$', "?").replace("FOR UPDATE SKIP LOCKED", "").replace("FOR UPDATE", "");
        sql.lines().map(str::trim).collect::<Vec<_>>().join(" ").into()
    })
}

/// Sorts an engine error by what has to be done about it.
pub(crate) fn fault(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory) => {
            StoreError::OutcomeUnknown(error.to_string())
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::OutcomeUnknown(error.to_string())
        }
        _ => StoreError::Internal(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::StatementStatus;

    #[test]
    fn parameters_keep_their_numbers_and_locks_vanish() {
        let mut spoken = Spoken::default();
        let sql = "SELECT a FROM t WHERE b = $2 AND c = $1 FOR UPDATE SKIP LOCKED";
        assert_eq!(translate(&mut spoken, sql).trim_end(), "SELECT a FROM t WHERE b = ?2 AND c = ?1");
    }

    #[test]
    fn another_parameter_is_no_reason_to_plan_again() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (a TEXT COLLATE NOCASE); CREATE INDEX i ON t (a)").unwrap();
        let planned_again = || {
            let mut statement = connection.prepare("SELECT a FROM t WHERE a LIKE ?1").unwrap();
            for pattern in ["a%", "b%", "%c"] {
                assert!(!statement.exists([pattern]).unwrap());
            }
            statement.get_status(StatementStatus::RePrepare)
        };
        assert!(planned_again() > 0, "without the setting it does, or this shows nothing");
        stable_plans(&connection).unwrap();
        assert_eq!(planned_again(), 0);
    }

    #[test]
    fn a_pragma_that_does_not_hold_is_an_error() {
        let serials = Arc::new(Serials::new([0; 16]));
        let connection = Connection::open_in_memory().unwrap();
        let link = SqliteConnection { connection, spoken: Spoken::default(), serials, view: None };
        // An in-memory database cannot have a write-ahead log.
        let error = link.pragma("journal_mode", "wal", "wal").unwrap_err();
        assert!(matches!(error, StoreError::Internal(text) if text.contains("journal_mode")));
    }
}
