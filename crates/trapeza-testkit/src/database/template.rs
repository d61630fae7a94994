//! A PostgreSQL database with all tables, which is copied for each test: creating the tables takes longer than most tests.
//!
//! There is one for each build of a test binary on a server, made by the first test that needs it.

use super::{Database, database_url, with_client};
use postgres::error::SqlState;
use std::hash::{DefaultHasher, Hash, Hasher};
use trapeza_store::Store;

/// Processes that find no template make it one after another.
const LOCK: &str = "SELECT pg_advisory_lock(7461626)";

/// Creates a database as a copy of the template.
pub(super) fn create_database(server: &str, name: &str) {
    let template = name_of_this_build();
    let sql = format!("CREATE DATABASE {name} TEMPLATE {template}");
    let is_absent = with_client(server, |client| match client.batch_execute(&sql) {
        Ok(()) => false,
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_DATABASE) => true,
        Err(error) => panic!("{sql}: {error}"),
    });
    if is_absent {
        create_template(server, &template);
        with_client(server, |client| client.batch_execute(&sql).expect("the template exists"));
    }
}

/// Another build may have other tables.
fn name_of_this_build() -> String {
    format!("trapeza_tables_{:016x}", build_hash(""))
}

/// A number for this build of this test binary and a text.
pub(crate) fn build_hash(text: &str) -> u64 {
    let binary = std::env::current_exe().expect("the test has a binary");
    let modified = binary.metadata().and_then(|metadata| metadata.modified()).expect("it has a time");
    let mut hasher = DefaultHasher::new();
    (binary, modified, text).hash(&mut hasher);
    hasher.finish()
}

/// Creates the template under another name, so that no process copies one that is incomplete.
fn create_template(server: &str, template: &str) {
    with_client(server, |client| {
        client.batch_execute(LOCK).expect("the server has advisory locks");
        let found = client.query("SELECT 1 FROM pg_database WHERE datname = $1", &[&template]);
        if !found.expect("databases are listed").is_empty() {
            return;
        }
        let incomplete = format!("{template}_new");
        let created = client
            .batch_execute(&format!("DROP DATABASE IF EXISTS {incomplete}"))
            .and_then(|()| client.batch_execute(&format!("CREATE DATABASE {incomplete}")));
        created.expect("the template is created");
        let store = Store::open_postgres(&database_url(server, &incomplete), &Database::options());
        store.expect("the template's tables are created").close();
        let renamed = client.batch_execute(&format!("ALTER DATABASE {incomplete} RENAME TO {template}"));
        renamed.expect("no connection to the template is left");
    });
}
