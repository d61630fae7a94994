//! A database for one test, on either engine, removed when the test ends.

pub(crate) mod template;

use rusqlite::types::ValueRef;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use trapeza_domain::time::Timestamp;
use trapeza_store::{Store, StoreError, StoreOptions};
use uuid::Uuid;

/// Which engine a test runs on. Every suite runs on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// The key that chains the audit log in tests.
pub const AUDIT_KEY: [u8; 32] = [7; 32];

pub struct Database {
    kind: Kind,
    /// No store has opened it.
    is_new: AtomicBool,
}

enum Kind {
    Sqlite { directory: PathBuf, _owned: Option<tempfile::TempDir> },
    Postgres { server: String, name: String },
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Database {
    /// A database that the store opens as it is, or whose tables it creates when it is opened.
    pub fn new(engine: Engine) -> Self {
        Self::of(Kind::new(engine, template::create_database))
    }

    /// A database that has no tables on PostgreSQL either.
    pub fn empty(engine: Engine) -> Self {
        Self::of(Kind::new(engine, |server, name| administer(server, &format!("CREATE DATABASE {name}"))))
    }

    /// SQLite in a directory owned by the caller.
    pub fn at(directory: &Path) -> Self {
        Self {
            kind: Kind::Sqlite { directory: directory.into(), _owned: None },
            is_new: AtomicBool::new(false),
        }
    }

    const fn of(kind: Kind) -> Self {
        Self { kind, is_new: AtomicBool::new(true) }
    }

    pub fn open(&self) -> Store {
        self.open_with(&Self::options())
    }

    pub fn open_with(&self, options: &StoreOptions) -> Store {
        self.try_open(options).expect("the test's database opens")
    }

    pub fn try_open(&self, options: &StoreOptions) -> Result<Store, StoreError> {
        self.is_new.store(false, Ordering::Relaxed);
        match &self.kind {
            Kind::Sqlite { .. } => Store::open_sqlite(&self.sqlite_path(), options),
            Kind::Postgres { .. } => Store::open_postgres(&self.url(), options),
        }
    }

    /// Options as in the program, with few connections.
    pub fn options() -> StoreOptions {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut chain_seed = [0; 16];
        chain_seed[..4].copy_from_slice(&number.to_be_bytes());
        chain_seed[4..8].copy_from_slice(&std::process::id().to_be_bytes());
        StoreOptions { postgres_threads: 8, ..StoreOptions::new(AUDIT_KEY, chain_seed) }
    }

    /// The `--database` value for a program: empty for SQLite in its data directory.
    pub fn url(&self) -> String {
        match &self.kind {
            Kind::Sqlite { .. } => String::new(),
            Kind::Postgres { server, name } => database_url(server, name),
        }
    }

    pub(crate) fn is_new(&self) -> bool {
        self.is_new.load(Ordering::Relaxed)
    }

    pub(crate) const fn engine(&self) -> Engine {
        match self.kind {
            Kind::Sqlite { .. } => Engine::Sqlite,
            Kind::Postgres { .. } => Engine::Postgres,
        }
    }

    /// Makes a PostgreSQL database a copy of another one of its server.
    pub(crate) fn become_copy_of(&self, template: &str) {
        if let Kind::Postgres { server, name } = &self.kind {
            administer(server, &format!("DROP DATABASE {name} WITH (FORCE)"));
            administer(server, &format!("CREATE DATABASE {name} TEMPLATE {template}"));
        }
    }

    /// Gives a PostgreSQL database another name, under which it stays, and drops an older one of this name.
    pub(crate) fn into_template(self, template: &str) {
        if let Kind::Postgres { server, name } = &self.kind {
            administer(server, &format!("DROP DATABASE IF EXISTS {template}"));
            administer(server, &format!("ALTER DATABASE {name} RENAME TO {template}"));
            // It is not dropped under its old name.
            let _stays = ManuallyDrop::new(self);
        }
    }

    pub fn directory(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Sqlite { directory, .. } => Some(directory),
            Kind::Postgres { .. } => None,
        }
    }

    pub fn sqlite_path(&self) -> PathBuf {
        self.directory().map(|directory| directory.join("trapeza.db")).unwrap_or_default()
    }

    /// A UUID in this engine's SQL.
    pub fn uuid_literal(&self, uuid: Uuid) -> String {
        match self.kind {
            Kind::Sqlite { .. } => format!("X'{}'", uuid.simple()),
            Kind::Postgres { .. } => format!("'{uuid}'"),
        }
    }

    /// A time in this engine's SQL.
    pub fn timestamp_literal(&self, at: Timestamp) -> String {
        match self.kind {
            Kind::Sqlite { .. } => at.0.to_string(),
            Kind::Postgres { .. } => format!("(TIMESTAMPTZ 'epoch' + {} * INTERVAL '1 microsecond')", at.0),
        }
    }

    /// Terminates every connection to a PostgreSQL database.
    pub fn cut_connections(&self) {
        if let Kind::Postgres { server, name } = &self.kind {
            let sql =
                format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
            administer(server, &sql);
        }
    }

