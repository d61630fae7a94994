//! One SQLite connection: pragmas are verified, statements are prepared once.

use super::generation::Generation;
use crate::error::{Cause, StoreError};
use crate::options::{Durability, StoreOptions};
use crate::tx::{self, DeferredCount, EngineKind};
use crate::value::{Param, RowReader};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) struct SqliteConnection {
    connection: Connection,
    translated: TranslatedSql,
    snapshot: Option<Snapshot>,
}

/// A reader's open transaction. Opening and closing one takes as long as many a read, so it is reused while it is current.
struct Snapshot {
    /// The last commit when it was opened.
    commit: u64,
    opened: Instant,
}

/// The store's own commits end the reuse of a snapshot at once; this limit is for changes that another tool makes to the
/// file.
const SNAPSHOT_MAX_AGE: Duration = Duration::from_millis(20);

/// How long a statement waits for another connection's lock. Only another tool holds one for long.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug)]
pub(super) enum CheckpointMode {
    /// As many frames as possible without waiting.
    Passive,
    /// All frames, so that the WAL restarts. Waits for readers of the WAL for at most this long, and blocks the writer.
    Restart(Duration),
    /// All frames; the WAL is then empty.
    Truncate,
}

/// SQL in SQLite's dialect by the address of the original, which is `'static`.
type TranslatedSql = HashMap<(usize, usize), Box<str>, rustc_hash::FxBuildHasher>;

