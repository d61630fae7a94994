//! A counter of changes to the tables that authenticate callers. As long as it stays the same, what was read from them is
//! current.
//!
//! Only this process writes to the file (its data directory is locked), and only its writer does. SQLite reports each changed
//! row of a rowid table, and the counter moves before the commit is acknowledged.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// All of them must be rowid tables: SQLite's update hook is silent for `WITHOUT ROWID` tables.
pub(super) const WATCHED_TABLES: [&str; 3] = ["application", "application_key", "application_certificate"];

#[derive(Clone, Debug, Default)]
pub(crate) struct Generation(Arc<State>);

#[derive(Debug, Default)]
struct State {
    number: AtomicU64,
    /// A row was changed since the number last moved.
    changed: AtomicBool,
}

impl Generation {
    /// Must be read before the rows: a cached value with an older generation than its rows is only dropped too early.
    pub(super) fn number(&self) -> u64 {
        self.0.number.load(Ordering::Acquire)
    }

    /// Records that a row of a table was inserted, updated or deleted.
    pub(super) fn record_change(&self, table: &str) {
        if WATCHED_TABLES.contains(&table) {
            self.0.changed.store(true, Ordering::Relaxed);
        }
    }

    /// Moves the number after a transaction with changes, committed or not, before its callers are answered.
    pub(super) fn publish(&self) {
        if self.0.changed.swap(false, Ordering::Relaxed) {
            self.0.number.fetch_add(1, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generation_moves_only_on_publish_of_a_watched_change() {
        let generation = Generation::default();
        for table in WATCHED_TABLES {
            let before = generation.number();
            generation.record_change(table);
            assert_eq!(generation.number(), before);
            generation.publish();
            assert_eq!(generation.number(), before + 1, "{table}");
        }
        let before = generation.number();
        generation.record_change("payment");
        generation.publish();
        assert_eq!(generation.number(), before);
    }

    #[test]
    fn watched_tables_are_rowid_tables() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("../../migrations/sqlite/0001_baseline.sql")).unwrap();
        for table in WATCHED_TABLES {
            let sql = "SELECT wr FROM pragma_table_list WHERE name = ?1";
            let without_rowid: bool = connection.query_row(sql, [table], |row| row.get(0)).unwrap();
            assert!(!without_rowid, "{table}");
        }
    }
}