    /// Runs a statement directly on the database, past the bank.
    pub fn tamper(&self, sql: &str) {
        self.run(sql);
        // A SQLite reader may use its snapshot for up to 20 ms and notices only its own process's commits at once.
        if self.directory().is_some() {
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// The rows of a query, each column as text, read past the bank's connections.
    pub fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        match &self.kind {
            Kind::Sqlite { .. } => sqlite_rows(&sqlite_connection(&self.sqlite_path()), sql),
            Kind::Postgres { .. } => postgres_rows(&self.url(), sql),
        }
    }

    /// The rows of several queries, on SQLite by one connection.
    pub(crate) fn rows_of_each(&self, queries: &[String]) -> Vec<Vec<Vec<String>>> {
        let connection = sqlite_connection(&self.sqlite_path());
        queries.iter().map(|sql| sqlite_rows(&connection, sql)).collect()
    }

    /// The first column of a query's rows.
    pub fn column(&self, sql: &str) -> Vec<String> {
        self.rows(sql).into_iter().map(|mut row| row.swap_remove(0)).collect()
    }

    /// The only value of a query, which is an integer.
    pub fn number(&self, sql: &str) -> i64 {
        let values = self.column(sql);
        assert_eq!(values.len(), 1, "one row expected: {sql}");
        values[0].parse().expect("the value is an integer")
    }

    /// The events of the audit log with this action, each as `OBJECT by ACTOR`, sorted.
    pub fn events(&self, action: &str) -> Vec<String> {
        let rows = self.rows(&format!("SELECT object, actor FROM audit_event WHERE action = '{action}'"));
        let mut events: Vec<String> = rows.iter().map(|row| format!("{} by {}", row[0], row[1])).collect();
        events.sort();
        events
    }

    fn run(&self, sql: &str) {
        match &self.kind {
            Kind::Sqlite { .. } => {
                let connection = sqlite_connection(&self.sqlite_path());
                connection.execute_batch(sql).expect("the statement runs");
            }
            Kind::Postgres { .. } => administer(&self.url(), sql),
        }
    }
}

impl Kind {
    fn new(engine: Engine, create: impl FnOnce(&str, &str)) -> Self {
        match engine {
            Engine::Sqlite => {
                let owned = tempfile::tempdir().expect("the test needs a directory");
                Self::Sqlite { directory: owned.path().into(), _owned: Some(owned) }
            }
            Engine::Postgres => {
                let server = server_url();
                let number = NEXT.fetch_add(1, Ordering::Relaxed);
                let name = format!("trapeza_test_{}_{number}", std::process::id());
                create(&server, &name);
                Self::Postgres { server, name }
            }
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Kind::Postgres { server, name } = &self.kind {
            administer(server, &format!("DROP DATABASE {name} WITH (FORCE)"));
        }
    }
}

pub(crate) fn server_url() -> String {
    std::env::var("TRAPEZA_TEST_POSTGRES")
        .expect("TRAPEZA_TEST_POSTGRES names a PostgreSQL server; `cargo xtask test` starts one")
}

/// The URL of a database of a server, whose URL may name another database.
fn database_url(server: &str, name: &str) -> String {
    let (scheme, rest) = server.split_once("://").unwrap_or(("postgres", server));
    let host = rest.split('/').next().unwrap_or(rest);
    format!("{scheme}://{host}/{name}")
}

fn administer(url: &str, sql: &str) {
    with_client(url, |client| client.batch_execute(sql).expect("the statement runs"));
}

/// The simple protocol returns every type as text.
fn postgres_rows(url: &str, sql: &str) -> Vec<Vec<String>> {
    let messages = with_client(url, |client| client.simple_query(sql).expect("the query runs"));
    let rows = messages.into_iter().filter_map(|message| match message {
        postgres::SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    rows.map(|row| (0..row.len()).map(|column| row.get(column).unwrap_or_default().to_owned()).collect())
        .collect()
}

fn sqlite_connection(path: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(path).expect("the file opens")
}

fn sqlite_rows(connection: &rusqlite::Connection, sql: &str) -> Vec<Vec<String>> {
    let mut statement = connection.prepare(sql).expect("the query is valid");
    let columns = statement.column_count();
    let mut rows = statement.query([]).expect("the query runs");
    let mut texts = Vec::new();
    while let Some(row) = rows.next().expect("the query runs") {
        texts.push((0..columns).map(|column| sqlite_text(row.get_ref(column))).collect());
    }
    texts
}

fn sqlite_text(value: rusqlite::Result<ValueRef<'_>>) -> String {
    match value.expect("the column exists") {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// Runs a job with a connection to PostgreSQL.
fn with_client<T: Send>(url: &str, job: impl FnOnce(&mut postgres::Client) -> T + Send) -> T {
    // The client has its own runtime, which must not start inside a test's.
    std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let mut client = postgres::Client::connect(url, postgres::NoTls).expect("PostgreSQL answers");
            job(&mut client)
        });
        work.join().expect("the statement runs")
    })
}