impl SqliteConnection {
    pub(crate) fn open_writer(path: &Path, options: &StoreOptions) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        create_private(path)?;
        let connection = Self::open(path, flags)?;
        // NORMAL: the sync thread syncs the WAL after every commit; SQLite syncs it when it restarts and before a checkpoint.
        let synchronous = match options.durability {
            Durability::Full => "1",
            Durability::None => "0",
        };
        connection.set_pragma("journal_mode", "wal")?;
        connection.set_pragma("synchronous", synchronous)?;
        connection.set_pragma("wal_autocheckpoint", "0")?;
        connection.set_pragma("foreign_keys", "1")?;
        // With random keys a commit may walk through the whole cache (SQLite looks there for pages after the end of the
        // file), and a larger cache holds nothing that the system's cache does not.
        connection.set_pragma("cache_size", "-4096")?;
        // A WAL that grew very long because of a long read is truncated when it restarts.
        connection.set_pragma("journal_size_limit", "268435456")?;
        Ok(connection)
    }

    pub(crate) fn open_reader(path: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Self::open(path, flags)?;
        connection.set_pragma("query_only", "1")?;
        connection.set_pragma("cache_size", "-4096")?;
        Ok(connection)
    }

    fn open(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let connection = Connection::open_with_flags(path, flags).map_err(map_error)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(map_error)?;
        connection.set_prepared_statement_cache_capacity(512);
        enable_stable_plans(&connection)?;
        let connection = Self { connection, translated: TranslatedSql::default(), snapshot: None };
        connection.set_pragma("temp_store", "2")?;
        Ok(connection)
    }

    /// Reports every changed row to `generation`, and the length of the WAL after each commit to `record_frames`.
    pub(super) fn install_hooks(
        &mut self,
        generation: Generation,
        mut record_frames: impl FnMut(u32) + Send + 'static,
    ) -> Result<(), StoreError> {
        let on_change = move |_, _: &str, table: &str, _| generation.record_change(table);
        self.connection.update_hook(Some(on_change)).map_err(map_error)?;
        let on_commit = move |_: &mut Wal, frames| {
            record_frames(u32::try_from(frames).unwrap_or(0));
            Ok(())
        };
        self.connection.wal_hook(Some(on_commit)).map_err(map_error)
    }

    /// Sets a pragma and reads it back: SQLite ignores a pragma that it does not know or cannot set.
    fn set_pragma(&self, name: &str, value: &str) -> Result<(), StoreError> {
        match self.connection.query_row(&format!("PRAGMA {name}={value}"), [], |_| Ok(())) {
            Ok(()) | Err(rusqlite::Error::QueryReturnedNoRows) => {}
            Err(error) => return Err(map_error(error)),
        }
        let actual = match self.connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)) {
            Ok(Value::Integer(actual)) => actual.to_string(),
            Ok(Value::Text(actual)) => actual,
            Ok(other) => format!("{other:?}"),
            Err(error) => return Err(map_error(error)),
        };
        if actual == value {
            return Ok(());
        }
        Err(StoreError::internal(format!("SQLite has set {name} to {actual} instead of {value}")))
    }

    /// Runs a checkpoint and returns how many frames of the WAL remain.
    pub(super) fn checkpoint(&self, mode: CheckpointMode) -> Result<u32, StoreError> {
        let (sql, busy_timeout) = match mode {
            CheckpointMode::Passive => ("PRAGMA wal_checkpoint(PASSIVE)", BUSY_TIMEOUT),
            CheckpointMode::Restart(timeout) => ("PRAGMA wal_checkpoint(RESTART)", timeout),
            CheckpointMode::Truncate => ("PRAGMA wal_checkpoint(TRUNCATE)", BUSY_TIMEOUT),
        };
        self.connection.busy_timeout(busy_timeout).map_err(map_error)?;
        let frames = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
        let result = self.connection.query_row(sql, [], frames);
        self.connection.busy_timeout(BUSY_TIMEOUT).map_err(map_error)?;
        let (all, checkpointed) = result.map_err(map_error)?;
        Ok(u32::try_from(all - checkpointed).unwrap_or(0))
    }

    pub(crate) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        // Prepared, since BEGIN and COMMIT surround every read.
        match self.connection.prepare_cached(sql) {
            Ok(mut statement) if !sql.contains(';') => statement.raw_execute().map(|_| ()).map_err(map_error),
            _ => self.connection.execute_batch(sql).map_err(map_error),
        }
    }

    /// Opens a snapshot that contains at least the commits up to this one, or reuses the open one.
    pub(super) fn open_snapshot(&mut self, commit: u64) -> Result<(), StoreError> {
        let now = Instant::now();
        let is_current =
            |open: &Snapshot| open.commit == commit && now.duration_since(open.opened) < SNAPSHOT_MAX_AGE;
        if self.snapshot.as_ref().is_some_and(is_current) {
            return Ok(());
        }
        self.close_snapshot()?;
        self.batch("BEGIN")?;
        self.snapshot = Some(Snapshot { commit, opened: now });
        Ok(())
    }

    pub(super) fn close_snapshot(&mut self) -> Result<(), StoreError> {
        if self.snapshot.take().is_some() { self.batch("COMMIT") } else { Ok(()) }
    }

    /// Copies the database as this connection's open transaction sees it into an empty file, page by page. Other connections
    /// go on writing: all pages are copied in one step, which does not restart when they do.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        let mut copy = Connection::open(path).map_err(map_error)?;
        // The caller syncs the file, and removes it when the copy fails.
        copy.execute_batch("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF").map_err(map_error)?;
        let step = Backup::new(&self.connection, &mut copy).and_then(|backup| backup.step(-1));
        match step.map_err(map_error)? {
            StepResult::Done => Ok(()),
            other => Err(StoreError::internal(format!("the copy is not complete ({other:?})"))),
        }
    }

    pub(crate) fn is_autocommit(&self) -> bool {
        self.connection.is_autocommit()
    }
}

impl tx::Connection for SqliteConnection {
    fn engine(&self) -> EngineKind {
        EngineKind::Sqlite
    }

    fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        Self::batch(self, sql)
    }

    fn execute(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<u64, StoreError> {
        let Self { connection, translated, .. } = self;
        let mut statement = connection.prepare_cached(translate(translated, sql)).map_err(map_error)?;
        bind(&mut statement, params)?;
        statement.raw_execute().map(|rows| rows as u64).map_err(map_error)
    }

    /// Nothing is gained by deferring a statement: no network is in between.
    fn execute_deferred(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<DeferredCount, StoreError> {
        self.execute(sql, params).map(DeferredCount::Known)
    }

    fn rows_affected(&mut self, _: usize) -> Result<u64, StoreError> {
        Err(StoreError::internal("SQLite has no deferred statements"))
    }

    fn query(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&mut RowReader<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let Self { connection, translated, .. } = self;
        let mut statement = connection.prepare_cached(translate(translated, sql)).map_err(map_error)?;
        bind(&mut statement, params)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(map_error)? {
            each(&mut RowReader::new(row))?;
        }
        Ok(())
    }
}

/// Without this SQLite may prepare a statement again whenever its parameters change, to find a better plan for their values.
/// Each of our statements has one good plan, and planning takes longer than most of them run.
fn enable_stable_plans(connection: &Connection) -> Result<(), StoreError> {
    let enabled = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(map_error)?;
    if enabled {
        Ok(())
    } else {
        Err(StoreError::internal("SQLite has no query planner stability guarantee"))
    }
}

fn bind(statement: &mut rusqlite::Statement<'_>, params: &[Param<'_>]) -> Result<(), StoreError> {
    if statement.parameter_count() != params.len() {
        let message =
            format!("{} parameters for a statement of {}", params.len(), statement.parameter_count());
        return Err(StoreError::internal(message));
    }
    for (index, param) in params.iter().enumerate() {
        statement.raw_bind_parameter(index + 1, param).map_err(map_error)?;
    }
    Ok(())
}

/// Translates from PostgreSQL's dialect: `$1` becomes `?1` (SQLite numbers `$1` by its position), and row locks are left out,
/// since there is one writer. Line breaks are left out too: the statement cache compares texts.
fn translate<'a>(translated: &'a mut TranslatedSql, sql: &'static str) -> &'a str {
    translated.entry((sql.as_ptr() as usize, sql.len())).or_insert_with(|| {
        let sql = sql.replace('$', "?").replace("FOR UPDATE SKIP LOCKED", "").replace("FOR UPDATE", "");
        sql.lines().map(str::trim).collect::<Vec<_>>().join(" ").into()
    })
}

fn map_error(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) => StoreError::IoFailure(Cause::new(error)),
        Some(
            ErrorCode::DiskFull
            | ErrorCode::OutOfMemory
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked,
        ) => StoreError::OutcomeUnknown(Cause::new(error)),
        _ => StoreError::Internal(Cause::new(error)),
    }
}

/// Creates the database file with mode 0600 when it is absent. SQLite gives the WAL and the index of the WAL the same mode.
fn create_private(path: &Path) -> Result<(), StoreError> {
    let created = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
    created
        .map(|_| ())
        .map_err(|error| StoreError::IoFailure(Cause::new(format!("{}: {error}", path.display()))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::StatementStatus;

    #[test]
    fn translation_keeps_parameter_numbers_and_drops_row_locks() {
        let mut translated = TranslatedSql::default();
        let sql = "SELECT a FROM t WHERE b = $2 AND c = $1 FOR UPDATE SKIP LOCKED";
        assert_eq!(translate(&mut translated, sql).trim_end(), "SELECT a FROM t WHERE b = ?2 AND c = ?1");
    }

    #[test]
    fn stable_plans_are_not_prepared_again_for_other_parameters() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (a TEXT COLLATE NOCASE); CREATE INDEX i ON t (a)").unwrap();
        let count_prepared_again = || {
            let mut statement = connection.prepare("SELECT a FROM t WHERE a LIKE ?1").unwrap();
            for pattern in ["a%", "b%", "%c"] {
                assert!(!statement.exists([pattern]).unwrap());
            }
            statement.get_status(StatementStatus::RePrepare)
        };
        assert!(count_prepared_again() > 0, "the test must show a difference");
        enable_stable_plans(&connection).unwrap();
        assert_eq!(count_prepared_again(), 0);
    }

    #[test]
    fn pragma_that_sqlite_does_not_set_is_an_error() {
        let connection = Connection::open_in_memory().unwrap();
        let connection =
            SqliteConnection { connection, translated: TranslatedSql::default(), snapshot: None };
        // An in-memory database cannot have a WAL.
        let error = connection.set_pragma("journal_mode", "wal").unwrap_err();
        assert!(matches!(error, StoreError::Internal(cause) if cause.to_string().contains("journal_mode")));
    }

    /// `.cargo/config.toml` sets these through LIBSQLITE3_FLAGS, which does not apply when the crate is built from another
    /// workspace. Without them the store is correct and slower.
    #[test]
    fn sqlite_is_compiled_with_the_options_of_this_workspace() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare("PRAGMA compile_options").unwrap();
        let options: Vec<String> =
            statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        for expected in ["DEFAULT_MEMSTATUS=0", "OMIT_SHARED_CACHE"] {
            assert!(options.iter().any(|option| option == expected), "{expected} is missing: {options:?}");
        }
        for absent in ["ENABLE_API_ARMOR", "ENABLE_FTS3", "ENABLE_FTS5", "ENABLE_RTREE"] {
            assert!(!options.iter().any(|option| option == absent), "{absent}: {options:?}");
        }
    }
}
